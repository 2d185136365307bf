/*
 * Reading a log that lies in a file: a few windows onto it, because what belongs to one ad often lies in two or three
 * places, and neighbours of one ad in the neighbourhood of the same places. Where windows do not help (ads that changed
 * in any order), the whole file is read once.
 * With an index a question about one of 100,000 jobs so reads a few windows of 64 KB and not 27 MB (tests/bench/rows/queue.py).
 */

#include "_logsource.h"

#include <errno.h>
#include <unistd.h>

#define WINDOW_BYTES (64u << 10)

static size_t
read_into(Source *source, char *to, uint64_t at, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got = pread(source->fd, to + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            source->error = got < 0 ? errno : 0;
            break;
        }
        done += (size_t)got;
    }
    source->fetched += done;
    return done;
}

static int
read_whole(Source *source)
{
    source->whole = PyMem_RawMalloc(source->size + 1);
    if (source->whole == NULL) {
        source->error = ENOMEM;
        return -1;
    }
    if (read_into(source, source->whole, 0, source->size) < source->size) {
        PyMem_RawFree(source->whole);
        source->whole = NULL;
        return -1;
    }
    return 0;
}

static Window *
window_for(Source *source, uint64_t at, size_t least)
{
    Window *oldest = &source->windows[0];

    for (int i = 0; i < WINDOWS; i++) {
        Window *window = &source->windows[i];
        if (window->have > 0 && at >= window->at && at + least <= window->at + window->have)
            return window;
        if (window->used < oldest->used)
            oldest = window;
    }
    oldest->have = 0;
    if (oldest->room < least || oldest->bytes == NULL) {
        size_t room = least > WINDOW_BYTES ? least : WINDOW_BYTES;
        char *bytes = PyMem_RawRealloc(oldest->bytes, room);
        if (bytes == NULL) {
            source->error = ENOMEM;
            return NULL;
        }
        oldest->bytes = bytes;
        oldest->room = room;
    }
    size_t size = source->size - at < oldest->room ? (size_t)(source->size - at) : oldest->room;
    if (read_into(source, oldest->bytes, at, size) < size)
        return NULL;
    oldest->at = at;
    oldest->have = size;
    return oldest;
}

const char *
source_from(Source *source, uint64_t at, size_t least, size_t *have)
{
    const char *all = source->fd < 0 ? source->data : source->whole;
    Window *window;

    source->error = 0;
    if (at > source->size)
        return NULL;
    if (least > source->size - at)
        least = (size_t)(source->size - at);
    if (all == NULL && source->fetched > 2 * source->size + WINDOWS * WINDOW_BYTES) {
        if (read_whole(source) < 0)
            return NULL;
        all = source->whole;
    }
    if (all != NULL) {
        *have = (size_t)(source->size - at);
        return all + at;
    }
    if ((window = window_for(source, at, least)) == NULL)
        return NULL;
    window->used = ++source->clock;
    *have = (size_t)(window->at + window->have - at);
    return window->bytes + (at - window->at);
}

void
source_rest(Source *source)
{
    PyMem_RawFree(source->whole);
    source->whole = NULL;
    source->fetched = 0;
    for (int i = 0; i < WINDOWS; i++) {
        PyMem_RawFree(source->windows[i].bytes);
        memset(&source->windows[i], 0, sizeof source->windows[i]);
    }
}
