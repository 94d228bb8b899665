/* SPDX-License-Identifier: Apache-2.0 */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Incomplete files of this process.  Global because signal handlers need it.  A name enters the list before its file
 * is created and leaves it after the file is removed, so that a signal at any point finds every file. */
enum { LIVE = 64 };
static char live[LIVE][sizeof((struct output *)0)->temporary];
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

static bool remember(const char *name)
{
    bool done = false;
    pthread_mutex_lock(&live_lock);
    for (int i = 0; !done && i < LIVE; i++) {
        done = !live[i][0];
        if (done) memcpy(&live[i][1], &name[1], strlen(name));
        if (done) *(volatile char *)&live[i][0] = name[0]; /* last: a signal may arrive at any point before */
    }
    pthread_mutex_unlock(&live_lock);
    return done;
}

static void forget(const char *name)
{
    pthread_mutex_lock(&live_lock);
    for (int i = 0; i < LIVE; i++)
        if (!strcmp(live[i], name)) live[i][0] = 0;
    pthread_mutex_unlock(&live_lock);
}

/* Removes a folder with its contents.  The signal handler calls it, and must not allocate: so a child process walks the
 * folder. */
static void remove_folder(char *name)
{
    char rm[] = "rm", force[] = "-rf", end[] = "--", *const command[] = {rm, force, end, name, NULL};
    pid_t child;
    if (posix_spawn(&child, "/bin/rm", NULL, NULL, command, NULL) == 0) waitpid(child, NULL, 0);
}

/* The name of a folder ends in a slash. */
static void remove_live(char *name)
{
    if (name[strlen(name) - 1] == '/')
        remove_folder(name);
    else
        unlink(name);
}

static void end_by_signal(int number)
{
    for (int i = 0; i < LIVE; i++)
        if (live[i][0]) remove_live(live[i]);
    signal(number, SIG_DFL);
    raise(number);
}

void output_catch_signals(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGABRT};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction now, ours = {.sa_handler = end_by_signal};
        sigfillset(&ours.sa_mask);
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaction(ends[i], &ours, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
}

bool output_error(const struct output *o, struct error *err)
{
    return error_set(err, "%s: cannot write: %s", o->path, strerror(errno));
}

/* Creates a file with a new name; this process removes it. */
static int make_temporary(struct output *o)
{
    for (unsigned i = 0;; i++) {
        int n = snprintf(o->temporary, sizeof o->temporary, "%s.%ld-%u.part", o->path, (long)getpid(), i);
        errno = n < 0 || (size_t)n >= sizeof o->temporary ? ENAMETOOLONG : EMFILE;
        if (errno == ENAMETOOLONG || !remember(o->temporary)) break;
        int fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) return fd;
        forget(o->temporary);
        if (errno != EEXIST) break;
    }
    o->temporary[0] = '\0';
    return -1;
}

static bool open_temporary(struct output *o)
{
    int fd = make_temporary(o);
    if (fd >= 0) o->file = fdopen(fd, "w+b");
    if (fd >= 0 && !o->file) close(fd);
    return o->file;
}

static bool is_device(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

bool output_open(struct output *o, const char *path, struct error *err)
{
    *o = (struct output){.path = path};
    bool device = is_device(path);
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
    if (done && o->temporary[0]) {
        forget(o->temporary);
        o->temporary[0] = '\0';
    }
    output_abandon(o);
    return done;
}

void output_abandon(struct output *o)
{
    if (o->file) fclose(o->file);
    if (o->temporary[0]) {
        unlink(o->temporary);
        forget(o->temporary);
    }
    *o = (struct output){0};
}

static bool folder_error(const struct output_folder *f, struct error *err)
{
    return error_set(err, "%s: cannot write: %s", f->path, strerror(errno));
}

bool output_folder_open(struct output_folder *f, const char *path, struct error *err)
{
    *f = (struct output_folder){.path = path};
    int length = (int)strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    if (access(path, F_OK) == 0) return error_set(err, "%s: exists, expected the name of a new folder", path);
    int n = snprintf(f->temporary, sizeof f->temporary, "%.*s.%ld.part/", length, path, (long)getpid());
    if ((size_t)n >= sizeof f->temporary) {
        errno = ENAMETOOLONG;
    } else if (remember(f->temporary)) {
        if (mkdir(f->temporary, 0777) == 0) return true;
        forget(f->temporary);
    }
    f->temporary[0] = '\0';
    return folder_error(f, err);
}

bool output_folder_commit(struct output_folder *f, struct error *err)
{
    if (rename(f->temporary, f->path) != 0) return folder_error(f, err);
    forget(f->temporary);
    f->temporary[0] = '\0';
    return true;
}

void output_folder_abandon(struct output_folder *f)
{
    if (!f->temporary[0]) return;
    remove_folder(f->temporary);
    forget(f->temporary);
    *f = (struct output_folder){0};
}

bool output_possible(const char *path, struct error *err)
{
    struct output o = {.path = path};
    if (is_device(path)) return access(path, W_OK) == 0 || output_error(&o, err);
    if (!output_open(&o, path, err)) return false;
    output_abandon(&o);
    return true;
}

/* The folder, identified by device and inode, and the last part of a path. */
static const char *place_of(const char *path, struct stat *folder)
{
    const char *slash = strrchr(path, '/');
    char text[PATH_MAX] = ".";
    if (slash) snprintf(text, sizeof text, "%.*s/", (int)(slash - path), path);
    if (stat(text, folder) != 0) *folder = (struct stat){0};
    return slash ? slash + 1 : path;
}

bool output_same(const char *a, const char *b)
{
    struct stat x, y;
    if (is_device(a) || is_device(b)) return false;
    if (stat(a, &x) == 0 && stat(b, &y) == 0) return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    const char *name = place_of(a, &x), *other = place_of(b, &y);
    return !strcmp(name, other) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
