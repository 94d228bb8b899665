/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpgpusim_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/text_file.h"
#include "lib/gpgpusim.h"
#include "lib/gpgpusim_read.h"

struct writing {
    const struct config *c;
    const char *folder;
    char *noted; /* lines for the reader; NULL: not known yet */
};

static void print_config(FILE *to, const struct writing *w)
{
    gpgpusim_print_config(to, w->c, w->noted ? w->noted : "");
}

static void print_icnt(FILE *to, const struct writing *w)
{
    gpgpusim_print_icnt(to, w->c);
}

static bool write_file(const struct writing *w, const char *name, void (*print)(FILE *to, const struct writing *w),
                       struct error *err)
{
    struct output out;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", w->folder, name) < 0) return error_set(err, "%s: out of memory", w->folder);
    bool done = output_open(&out, path, err);
    if (done) {
        print(out.file, w);
        done = output_commit(&out, err);
        output_abandon(&out);
    }
    free(path);
    return done;
}

/* The options that differ when the lines alone are read back. */
static bool note_differences(struct writing *w, const struct config *back, struct error *err)
{
    size_t size;
    uint32_t count;
    const struct config_option *o = option_list(&count);
    FILE *to = open_memstream(&w->noted, &size);
    if (!to) return error_set(err, "%s: out of memory", w->folder);
    for (uint32_t i = 0; i < count; i++) {
        char ours[OPTION_TEXT], theirs[OPTION_TEXT];
        option_text(w->c, &o[i], ours);
        option_text(back, &o[i], theirs);
        if (strcmp(ours, theirs)) fprintf(to, GPGPUSIM_NOTED "%s = %s\n", o[i].key, ours);
    }
    return !fclose(to) || error_set(err, "%s: out of memory", w->folder);
}

static bool read_back(struct writing *w, struct error *err)
{
    struct config back = {0};
    char *path = NULL;
    if (asprintf(&path, "%s/gpgpusim.config", w->folder) < 0) return error_set(err, "%s: out of memory", w->folder);
    char *text = text_file_read(path, err);
    const bool done =
        text && gpgpusim_read(&back, NULL, path, text, NULL, NULL, err) && note_differences(w, &back, err);
    free(text);
    free(path);
    return done;
}

bool gpgpusim_write(const struct config *c, const char *path, struct error *err)
{
    struct output_folder folder;
    if (!output_folder_open(&folder, path, err)) return false;
    struct writing w = {.c = c, .folder = folder.temporary};
    const bool done = write_file(&w, "gpgpusim.config", print_config, err) &&
                      write_file(&w, "memtwin.icnt", print_icnt, err) && read_back(&w, err) &&
                      write_file(&w, "gpgpusim.config", print_config, err) && output_folder_commit(&folder, err);
    output_folder_abandon(&folder);
    free(w.noted);
    return done;
}
