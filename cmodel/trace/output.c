#include "trace/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_error(const struct output *o, struct error *err)
{
    return error_set(err, "%s: cannot write: %s", o->path, strerror(errno));
}

static bool open_temporary(struct output *o)
{
    int n = snprintf(o->temporary, sizeof o->temporary, "%s.XXXXXX", o->path);
    if (n < 0 || (size_t)n >= sizeof o->temporary) {
        errno = ENAMETOOLONG;
        o->temporary[0] = '\0';
        return false;
    }
    int fd = mkstemp(o->temporary);
    if (fd < 0) {
        o->temporary[0] = '\0';
        return false;
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    o->file = fdopen(fd, "w+b");
    if (!o->file) close(fd);
    return o->file;
}

bool output_open(struct output *o, const char *path, struct error *err)
{
    *o = (struct output){.path = path};
    struct stat st;
    bool device = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    if (device) o->file = fopen(path, "wb");
    if (device ? o->file != NULL : open_temporary(o)) return true;
    output_error(o, err);
    output_abandon(o);
    return false;
}

bool output_commit(struct output *o, struct error *err)
{
    bool done = !ferror(o->file) && fflush(o->file) == 0 && (!o->temporary[0] || fsync(fileno(o->file)) == 0);
    if (!done) output_error(o, err);
    if (fclose(o->file) != 0 && done) done = output_error(o, err);
    o->file = NULL;
    if (done && o->temporary[0] && rename(o->temporary, o->path) != 0) done = output_error(o, err);
    if (done) o->temporary[0] = '\0';
    output_abandon(o);
    return done;
}

void output_abandon(struct output *o)
{
    if (o->file) fclose(o->file);
    if (o->temporary[0]) unlink(o->temporary);
    *o = (struct output){0};
}
