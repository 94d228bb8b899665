/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_tracez(data, size);
    return 0;
}
