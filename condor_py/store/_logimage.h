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

/* Bytes that count, index of what follows them, number and birthdate of the 107. */
PyObject *get_end(Image *self, void *closure);

PyObject *image_unfold(Image *self, PyObject *none);
PyObject *image_others(Image *self, PyObject *none);
extern const char unfold_doc[], others_doc[];

#endif
