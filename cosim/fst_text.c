/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an FST wave as VCD text, for the self-tests. The reader of the format is Verilator's. */
#include <inttypes.h>
#include <stdio.h>

#include <gtkwave/fstapi.h>

int main(int argc, char **argv)
{
    void *wave = argc == 2 ? fstReaderOpen(argv[1]) : NULL;
    if (!wave) {
        fprintf(stderr, "fst_text: cannot read \"%s\", expected one FST file\n", argc == 2 ? argv[1] : "");
        return 2;
    }
    fstReaderSetVcdExtensions(wave, 1); /* enums, too */
    fstReaderProcessHier(wave, stdout);
    fstReaderSetFacProcessMaskAll(wave);
    fstReaderIterBlocks(wave, NULL, NULL, stdout);
    fstReaderClose(wave);
    return 0;
}
