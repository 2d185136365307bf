/*
 * A file system that can be told not to answer, for tests: ``hangfs BACKING GATE MOUNTPOINT [options of FUSE]`` shows
 * the directory BACKING. While a file GATE exists every operation on a name or a file waits; what is in the file is a
 * number of milliseconds for which each waits instead, and then goes on.
 */

#define FUSE_USE_VERSION 31
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int backing;
static const char *gate;

static const char *
at(const char *path)
{
    return path[1] ? path + 1 : ".";
}

static void
pass(void)
{
    FILE *file;

    while ((file = fopen(gate, "r")) != NULL) {
        int pause = 0, known = fscanf(file, "%d", &pause);

        fclose(file);
        usleep(known == 1 ? (useconds_t)pause * 1000 : 5000);
        if (known == 1)
            return;
    }
}

static int
result(int value)
{
    return value < 0 ? -errno : 0;
}

static int
hang_getattr(const char *path, struct stat *status, struct fuse_file_info *info)
{
    (void)info;
    pass();
    return result(fstatat(backing, at(path), status, AT_SYMLINK_NOFOLLOW));
}

static int
hang_mkdir(const char *path, mode_t mode)
{
    struct fuse_context *who = fuse_get_context();

    pass();
    if (mkdirat(backing, at(path), mode) < 0)
        return -errno;
    return result(fchownat(backing, at(path), who->uid, who->gid, AT_SYMLINK_NOFOLLOW));
}

static int
hang_unlink(const char *path)
{
    pass();
    return result(unlinkat(backing, at(path), 0));
}

static int
hang_rmdir(const char *path)
{
    pass();
    return result(unlinkat(backing, at(path), AT_REMOVEDIR));
}

static int
hang_rename(const char *from, const char *to, unsigned int flags)
{
    pass();
    return result(renameat2(backing, at(from), backing, at(to), flags));
}

static int
hang_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
    (void)info;
    pass();
    return result(fchmodat(backing, at(path), mode, 0));
}

static int
hang_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
    pass();
    (void)path;
    return info ? result(ftruncate((int)info->fh, size)) : -EINVAL;
}

static int
opened(int handle, struct fuse_file_info *info)
{
    if (handle < 0)
        return -errno;
    info->fh = (uint64_t)handle;
    info->direct_io = 1;
    return 0;
}

static int
hang_open(const char *path, struct fuse_file_info *info)
{
    pass();
    return opened(openat(backing, at(path), (info->flags & ~O_APPEND) | O_CLOEXEC), info);
}

static int
hang_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
    struct fuse_context *who = fuse_get_context();
    int handle;

    pass();
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
    pass();
    count = pread((int)info->fh, data, size, offset);
    return count < 0 ? -errno : (int)count;
}

static int
hang_write(const char *path, const char *data, size_t size, off_t offset, struct fuse_file_info *info)
{
    ssize_t count;

    (void)path;
    pass();
    count = pwrite((int)info->fh, data, size, offset);
    return count < 0 ? -errno : (int)count;
}

static int
hang_fsync(const char *path, int data_only, struct fuse_file_info *info)
{
    (void)path, (void)data_only, (void)info;
    pass();
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
hang_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
             enum fuse_readdir_flags flags)
{
    struct dirent *entry;
    DIR *directory;
    int handle;

    (void)offset, (void)info, (void)flags;
    pass();
    handle = openat(backing, at(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0 || (directory = fdopendir(handle)) == NULL)
        return -errno;
    while ((entry = readdir(directory)) != NULL)
        fill(buffer, entry->d_name, NULL, 0, 0);
    closedir(directory);
    return 0;
}

static const struct fuse_operations operations = {
    .getattr = hang_getattr,
    .mkdir = hang_mkdir,
    .unlink = hang_unlink,
    .rmdir = hang_rmdir,
    .rename = hang_rename,
    .chmod = hang_chmod,
    .truncate = hang_truncate,
    .open = hang_open,
    .create = hang_create,
    .read = hang_read,
    .write = hang_write,
    .fsync = hang_fsync,
    .release = hang_release,
    .readdir = hang_readdir,
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
