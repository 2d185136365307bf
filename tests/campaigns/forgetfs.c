/*
 * A file system in memory that forgets what was not flushed, for tests of power loss: ``forgetfs MOUNTPOINT``.
 *
 * It is told what to do on standard input, a line each, and answers with a line each:
 *
 *   count                    the number of flushes so far
 *   arm N before|unacked|after
 *                            lose the power at the Nth flush from now: before anything of it is done, when it is done
 *                            and not acknowledged, or when it is acknowledged
 *   crash                    lose the power now
 *   recover SEED MODEL       come up again, with a content that the seed chooses among those that a machine may find
 *   save N, load N           keep the content (everything counts as flushed), as number 0 or 1; go back to it
 *
 * When the power is lost at a flush it says so by itself: "crashed N". From then on nothing is answered; what still
 * waits for an answer gets an error when the file system comes up again: kill it before. At the end of its input it
 * unmounts and ends. A flush is an fsync or fdatasync of a file or directory, or a write with O_SYNC or O_DSYNC.
 * sync_file_range and writes through a mapping without msync flush nothing.
 *
 * What a content after a crash may be: of each file what was flushed, and of the changes behind that none, all, the
 * first ones (the last of them torn at a sector), or each block of 4 KiB in its old or its new state, with any size
 * that the file had meanwhile; what was never written reads as zeros. Of names and attributes, in the MODEL
 *
 *   journal   (ext4, xfs) the first changes, in their order over the whole file system, at least up to the last flush
 *             that had to write anything but the content of a file whose size was flushed before;
 *   strict    (what POSIX promises, and no more) the first changes of each directory, at least up to its last fsync;
 *             a rename between two directories is in both or in none. The fsync of a file does not keep its name.
 *   all       everything was flushed in time.
 */

#define FUSE_USE_VERSION 34
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096u
#define SECTOR 512u
#define FOREVER 86400.0
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* A change of a file's content: bytes at an offset, or, without bytes, a new size. */
struct change {
    size_t offset, length;
    char *bytes;
};

struct content {
    char *bytes;
    size_t size, room;
};

struct entry {
    char *name;
    uint32_t node;
};

struct names {
    struct entry *list;
    size_t count, room;
};

struct attributes {
    mode_t mode;
    uid_t uid;
    gid_t gid;
    dev_t device;
    struct timespec atime, mtime, ctime;
};

/* A file, directory or anything else. Its number is its place in ``nodes``. */
struct node {
    bool used;
    struct attributes attributes, flushed_attributes;
    uint32_t links, parent;
    struct content content, flushed;
    struct change *changes;
    size_t change_count, change_room;
    struct names names, flushed_names;
};

/* A change of names or attributes. ``node`` gets the name ``to`` in the directory ``to_directory``, and loses ``from``
 * in ``from_directory``; directory 0 is none. ``other`` gets ``from`` in an exchange. */
struct step {
    uint32_t from_directory, to_directory, node, other;
    char *from, *to;
    struct attributes attributes;
    bool kept;
};

static struct node *nodes;
static uint32_t node_count;
static struct step *steps;
static size_t step_count, step_room;
/* In the model ``journal``: so many of the steps are on the medium. */
static size_t committed;

static unsigned long flushes, crash_at;
static enum { BEFORE, UNACKED, AFTER } crash_when;
static bool dead;
static struct fuse_session *session;
static const char *mountpoint;

/* -- chance ------------------------------------------------------------------------------------------------------- */

static uint64_t chance;

/* A number below ``limit`` (splitmix64). */
static size_t
below(size_t limit)
{
    uint64_t z = (chance += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (size_t)((z ^ (z >> 31)) % limit);
}

/* -- memory ------------------------------------------------------------------------------------------------------- */

static void *
checked(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "forgetfs: no memory\n");
        exit(1);
    }
    return memory;
}

static char *
copy_of(const char *text)
{
    return checked(strdup(text));
}

#define GROW(list, count, room)                                                                                       \
    do {                                                                                                              \
        if ((count) == (room)) {                                                                                      \
            (room) = (room) ? 2 * (room) : 8;                                                                         \
            (list) = checked(realloc((list), (room) * sizeof *(list)));                                               \
        }                                                                                                             \
    } while (0)

/* -- content ------------------------------------------------------------------------------------------------------ */

static void
resize(struct content *content, size_t size)
{
    if (size > content->room) {
        content->room = MAX(size, 2 * content->room);
        content->bytes = checked(realloc(content->bytes, content->room));
    }
    if (size > content->size)
        memset(content->bytes + content->size, 0, size - content->size);
    content->size = size;
}

static void
apply(struct content *content, const struct change *change)
{
    if (change->bytes == NULL) {
        resize(content, change->offset);
        return;
    }
    if (change->offset + change->length > content->size)
        resize(content, change->offset + change->length);
    memcpy(content->bytes + change->offset, change->bytes, change->length);
}

static struct content
content_copy(const struct content *of)
{
    struct content copy = {0};

    resize(&copy, of->size);
    if (of->size)
        memcpy(copy.bytes, of->bytes, of->size);
    return copy;
}

static void
forget_changes(struct node *node)
{
    for (size_t i = 0; i < node->change_count; i++)
        free(node->changes[i].bytes);
    node->change_count = 0;
}

static void
change(struct node *node, size_t offset, const char *bytes, size_t length)
{
    struct change new = {offset, length, NULL};

    if (bytes != NULL) {
        new.bytes = checked(malloc(length ? length : 1));
        memcpy(new.bytes, bytes, length);
    }
    GROW(node->changes, node->change_count, node->change_room);
    node->changes[node->change_count++] = new;
    apply(&node->content, &new);
    clock_gettime(CLOCK_REALTIME, &node->attributes.mtime);
    node->attributes.ctime = node->attributes.mtime;
}

/* Flushes a file's content; whether its size changed with that. */
static bool
flush_content(struct node *node)
{
    size_t before = node->flushed.size;

    for (size_t i = 0; i < node->change_count; i++)
        apply(&node->flushed, &node->changes[i]);
    forget_changes(node);
    return node->flushed.size != before;
}

/* The blocks that were changed get their old or new state, each by chance. ``new`` is the content then. */
static void
mix_blocks(const struct node *node, struct content *new, size_t count)
{
    const struct content *old = &node->flushed;
    size_t odds = 1 + below(4);

    for (size_t block = 0; block < new->size; block += BLOCK) {
        size_t length = MIN(BLOCK, new->size - block), stop = block + length, first = block;
        bool changed = false;

        for (size_t i = 0; i < count && !changed; i++) {
            const struct change *each = &node->changes[i];

            changed = each->bytes == NULL || (each->offset < stop && each->offset + each->length > block);
        }
        if (!changed || below(5) < odds)
            continue;
        if (below(3) == 0) /* a torn block: its first sectors are new */
            first = MIN(stop, block + SECTOR * below(BLOCK / SECTOR));
        for (size_t at = first; at < stop; at++)
            new->bytes[at] = at < old->size ? old->bytes[at] : 0;
    }
}

/* The content of a file after a crash. */
static struct content
survivor(const struct node *node)
{
    struct content found = content_copy(&node->flushed);
    size_t way = below(10), count = node->change_count;

    if (count == 0 || way < 2)
        return found;
    if (way >= 4)
        count = 1 + below(count);
    for (size_t i = 0; i < count; i++) {
        struct change each = node->changes[i];

        if (i == count - 1 && way >= 4 && way < 7 && each.bytes != NULL) {
            size_t end = each.offset + below(each.length + SECTOR);

            end = MIN(end - end % SECTOR, each.offset + each.length);
            each.length = end > each.offset ? end - each.offset : 0;
        }
        apply(&found, &each);
    }
    if (way >= 7)
        mix_blocks(node, &found, count);
    return found;
}

/* -- names -------------------------------------------------------------------------------------------------------- */

static struct entry *
find(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i].name, name) == 0)
            return &names->list[i];
    return NULL;
}

static void
put(struct names *names, const char *name, uint32_t node)
{
    struct entry *entry = find(names, name);

    if (entry != NULL) {
        entry->node = node;
        return;
    }
    GROW(names->list, names->count, names->room);
    names->list[names->count++] = (struct entry){copy_of(name), node};
}

static void
take(struct names *names, const char *name)
{
    struct entry *entry = find(names, name);

    if (entry == NULL)
        return;
    free(entry->name);
    *entry = names->list[--names->count];
}

static void
clear(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i].name);
    names->count = 0;
}

static struct names
names_copy(const struct names *of)
{
    struct names copy = {0};

    for (size_t i = 0; i < of->count; i++)
        put(&copy, of->list[i].name, of->list[i].node);
    return copy;
}

static void
note_step(struct step step)
{
    GROW(steps, step_count, step_room);
    steps[step_count++] = step;
}

static void
note_name(uint32_t from_directory, const char *from, uint32_t to_directory, const char *to, uint32_t node,
          uint32_t other)
{
    struct step step = {.from_directory = from_directory, .to_directory = to_directory, .node = node, .other = other};

    step.from = from ? copy_of(from) : NULL;
    step.to = to ? copy_of(to) : NULL;
    note_step(step);
}

static void
note_attributes(uint32_t number)
{
    note_step((struct step){.node = number, .attributes = nodes[number].attributes});
}

static bool
is_name(const struct step *step)
{
    return step->from_directory || step->to_directory;
}

static void
play(const struct step *step)
{
    if (!is_name(step)) {
        nodes[step->node].flushed_attributes = step->attributes;
        return;
    }
    if (step->from_directory) {
        if (step->other)
            put(&nodes[step->from_directory].flushed_names, step->from, step->other);
        else
            take(&nodes[step->from_directory].flushed_names, step->from);
    }
    if (step->to_directory)
        put(&nodes[step->to_directory].flushed_names, step->to, step->node);
}

static void
forget_steps(void)
{
    for (size_t i = 0; i < step_count; i++) {
        free(steps[i].from);
        free(steps[i].to);
    }
    step_count = committed = 0;
}

/* The steps of a directory, or the attributes of a file, are on the medium, and what these steps build on. */
static void
keep_steps(uint32_t number)
{
    bool *wanted = checked(calloc(node_count, 1));

    wanted[number] = true;
    for (size_t i = step_count; i-- > 0;) {
        struct step *step = &steps[i];

        if (!is_name(step)) {
            step->kept |= wanted[step->node];
        } else if (wanted[step->from_directory] || wanted[step->to_directory]) {
            step->kept = true;
            wanted[step->from_directory] |= step->from_directory != 0;
            wanted[step->to_directory] |= step->to_directory != 0;
        }
    }
    free(wanted);
}

/* Which steps a crash leaves. */
static void
choose_steps(const char *model)
{
    bool *stopped = checked(calloc(node_count, 1));
    size_t first = committed + below(step_count - committed + 1), odds = below(5);

    if (below(4) == 0)
        first = committed;
    for (size_t i = 0; i < step_count; i++) {
        struct step *step = &steps[i];
        uint32_t from = is_name(step) ? step->from_directory : step->node;
        uint32_t to = is_name(step) ? step->to_directory : step->node;

        if (strcmp(model, "all") == 0)
            step->kept = true;
        else if (strcmp(model, "journal") == 0)
            step->kept = i < first;
        else if (!step->kept)
            step->kept = !stopped[from] && !stopped[to] && below(8) >= odds;
        if (!step->kept) {
            stopped[from] |= from != 0;
            stopped[to] |= to != 0;
        }
        if (step->kept)
            play(step);
    }
    free(stopped);
    forget_steps();
}

/* -- nodes -------------------------------------------------------------------------------------------------------- */

static uint32_t
new_node(mode_t mode, dev_t device, uid_t uid, gid_t gid)
{
    uint32_t number = 1;
    struct node *node;

    while (number < node_count && nodes[number].used)
        number++;
    if (number >= node_count) {
        uint32_t before = node_count;

        node_count = before ? 2 * before : 1024;
        nodes = checked(realloc(nodes, node_count * sizeof *nodes));
        memset(nodes + before, 0, (node_count - before) * sizeof *nodes);
    }
    node = &nodes[number];
    memset(node, 0, sizeof *node);
    node->used = true;
    node->attributes = (struct attributes){.mode = mode, .uid = uid, .gid = gid, .device = device};
    clock_gettime(CLOCK_REALTIME, &node->attributes.mtime);
    node->attributes.atime = node->attributes.ctime = node->attributes.mtime;
    node->flushed_attributes = node->attributes;
    return number;
}

static void
free_node(struct node *node)
{
    forget_changes(node);
    free(node->changes);
    free(node->content.bytes);
    free(node->flushed.bytes);
    clear(&node->names);
    clear(&node->flushed_names);
    free(node->names.list);
    free(node->flushed_names.list);
    memset(node, 0, sizeof *node);
}

/* Counts links from a directory down, by what is flushed, and gives each directory its parent. */
static void
count_links(uint32_t number, uint32_t parent)
{
    struct node *node = &nodes[number];

    if (S_ISDIR(node->attributes.mode) && node->links++)
        return;
    node->parent = parent;
    for (size_t i = 0; i < node->flushed_names.count; i++) {
        uint32_t each = node->flushed_names.list[i].node;

        if (S_ISDIR(nodes[each].attributes.mode))
            count_links(each, number);
        else
            nodes[each].links++;
    }
}

/* Everything is as it is on the medium; what has no name left goes. */
static void
settle(void)
{
    for (uint32_t i = 1; i < node_count; i++)
        nodes[i].links = 0;
    count_links(FUSE_ROOT_ID, FUSE_ROOT_ID);
    for (uint32_t i = 1; i < node_count; i++) {
        struct node *node = &nodes[i];

        if (!node->used)
            continue;
        if (node->links == 0) {
            free_node(node);
            continue;
        }
        clear(&node->names);
        free(node->names.list);
        node->names = names_copy(&node->flushed_names);
        node->attributes = node->flushed_attributes;
        free(node->content.bytes);
        node->content = content_copy(&node->flushed);
    }
}

static void
recover(const char *model)
{
    bool all = strcmp(model, "all") == 0;

    for (uint32_t i = 1; i < node_count; i++) {
        struct node *node = &nodes[i];
        struct content found;

        if (!node->used || node->change_count == 0)
            continue;
        if (all) {
            flush_content(node);
        } else {
            found = survivor(node);
            free(node->flushed.bytes);
            node->flushed = found;
            forget_changes(node);
        }
        if (all || below(2)) {
            node->flushed_attributes.mtime = node->attributes.mtime;
            node->flushed_attributes.ctime = node->attributes.ctime;
        }
    }
    choose_steps(model);
    settle();
}

/* -- the saved content -------------------------------------------------------------------------------------------- */

static struct {
    struct node *nodes;
    uint32_t count;
} saved[2];

static struct node *
nodes_copy(const struct node *of, uint32_t count)
{
    struct node *copy = checked(calloc(count, sizeof *copy));

    for (uint32_t i = 1; i < count; i++) {
        if (!of[i].used)
            continue;
        copy[i] = of[i];
        copy[i].changes = NULL;
        copy[i].change_count = copy[i].change_room = 0;
        copy[i].content = content_copy(&of[i].content);
        copy[i].flushed = content_copy(&of[i].flushed);
        copy[i].names = names_copy(&of[i].names);
        copy[i].flushed_names = names_copy(&of[i].flushed_names);
    }
    return copy;
}

static void
free_nodes(struct node *list, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        free_node(&list[i]);
    free(list);
}

static void
save(size_t number)
{
    recover("all");
    if (saved[number].nodes != NULL)
        free_nodes(saved[number].nodes, saved[number].count);
    saved[number].nodes = nodes_copy(nodes, node_count);
    saved[number].count = node_count;
}

static void
load(size_t number)
{
    if (saved[number].nodes == NULL)
        return;
    forget_steps();
    free_nodes(nodes, node_count);
    nodes = nodes_copy(saved[number].nodes, saved[number].count);
    node_count = saved[number].count;
}

/* -- flushes and the end of power --------------------------------------------------------------------------------- */

static void
tell(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    putchar('\n');
    fflush(stdout);
}

static void
lose_power(fuse_req_t unanswered)
{
    if (unanswered != NULL)
        fuse_reply_none(unanswered);
    dead = true;
    crash_at = 0;
    tell("crashed %lu", flushes);
}

/* One flush: of a file's content or of a directory's names. ``answer`` acknowledges it. */
static void
flush(fuse_req_t req, uint32_t number, bool data_only, void (*answer)(fuse_req_t, size_t), size_t value)
{
    struct node *node = &nodes[number];
    bool now = ++flushes == crash_at, is_directory = S_ISDIR(node->attributes.mode);

    if (now && crash_when == BEFORE) {
        lose_power(req);
        return;
    }
    if (flush_content(node) || !data_only || is_directory) {
        committed = step_count;
        keep_steps(number);
        node->flushed_attributes.mtime = node->attributes.mtime;
    }
    if (now && crash_when == UNACKED) {
        lose_power(req);
        return;
    }
    answer(req, value);
    if (now)
        lose_power(NULL);
}

static void
answer_done(fuse_req_t req, size_t value)
{
    (void)value;
    fuse_reply_err(req, 0);
}

static void
answer_written(fuse_req_t req, size_t value)
{
    fuse_reply_write(req, value);
}

/* -- operations --------------------------------------------------------------------------------------------------- */

static struct stat
stat_of(uint32_t number)
{
    const struct node *node = &nodes[number];
    struct stat found = {0};

    found.st_ino = number;
    found.st_mode = node->attributes.mode;
    found.st_uid = node->attributes.uid;
    found.st_gid = node->attributes.gid;
    found.st_rdev = node->attributes.device;
    found.st_nlink = node->links + (S_ISDIR(node->attributes.mode) ? 1 : 0);
    found.st_size = (off_t)node->content.size;
    found.st_blocks = (blkcnt_t)((node->content.size + SECTOR - 1) / SECTOR);
    found.st_blksize = BLOCK;
    found.st_atim = node->attributes.atime;
    found.st_mtim = node->attributes.mtime;
    found.st_ctim = node->attributes.ctime;
    return found;
}

static struct fuse_entry_param
entry_of(uint32_t number)
{
    struct fuse_entry_param entry = {.ino = number, .attr_timeout = FOREVER, .entry_timeout = FOREVER};

    entry.attr = stat_of(number);
    return entry;
}

static void
touch(uint32_t directory)
{
    clock_gettime(CLOCK_REALTIME, &nodes[directory].attributes.mtime);
    nodes[directory].attributes.ctime = nodes[directory].attributes.mtime;
}

static void
forget_lookup(fuse_req_t req, fuse_ino_t ino, uint64_t count)
{
    (void)ino, (void)count; /* nodes stay until the power is lost */
    fuse_reply_none(req);
}

static void
forget_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
    struct stat found = stat_of((uint32_t)ino);

    (void)info;
    fuse_reply_attr(req, &found, FOREVER);
}

static void
look_up(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct entry *entry = find(&nodes[parent].names, name);
    struct fuse_entry_param found;

    if (entry == NULL) {
        fuse_reply_err(req, ENOENT);
        return;
    }
    found = entry_of(entry->node);
    fuse_reply_entry(req, &found);
}

static void
set_attributes(fuse_req_t req, fuse_ino_t ino, struct stat *wanted, int which, struct fuse_file_info *info)
{
    struct node *node = &nodes[ino];
    struct attributes *has = &node->attributes;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (which & FUSE_SET_ATTR_SIZE)
        change(node, (size_t)wanted->st_size, NULL, 0);
    if (which & FUSE_SET_ATTR_MODE)
        has->mode = (has->mode & S_IFMT) | (wanted->st_mode & 07777);
    if (which & FUSE_SET_ATTR_UID)
        has->uid = wanted->st_uid;
    if (which & FUSE_SET_ATTR_GID)
        has->gid = wanted->st_gid;
    if (which & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW))
        has->atime = which & FUSE_SET_ATTR_ATIME_NOW ? now : wanted->st_atim;
    if (which & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW))
        has->mtime = which & FUSE_SET_ATTR_MTIME_NOW ? now : wanted->st_mtim;
    has->ctime = now;
    if (which & ~FUSE_SET_ATTR_SIZE)
        note_attributes((uint32_t)ino);
    forget_getattr(req, ino, info);
}

/* A new node with a name. 0, having answered, when the name is taken. */
static uint32_t
named(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t device)
{
    const struct fuse_ctx *who = fuse_req_ctx(req);
    uint32_t number;
    gid_t gid = who->gid;

    if (find(&nodes[parent].names, name) != NULL) {
        fuse_reply_err(req, EEXIST);
        return 0;
    }
    if (nodes[parent].attributes.mode & S_ISGID) {
        gid = nodes[parent].attributes.gid;
        mode |= S_ISDIR(mode) ? S_ISGID : 0;
    }
    number = new_node(mode, device, who->uid, gid);
    nodes[number].links = 1;
    nodes[number].parent = (uint32_t)parent;
    put(&nodes[parent].names, name, number);
    note_name(0, NULL, (uint32_t)parent, name, number, 0);
    touch((uint32_t)parent);
    return number;
}

static void
answer_entry(fuse_req_t req, uint32_t number)
{
    struct fuse_entry_param found;

    if (number == 0)
        return;
    found = entry_of(number);
    fuse_reply_entry(req, &found);
}

static void
make_node(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t device)
{
    answer_entry(req, named(req, parent, name, mode, device));
}

static void
make_directory(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
    answer_entry(req, named(req, parent, name, S_IFDIR | mode, 0));
}

static void
make_link(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
    uint32_t number = named(req, parent, name, S_IFLNK | 0777, 0);
    struct change whole = {0, strlen(target), (char *)(uintptr_t)target};

    if (number) { /* the target of a link is part of its inode */
        apply(&nodes[number].content, &whole);
        apply(&nodes[number].flushed, &whole);
    }
    answer_entry(req, number);
}

static void
read_link(fuse_req_t req, fuse_ino_t ino)
{
    struct content *content = &nodes[ino].content;
    char *target = checked(strndup(content->bytes ? content->bytes : "", content->size));

    fuse_reply_readlink(req, target);
    free(target);
}

static void
hard_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
    if (find(&nodes[parent].names, name) != NULL) {
        fuse_reply_err(req, EEXIST);
        return;
    }
    nodes[ino].links++;
    put(&nodes[parent].names, name, (uint32_t)ino);
    note_name(0, NULL, (uint32_t)parent, name, (uint32_t)ino, 0);
    touch((uint32_t)parent);
    answer_entry(req, (uint32_t)ino);
}

static void
remove_name(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct entry *entry = find(&nodes[parent].names, name);
    struct node *node;

    if (entry == NULL) {
        fuse_reply_err(req, ENOENT);
        return;
    }
    node = &nodes[entry->node];
    if (S_ISDIR(node->attributes.mode) && node->names.count) {
        fuse_reply_err(req, ENOTEMPTY);
        return;
    }
    note_name((uint32_t)parent, name, 0, NULL, entry->node, 0);
    node->links--;
    take(&nodes[parent].names, name);
    touch((uint32_t)parent);
    fuse_reply_err(req, 0);
}

static void
move(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to_parent, const char *to, unsigned int flags)
{
    struct entry *from = find(&nodes[parent].names, name), *there = find(&nodes[to_parent].names, to);
    uint32_t number, other = there ? there->node : 0;

    if (from == NULL || ((flags & RENAME_EXCHANGE) && there == NULL)) {
        fuse_reply_err(req, ENOENT);
        return;
    }
    number = from->node;
    if (there != NULL && (flags & RENAME_NOREPLACE)) {
        fuse_reply_err(req, EEXIST);
        return;
    }
    if (other == number) {
        fuse_reply_err(req, 0);
        return;
    }
    if (flags & RENAME_EXCHANGE) {
        from->node = other;
        there->node = number;
        nodes[other].parent = (uint32_t)parent;
    } else {
        if (other && S_ISDIR(nodes[other].attributes.mode) && nodes[other].names.count) {
            fuse_reply_err(req, ENOTEMPTY);
            return;
        }
        if (other)
            nodes[other].links--;
        take(&nodes[parent].names, name);
        put(&nodes[to_parent].names, to, number);
        other = 0;
    }
    nodes[number].parent = (uint32_t)to_parent;
    note_name((uint32_t)parent, name, (uint32_t)to_parent, to, number, other);
    touch((uint32_t)parent);
    touch((uint32_t)to_parent);
    fuse_reply_err(req, 0);
}

static void
open_file(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
    if (info->flags & O_TRUNC)
        change(&nodes[ino], 0, NULL, 0);
    fuse_reply_open(req, info);
}

static void
create_file(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *info)
{
    uint32_t number = named(req, parent, name, S_IFREG | (mode & 07777), 0);
    struct fuse_entry_param found;

    if (number == 0)
        return;
    found = entry_of(number);
    fuse_reply_create(req, &found, info);
}

static void
read_file(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *info)
{
    struct content *content = &nodes[ino].content;
    size_t begin = MIN((size_t)offset, content->size);

    (void)info;
    fuse_reply_buf(req, content->bytes ? content->bytes + begin : "", MIN(size, content->size - begin));
}

static void
write_file(fuse_req_t req, fuse_ino_t ino, const char *bytes, size_t size, off_t offset, struct fuse_file_info *info)
{
    struct node *node = &nodes[ino];

    change(node, (size_t)offset, bytes, size);
    if (info->flags & (O_SYNC | O_DSYNC) && !info->writepage)
        flush(req, (uint32_t)ino, true, answer_written, size);
    else
        fuse_reply_write(req, size);
}

static void
allocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length, struct fuse_file_info *info)
{
    struct node *node = &nodes[ino];
    size_t end = (size_t)(offset + length);

    (void)info;
    if (mode != 0) {
        fuse_reply_err(req, EOPNOTSUPP);
        return;
    }
    if (end > node->content.size)
        change(node, end, NULL, 0);
    fuse_reply_err(req, 0);
}

static void
sync_file(fuse_req_t req, fuse_ino_t ino, int data_only, struct fuse_file_info *info)
{
    (void)info;
    flush(req, (uint32_t)ino, data_only != 0, answer_done, 0);
}

static void
close_file(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
    (void)ino, (void)info;
    fuse_reply_err(req, 0);
}

/* An open directory: its entries when it was last read from the beginning. */
struct listing {
    char *bytes;
    size_t size, room;
};

static void
list_entry(fuse_req_t req, struct listing *listing, const char *name, uint32_t number)
{
    struct stat status = {.st_ino = number, .st_mode = nodes[number].attributes.mode};
    size_t length = fuse_add_direntry(req, NULL, 0, name, NULL, 0);

    if (listing->size + length > listing->room) {
        listing->room = 2 * (listing->size + length);
        listing->bytes = checked(realloc(listing->bytes, listing->room));
    }
    fuse_add_direntry(req, listing->bytes + listing->size, length, name, &status, (off_t)(listing->size + length));
    listing->size += length;
}

static void
open_directory(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
    (void)ino;
    info->fh = (uint64_t)(uintptr_t)checked(calloc(1, sizeof(struct listing)));
    fuse_reply_open(req, info);
}

static void
read_directory(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *info)
{
    struct listing *listing = (struct listing *)(uintptr_t)info->fh;
    struct node *node = &nodes[ino];
    size_t begin = (size_t)offset, end = begin;

    if (offset == 0) {
        listing->size = 0;
        list_entry(req, listing, ".", (uint32_t)ino);
        list_entry(req, listing, "..", node->parent);
        for (size_t i = 0; i < node->names.count; i++)
            list_entry(req, listing, node->names.list[i].name, node->names.list[i].node);
    }
    while (end < listing->size) { /* whole entries only */
        uint32_t name_length;
        size_t length;

        memcpy(&name_length, listing->bytes + end + 16, sizeof name_length);
        length = (24 + name_length + 7) & ~(size_t)7;
        if (end + length - begin > size)
            break;
        end += length;
    }
    fuse_reply_buf(req, begin < end ? listing->bytes + begin : NULL, end - MIN(begin, end));
}

static void
close_directory(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
    struct listing *listing = (struct listing *)(uintptr_t)info->fh;

    (void)ino;
    free(listing->bytes);
    free(listing);
    fuse_reply_err(req, 0);
}

static void
sync_directory(fuse_req_t req, fuse_ino_t ino, int data_only, struct fuse_file_info *info)
{
    (void)data_only, (void)info;
    flush(req, (uint32_t)ino, false, answer_done, 0);
}

static void
space(fuse_req_t req, fuse_ino_t ino)
{
    struct statvfs found = {.f_bsize = BLOCK, .f_frsize = BLOCK, .f_blocks = 1 << 24, .f_bfree = 1 << 23,
                            .f_bavail = 1 << 23, .f_files = 1 << 20, .f_ffree = 1 << 19, .f_favail = 1 << 19,
                            .f_namemax = 255};

    (void)ino;
    fuse_reply_statfs(req, &found);
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = look_up,
    .forget = forget_lookup,
    .getattr = forget_getattr,
    .setattr = set_attributes,
    .readlink = read_link,
    .mknod = make_node,
    .mkdir = make_directory,
    .unlink = remove_name,
    .rmdir = remove_name,
    .symlink = make_link,
    .rename = move,
    .link = hard_link,
    .open = open_file,
    .create = create_file,
    .read = read_file,
    .write = write_file,
    .fallocate = allocate,
    .fsync = sync_file,
    .release = close_file,
    .opendir = open_directory,
    .readdir = read_directory,
    .releasedir = close_directory,
    .fsyncdir = sync_directory,
    .statfs = space,
};

/* -- mounting and orders ------------------------------------------------------------------------------------------ */

static int
mount_it(void)
{
    char *words[] = {"forgetfs", "-o", "allow_other,default_permissions,fsname=forgetfs"};
    struct fuse_args args = FUSE_ARGS_INIT(3, words);

    session = fuse_session_new(&args, &operations, sizeof operations, NULL);
    fuse_opt_free_args(&args);
    return session != NULL && fuse_session_mount(session, mountpoint) == 0;
}

static void
unmount_it(void)
{
    fuse_session_unmount(session);
    fuse_session_destroy(session);
}

/* Comes up with another content. */
static void
come_up(void (*change_content)(const char *), const char *word)
{
    unmount_it();
    change_content(word);
    dead = false;
    crash_at = 0;
    tell(mount_it() ? "up" : "cannot mount");
}

static void
do_save(const char *word)
{
    save(word[0] == '1');
}

static void
do_load(const char *word)
{
    load(word[0] == '1');
}

static void
obey(const char *line)
{
    char word[32] = "";
    unsigned long number = 0;

    if (strcmp(line, "count") == 0) {
        tell("%lu", flushes);
    } else if (sscanf(line, "arm %lu %31s", &number, word) == 2) {
        crash_at = flushes + number;
        crash_when = strcmp(word, "before") == 0 ? BEFORE : strcmp(word, "unacked") == 0 ? UNACKED : AFTER;
        tell("armed");
    } else if (strcmp(line, "crash") == 0) {
        if (dead)
            tell("crashed %lu", flushes);
        else
            lose_power(NULL);
    } else if (sscanf(line, "recover %lu %31s", &number, word) == 2) {
        chance = number;
        come_up(recover, word);
    } else if (sscanf(line, "save %31s", word) == 1) {
        come_up(do_save, word);
    } else if (sscanf(line, "load %31s", word) == 1) {
        come_up(do_load, word);
    } else {
        tell("what is '%s'?", line);
    }
}

/* Reads orders; false at the end of them. */
static bool
hear(void)
{
    static char line[256];
    static size_t length;
    char part[256];
    ssize_t count = read(STDIN_FILENO, part, sizeof part);

    if (count <= 0)
        return count < 0 && errno == EINTR;
    for (ssize_t i = 0; i < count; i++) {
        if (part[i] == '\n') {
            line[length] = '\0';
            length = 0;
            obey(line);
        } else if (length + 1 < sizeof line) {
            line[length++] = part[i];
        }
    }
    return true;
}

int
main(int count, char **words)
{
    struct fuse_buf buffer = {0};

    if (count != 2) {
        fprintf(stderr, "usage: forgetfs MOUNTPOINT\n");
        return 2;
    }
    mountpoint = words[1];
    new_node(S_IFDIR | 0755, 0, getuid(), getgid()); /* the root has number 1 */
    nodes[FUSE_ROOT_ID].links = 1;
    nodes[FUSE_ROOT_ID].parent = FUSE_ROOT_ID;
    if (!mount_it()) {
        fprintf(stderr, "forgetfs: cannot mount at %s\n", mountpoint);
        return 1;
    }
    tell("up");
    for (;;) {
        struct pollfd watched[2] = {{STDIN_FILENO, POLLIN, 0}, {dead ? -1 : fuse_session_fd(session), POLLIN, 0}};

        if (poll(watched, 2, -1) < 0 && errno != EINTR)
            break;
        if (watched[0].revents && !hear())
            break;
        if (!dead && watched[1].revents && watched[1].fd == fuse_session_fd(session)) {
            struct pollfd again = {watched[1].fd, POLLIN, 0};

            if (poll(&again, 1, 0) != 1)
                continue;
            if (fuse_session_receive_buf(session, &buffer) > 0)
                fuse_session_process_buf(session, &buffer);
            else if (fuse_session_exited(session))
                break;
        }
    }
    unmount_it();
    return 0;
}
