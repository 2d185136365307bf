/*
 * What a program has of its own: namespaces of Linux. namespaces.py says which there are.
 *
 * Directories and the network are the new process's own affair (see). For processes it takes a first one, which never
 * executes the program: a signal that nobody catches does nothing to the first process of a namespace. So it is a copy
 * of us that stays, collects what the program leaves behind, and tells how the program ended (live_first).
 */

#ifndef CONDOR_PY_SPAWN_NAMESPACES_H
#define CONDOR_PY_SPAWN_NAMESPACES_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARED_MEMORY "/dev/shm"

/* Steps of the new process, as spawning.py names them in its errors. */
enum { STEP_NONE, STEP_STREAMS, STEP_GROUP, STEP_IDENTITY, STEP_DIRECTORY, STEP_NAMESPACES, STEP_EXECUTE };

/* What namespaces.py calls by the same names. */
enum { HAS_SHARED_MEMORY = 1, HAS_PROCESSES = 2, HAS_NETWORK = 4, IS_UNPRIVILEGED = 8 };

typedef struct {
    const char *program, *directory;
    char *const *argv, *const *envp, *const *join;
    char *const *covers; /* directory, place, directory, place, ... */
    int own;             /* of HAS_... */
    char uid_map[48], gid_map[48]; /* of a namespace of users, where we are not root (IS_UNPRIVILEGED) */
    int streams[3];
    int become; /* whether the next three count */
    uid_t uid;
    gid_t gid;
    size_t group_count;
    gid_t *groups;
    int mask, nice, stops;
    unsigned long long address_space;
    sigset_t signals; /* as they were before we blocked them all */
    int born;         /* in the group of version 2 */
    pid_t first;      /* process of a namespace of processes, which tells at the next of the program; 0 and -1 */
    int told;
    volatile int begun, step, error;
} Order;

/* A directory of the job, opened with the rights of its owner: he may have put a link there. */
static int
open_as_owner(const Order *order, const char *directory)
{
    int fd;

    if (!order->become)
        return open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (syscall(SYS_setgroups, order->group_count, order->groups) != 0 ||
        syscall(SYS_setresgid, -1, order->gid, -1) != 0 || syscall(SYS_setresuid, -1, order->uid, -1) != 0)
        return -1;
    fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (syscall(SYS_setresuid, -1, 0, -1) != 0 || syscall(SYS_setresgid, -1, 0, -1) != 0)
        return -1;
    return fd;
}

static int
cover(const Order *order, const char *directory, const char *place)
{
    char path[64];
    int fd = open_as_owner(order, directory), result;

    if (fd < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    result = mount(path, place, NULL, order->own & IS_UNPRIVILEGED ? MS_BIND | MS_REC : MS_BIND, NULL);
    close(fd);
    return result;
}

static int
has_mounts(const Order *order)
{
    return *order->covers != NULL || (order->own & (HAS_SHARED_MEMORY | HAS_PROCESSES));
}

/* Namespaces but for that of processes. */
static int
kinds_of(const Order *order)
{
    return (has_mounts(order) ? CLONE_NEWNS : 0) | (order->own & HAS_NETWORK ? CLONE_NEWNET : 0);
}

/* Those that a process has from its birth: who is not root gets others only in one of users, and that cannot be made
 * later by who shares our memory. */
static int
kinds_at_birth(const Order *order)
{
    return order->own & IS_UNPRIVILEGED ? CLONE_NEWUSER | kinds_of(order) : 0;
}

static int
tell_kernel(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t length = (ssize_t)strlen(text), written = fd < 0 ? -1 : write(fd, text, (size_t)length);

    if (fd >= 0)
        close(fd);
    return written == length ? 0 : -1;
}

/* We are inside whom we are outside, and nobody else is anybody there. */
static int
stay_who_we_are(const Order *order)
{
    if (tell_kernel("/proc/self/setgroups", "deny") != 0)
        return -1;
    if (tell_kernel("/proc/self/uid_map", order->uid_map) != 0)
        return -1;
    return tell_kernel("/proc/self/gid_map", order->gid_map);
}

/* In the new process, as root, or in a namespace of users. */
static int
see(const Order *order)
{
    int mounts = has_mounts(order), kinds = kinds_of(order);

    if (order->own & IS_UNPRIVILEGED) {
        if (stay_who_we_are(order) != 0)
            return -1;
        kinds = 0;
    }
    if (kinds && unshare(kinds) != 0)
        return -1;
    if (mounts && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) /* what we mount stays with us */
        return -1;
    for (char *const *pair = order->covers; *pair != NULL; pair += 2)
        if (cover(order, pair[0], pair[1]) != 0)
            return -1;
    if (order->own & HAS_SHARED_MEMORY && access(SHARED_MEMORY, F_OK) == 0 &&
        mount("tmpfs", SHARED_MEMORY, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") != 0)
        return -1;
    if (order->own & HAS_PROCESSES && mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return -1;
    return 0;
}

/* What the first process tells: once how the start went, once how the program ended. The same in namespaces.py. */
typedef struct {
    int64_t step, error;
} Beginning;

typedef struct {
    int64_t status, user, system, max_rss; /* microseconds, KB */
} Ended;

static int64_t
microseconds(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

static void
close_all_but(int kept)
{
    for (int fd = 0; fd < 3; fd++)
        if (fd != kept)
            close(fd);
#ifdef SYS_close_range
    if (kept > 3)
        syscall(SYS_close_range, 3U, (unsigned)kept - 1, 0U);
    if (syscall(SYS_close_range, (unsigned)kept + 1, ~0U, 0U) == 0)
        return;
#endif
    for (long fd = 3, end = sysconf(_SC_OPEN_MAX); fd < end; fd++)
        if (fd != kept)
            close((int)fd);
}

/* Collects what ends, until it is killed. All signals are blocked: what anybody may send is nothing to us. */
static void
live_first(pid_t program, int tell)
{
    struct rusage usage;
    sigset_t ended;
    int status, number;

    prctl(PR_SET_NAME, "condor_pid_ns_i", 0, 0, 0);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    if (chdir("/") != 0)
        return;
    close_all_but(tell);
    for (;;) {
        pid_t pid = wait4(-1, &status, 0, &usage);

        if (pid < 0 && errno == ECHILD)
            sigwait(&ended, &number);
        if (pid != program)
            continue;
        Ended told = {status, microseconds(usage.ru_utime), microseconds(usage.ru_stime), usage.ru_maxrss};

        if (send(tell, &told, sizeof told, MSG_NOSIGNAL) != (ssize_t)sizeof told)
            return;
    }
}

#endif
