/*
 * A file system in trouble, for tests: ``hangfs BACKING GATE MOUNTPOINT [options of FUSE]`` shows the directory BACKING,
 * and does to every call what the file GATE says, for as long as that exists:
 *
 *   (nothing)                             the call waits
 *   MILLISECONDS                          it takes so much longer
 *   fail ERRNO PERMILLE CALLS BYTES SEED  of the calls in CALLS so many of a thousand fail with ERRNO. With BYTES (-1
 *                                         for none) so much may still be written before every write fails.
 *
 * CALLS are letters: g attributes, r read, d list, o open, c make a name, w write, s sync, k close, n rename, u remove,
 * m change attributes or size, O open for writing, l: a handle that has failed once fails for good.
 */

#define FUSE_USE_VERSION 31
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { HANDLES = 1 << 16, TEXT = 128 };

/* What GATE says, and what is left of it. */
struct trouble {
    char text[TEXT], calls[32];
    int number, permille;
    long long bytes;
    unsigned int seed;
};

static int backing;
static const char *gate;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trouble now;
static unsigned char lost[HANDLES];

static const char *
at(const char *path)
{
    return path[1] ? path + 1 : ".";
}

/* Reads GATE; 0 when it does not exist. */
static int
told(char *text)
{
    int handle = open(gate, O_RDONLY | O_CLOEXEC);
    ssize_t count;

    if (handle < 0)
        return 0;
    count = read(handle, text, TEXT - 1);
    close(handle);
    text[count < 0 ? 0 : count] = 0;
    return 1;
}

/* Whether a call fails: 0 or -ERRNO. *size becomes what may still be written. Called under the lock. */
static int
failing(const char *text, char call, size_t *size)
{
    if (strcmp(text, now.text) != 0) {
        memset(&now, 0, sizeof now);
        now.bytes = -1;
        strcpy(now.text, text);
        sscanf(text, "fail %d %d %31s %lld %u", &now.number, &now.permille, now.calls, &now.bytes, &now.seed);
    }
    if (size != NULL && now.bytes >= 0) {
        if (now.bytes == 0)
            return -now.number;
        if ((long long)*size > now.bytes)
            *size = (size_t)now.bytes;
        now.bytes -= (long long)*size;
    }
    if (strchr(now.calls, call) == NULL || rand_r(&now.seed) % 1000 >= now.permille)
        return 0;
    return -now.number;
}

/* Waits, or fails: 0 or -ERRNO. */
static int
pass(char call, struct fuse_file_info *info, size_t *size)
{
    char text[TEXT];
    int pause, failed = 0, handle = info != NULL && info->fh < HANDLES ? (int)info->fh : -1;

    while (told(text)) {
        if (call == 'k' && strncmp(text, "fail", 4) != 0)
            break; /* a process that is killed ends all the same */
        if (strncmp(text, "fail", 4) == 0) {
            pthread_mutex_lock(&lock);
            failed = failing(text, call, size);
            if (failed && handle >= 0 && strchr(now.calls, 'l') != NULL)
                lost[handle] = (unsigned char)-failed;
            pthread_mutex_unlock(&lock);
            break;
        }
        if (sscanf(text, "%d", &pause) == 1) {
            usleep((useconds_t)pause * 1000);
            break;
        }
        usleep(5000);
    }
    return handle >= 0 && lost[handle] ? -lost[handle] : failed;
}

#define PASS(call, info)                                                                                              \
    do {                                                                                                              \
        int failed_ = pass(call, info, NULL);                                                                         \
        if (failed_)                                                                                                  \
            return failed_;                                                                                           \
    } while (0)

static int
result(int value)
{
    return value < 0 ? -errno : 0;
}

/* A new name belongs to the account that made it. */
static int
given(const char *path, int made)
{
    struct fuse_context *who = fuse_get_context();

    return made < 0 ? -errno : result(fchownat(backing, at(path), who->uid, who->gid, AT_SYMLINK_NOFOLLOW));
}

static void *
hang_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->use_ino = 1;
    config->hard_remove = 1;
    config->nullpath_ok = 1;
    config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
    return NULL;
}

static int
hang_getattr(const char *path, struct stat *status, struct fuse_file_info *info)
{
    PASS('g', info);
    if (info != NULL)
        return result(fstat((int)info->fh, status));
    return result(fstatat(backing, at(path), status, AT_SYMLINK_NOFOLLOW));
}

static int
hang_readlink(const char *path, char *buffer, size_t size)
{
    ssize_t count;

    PASS('g', NULL);
    count = readlinkat(backing, at(path), buffer, size - 1);
    if (count < 0)
        return -errno;
    buffer[count] = 0;
    return 0;
}

static int
hang_statfs(const char *path, struct statvfs *status)
{
    (void)path;
    PASS('g', NULL);
    return result(fstatvfs(backing, status));
}

static int
hang_mknod(const char *path, mode_t mode, dev_t device)
{
    PASS('c', NULL);
    return given(path, mknodat(backing, at(path), mode, device));
}

static int
hang_mkdir(const char *path, mode_t mode)
{
    PASS('c', NULL);
    return given(path, mkdirat(backing, at(path), mode));
}

static int
hang_symlink(const char *target, const char *path)
{
    PASS('c', NULL);
    return given(path, symlinkat(target, backing, at(path)));
}

static int
hang_link(const char *from, const char *to)
{
    PASS('c', NULL);
    return result(linkat(backing, at(from), backing, at(to), 0));
}

static int
hang_unlink(const char *path)
{
    PASS('u', NULL);
    return result(unlinkat(backing, at(path), 0));
}

static int
hang_rmdir(const char *path)
{
    PASS('u', NULL);
    return result(unlinkat(backing, at(path), AT_REMOVEDIR));
}

static int
hang_rename(const char *from, const char *to, unsigned int flags)
{
    PASS('n', NULL);
    return result(renameat2(backing, at(from), backing, at(to), flags));
}

static int
hang_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
    PASS('m', info);
    return result(info ? fchmod((int)info->fh, mode) : fchmodat(backing, at(path), mode, 0));
}

static int
hang_chown(const char *path, uid_t user, gid_t group, struct fuse_file_info *info)
{
    PASS('m', info);
    if (info != NULL)
        return result(fchown((int)info->fh, user, group));
    return result(fchownat(backing, at(path), user, group, AT_SYMLINK_NOFOLLOW));
}

static int
hang_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *info)
{
    PASS('m', info);
    if (info != NULL)
        return result(futimens((int)info->fh, times));
    return result(utimensat(backing, at(path), times, AT_SYMLINK_NOFOLLOW));
}

static int
hang_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
    int handle, done;

    PASS('m', info);
    if (info != NULL)
        return result(ftruncate((int)info->fh, size));
    handle = openat(backing, at(path), O_WRONLY | O_CLOEXEC);
    if (handle < 0)
        return -errno;
    done = result(ftruncate(handle, size));
    close(handle);
    return done;
}

static int
opened(int handle, struct fuse_file_info *info)
{
    if (handle < 0)
        return -errno;
    if (handle < HANDLES)
        lost[handle] = 0;
    info->fh = (uint64_t)handle;
    info->direct_io = 1;
    return 0;
}

static int
hang_open(const char *path, struct fuse_file_info *info)
{
    PASS('o', NULL);
    if ((info->flags & O_ACCMODE) != O_RDONLY)
        PASS('O', NULL);
    return opened(openat(backing, at(path), (info->flags & ~O_APPEND) | O_CLOEXEC), info);
}

static int
hang_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
    struct fuse_context *who = fuse_get_context();
    int handle;

    PASS('c', NULL);
    handle = openat(backing, at(path), (info->flags & ~O_APPEND) | O_CREAT | O_CLOEXEC, mode);
    if (handle >= 0 && fchown(handle, who->uid, who->gid) < 0)
        return -errno;
    return opened(handle, info);
}

static int
hang_read(const char *path, char *data, size_t size, off_t offset, struct fuse_file_info *info)
{
    ssize_t count;

    (void)path;
    PASS('r', info);
    count = pread((int)info->fh, data, size, offset);
    return count < 0 ? -errno : (int)count;
}

static int
hang_write(const char *path, const char *data, size_t size, off_t offset, struct fuse_file_info *info)
{
    int failed = pass('w', info, &size);
    ssize_t count;

    (void)path;
    if (failed)
        return failed;
    count = pwrite((int)info->fh, data, size, offset);
    return count < 0 ? -errno : (int)count;
}

static int
hang_fallocate(const char *path, int mode, off_t offset, off_t length, struct fuse_file_info *info)
{
    (void)path;
    PASS('w', info);
    return result(fallocate((int)info->fh, mode, offset, length));
}

static int
hang_fsync(const char *path, int data_only, struct fuse_file_info *info)
{
    (void)path, (void)data_only;
    PASS('s', info);
    return 0;
}

static int
hang_fsyncdir(const char *path, int data_only, struct fuse_file_info *info)
{
    (void)path, (void)data_only, (void)info;
    PASS('s', NULL);
    return 0;
}

static int
hang_flush(const char *path, struct fuse_file_info *info)
{
    (void)path;
    PASS('k', info);
    return 0;
}

static int
hang_release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    close((int)info->fh);
    return 0;
}

static int
hang_opendir(const char *path, struct fuse_file_info *info)
{
    int handle;

    PASS('d', NULL);
    handle = openat(backing, at(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return -errno;
    info->fh = (uint64_t)handle;
    return 0;
}

static int
hang_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
             enum fuse_readdir_flags flags)
{
    struct dirent *entry;
    DIR *directory;
    int handle;

    (void)path, (void)offset, (void)flags;
    PASS('d', NULL);
    handle = openat((int)info->fh, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* may be read several times */
    if (handle < 0 || (directory = fdopendir(handle)) == NULL)
        return -errno;
    while ((entry = readdir(directory)) != NULL)
        fill(buffer, entry->d_name, NULL, 0, 0);
    closedir(directory);
    return 0;
}

static const struct fuse_operations operations = {
    .init = hang_init,
    .getattr = hang_getattr,
    .readlink = hang_readlink,
    .statfs = hang_statfs,
    .mknod = hang_mknod,
    .mkdir = hang_mkdir,
    .symlink = hang_symlink,
    .link = hang_link,
    .unlink = hang_unlink,
    .rmdir = hang_rmdir,
    .rename = hang_rename,
    .chmod = hang_chmod,
    .chown = hang_chown,
    .utimens = hang_utimens,
    .truncate = hang_truncate,
    .open = hang_open,
    .create = hang_create,
    .read = hang_read,
    .write = hang_write,
    .fallocate = hang_fallocate,
    .fsync = hang_fsync,
    .fsyncdir = hang_fsyncdir,
    .flush = hang_flush,
    .release = hang_release,
    .opendir = hang_opendir,
    .readdir = hang_readdir,
    .releasedir = hang_release,
};

int
main(int count, char **words)
{
    if (count < 4) {
        fprintf(stderr, "usage: hangfs BACKING GATE MOUNTPOINT [options of FUSE]\n");
        return 2;
    }
    backing = open(words[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (backing < 0) {
        perror(words[1]);
        return 1;
    }
    gate = words[2];
    words[2] = words[0];
    return fuse_main(count - 2, words + 2, &operations, NULL);
}
