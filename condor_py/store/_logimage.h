/* A log with the notes about its lines; see _logimage.c. */

#ifndef CONDOR_PY_LOGIMAGE_H
#define CONDOR_PY_LOGIMAGE_H

#include "_logreader.h"

typedef struct {
    PyObject_HEAD
    Log log;
    PyObject *data;              /* the log, where it lies in memory */
    uint32_t *procs, *clusters;  /* entries by cluster and proc */
    size_t proc_count, cluster_count;
} Image;

/* A new one, None for a log with anything unusual; as image(). `others`: lines that make no new job are kept apart. */
PyObject *new_image(PyObject *source, Py_ssize_t size, int jobs, int others, const char *index, Py_ssize_t index_bytes);

/* The bytes of a chain of runs, `most` of them; the lines of an ad. NULL with an exception. */
PyObject *bytes_of_runs(Image *self, uint32_t first, size_t most);
PyObject *lines_of(Image *self, const Entry *entry);

/* MyType and TargetType as the 101 of an ad has them; -1 with an exception. */
int types_of(Image *self, const Entry *entry, PyObject **my_type, PyObject **target_type);

/* Puts procs and clusters in order, once; -1 with an exception. The job at a place of that order. */
int sort_out(Image *self);

static inline const Entry *
proc_at(const Image *self, size_t place)
{
    return &self->log.entries[self->procs[place]];
}

/* The first place in self->procs that is not before these numbers. */
size_t place_of(const Image *self, uint64_t cluster, uint64_t proc);

/* `size` bytes of the log; NULL with an exception. */
const char *bytes_at(Image *self, uint64_t at, size_t size);

/* The job of these numbers, expected at *place, which is behind it then: the next of ascending procs is mostly the next
   place. KeyError where there is none. */
const Entry *job_entry(const Image *self, unsigned long long cluster, PyObject *number, size_t *place);

/* Has the lines of an ad answer; *held keeps what answers point into. -1 with an exception. */
int ask_entry(Image *self, Question *q, const Entry *entry, PyObject **held);

PyObject *image_own_texts(Image *self, PyObject *args);
PyObject *image_mentioned(Image *self, PyObject *args);
PyObject *image_states(Image *self, PyObject *args);
extern const char image_own_texts_doc[], mentioned_doc[], states_doc[];

PyObject *image_texts(Image *self, PyObject *args);
PyObject *image_where(Image *self, PyObject *args);
PyObject *image_groups_states(Image *self, PyObject *groups);
PyObject *image_tally(Image *self, PyObject *groups);
PyObject *image_may_say(Image *self, PyObject *names);
extern const char texts_doc[], where_doc[], groups_states_doc[], tally_doc[], may_say_doc[];

/* Bytes that count, index of what follows them, number and birthdate of the 107. */
PyObject *get_end(Image *self, void *closure);

PyObject *image_unfold(Image *self, PyObject *none);
PyObject *image_others(Image *self, PyObject *none);
extern const char unfold_doc[], others_doc[];

#endif
