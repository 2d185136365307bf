/* All that the lines of an ad say that nobody has looked at; see _logsheet.c. */

#ifndef CONDOR_PY_LOGSHEET_H
#define CONDOR_PY_LOGSHEET_H

#include "_logreader.h"

#define MOST_ATTRIBUTES 200

/* An attribute: borrowed from the lines of an ad, or from a change. Without a value it is gone. */
typedef struct {
    const char *name, *value;
    size_t name_size, value_size;
} Said;

/* What an ad says, in the order in which it was said first. */
typedef struct {
    Said said[MOST_ATTRIBUTES];
    int count;
    uint64_t names; /* their name_bits, and some of what is gone */
    Said gone[MOST_ATTRIBUTES]; /* what lines of the ad delete */
    int gone_count;
} Sheet;

/* The parent of the latest ad (borrowed), and its attributes (held; NULL before it is asked). */
typedef struct {
    PyObject *ad, *attrs;
} Parent;

/* Takes the lines of an ad in: 1; 0 where it was read, or they are none that are understood here; -1 with an exception.
   `parent` is that of the ad then; what the lines delete and the parent has is said to be undefined. */
int sheet_read(Sheet *sheet, Parent *parent, PyObject *ad);

/* An ASCII text of one line? */
int plain_text(PyObject *text, const char **p, size_t *n);

/* The latest that was said of a name, if it is not gone. */
Said *said_of(Sheet *sheet, const char *name, size_t n);

/* Has the parent an attribute of this lower-case name? -1 with an exception. */
int parent_has(Parent *parent, PyObject *key);

#endif
