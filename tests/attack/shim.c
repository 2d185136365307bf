/* A machine that lies: a clock that is wrong by what a control file says, and file systems that fail.
 *
 * For LD_PRELOAD. FAULTS_CONTROL names a file of 512 bytes, which tests/attack/machine.py writes: the seconds that the clock is off
 * (8 bytes), the errno of everything that would change a file (4 bytes, 0 for none), and the directory below which that
 * fails (the rest). What is read still works, as on a medium that went read-only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
    long long offset;
    int number;
    char prefix[500];
};

static volatile struct control *control;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULTS_CONTROL");
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    if (fd < 0)
        return;
    void *found = mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (found != MAP_FAILED)
        control = found;
}

static int below(const char *path)
{
    char prefix[sizeof control->prefix];
    memcpy(prefix, (const char *)control->prefix, sizeof prefix);
    size_t length = strnlen(prefix, sizeof prefix);
    return length && strncmp(path, prefix, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int fails_at(int dir, const char *path)
{
    char full[2 * PATH_MAX], base[PATH_MAX], link[64];
    if (!control || !control->number || !path)
        return 0;
    if (path[0] != '/') {
        snprintf(link, sizeof link, dir == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir);
        ssize_t length = readlink(link, base, sizeof base - 1);
        if (length < 0)
            return 0;
        base[length] = 0;
        snprintf(full, sizeof full, "%s/%s", base, path);
        path = full;
    }
    if (!below(path))
        return 0;
    errno = control->number;
    return 1;
}

static int fails_on(int fd)
{
    char link[64], path[PATH_MAX];
    if (!control || !control->number)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    if (!below(path))
        return 0;
    errno = control->number;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CHANGES(flags) (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & (O_CREAT | O_TRUNC)))

#define OPENER(name)                                                                                                  \
    int name(const char *path, int flags, ...)                                                                        \
    {                                                                                                                 \
        va_list rest;                                                                                                 \
        va_start(rest, flags);                                                                                        \
        int mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, int) : 0;                                           \
        va_end(rest);                                                                                                 \
        return CHANGES(flags) && fails_at(AT_FDCWD, path) ? -1 : REAL(name)(path, flags, mode);                       \
    }
OPENER(open)
OPENER(open64)

#define OPENER_AT(name)                                                                                               \
    int name(int dir, const char *path, int flags, ...)                                                               \
    {                                                                                                                 \
        va_list rest;                                                                                                 \
        va_start(rest, flags);                                                                                        \
        int mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, int) : 0;                                           \
        va_end(rest);                                                                                                 \
        return CHANGES(flags) && fails_at(dir, path) ? -1 : REAL(name)(dir, path, flags, mode);                       \
    }
OPENER_AT(openat)
OPENER_AT(openat64)

#define ON_FD(type, name, parameters, arguments)                                                                      \
    type name parameters { return fails_on(fd) ? -1 : REAL(name) arguments; }
ON_FD(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
ON_FD(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_FD(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
ON_FD(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
ON_FD(int, fsync, (int fd), (fd))
ON_FD(int, fdatasync, (int fd), (fd))
ON_FD(int, ftruncate, (int fd, off_t size), (fd, size))
ON_FD(int, ftruncate64, (int fd, off64_t size), (fd, size))

#define ON_PATH(name, parameters, arguments)                                                                          \
    int name parameters { return fails_at(AT_FDCWD, path) ? -1 : REAL(name) arguments; }
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
ON_PATH(rmdir, (const char *path), (path))
ON_PATH(unlink, (const char *path), (path))
ON_PATH(rename, (const char *path, const char *to), (path, to))
ON_PATH(truncate, (const char *path, off_t size), (path, size))
ON_PATH(truncate64, (const char *path, off64_t size), (path, size))

int unlinkat(int dir, const char *path, int flags)
{
    return fails_at(dir, path) ? -1 : REAL(unlinkat)(dir, path, flags);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
    return fails_at(dir, path) ? -1 : REAL(mkdirat)(dir, path, mode);
}

static long long off(void)
{
    return control ? control->offset : 0;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    int done = (int)syscall(SYS_clock_gettime, id, now);
    if (done == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        now->tv_sec += off();
    return done;
}

time_t time(time_t *where)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where)
        *where = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
