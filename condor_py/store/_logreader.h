/* What the parts of the module _logreader share. */

#ifndef CONDOR_PY_LOGREADER_H
#define CONDOR_PY_LOGREADER_H

#include "_logscan.h"

#define MAX_KEYS 128

/* How the lines of a log begin. In an ad that nobody has looked at what it sets stands without "103 KEY ", unless its name
   begins like that, too. */
#define HEAD '1'

/* Takes the next line of *at (an ad's own 103 and 104 lines, or what is left of them): 1 taken, 0 at the end, -1 malformed. */
typedef struct {
    int set;
    const char *name, *name_end, *value, *value_end;
} Line;
int next_line(const char **at, const char *end, Line *line);

/* Bytes of a log as text. */
static inline PyObject *
text_of(const char *p, size_t n)
{
    return PyUnicode_DecodeUTF8(p, (Py_ssize_t)n, "surrogateescape");
}

/* Bytes that grow (PyMem_Free takes them away); -1 with an exception. */
typedef struct {
    char *data;
    size_t size, room;
} Bytes;

static inline int
put_bytes(Bytes *to, const void *from, size_t size)
{
    if (to->room - to->size < size) {
        size_t room = 2 * to->room + size + 512;
        char *more = PyMem_Realloc(to->data, room);

        if (more == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        to->data = more;
        to->room = room;
    }
    if (size > 0)
        memcpy(to->data + to->size, from, size);
    to->size += size;
    return 0;
}

/* Was setup() called? With an exception otherwise. */
int is_ready(void);

/* ValueError: not the lines of an ad. */
PyObject *malformed(void);

/* Is a value a literal that is printed as it stands? A small integer, written as everybody writes it? Else: the text of an attribute, as it is printed (a new reference). */
int is_literal(const char *value, size_t n);
int is_integer(const char *value, size_t n);
PyObject *text_of_value(const char *name, size_t name_size, const char *value, size_t n);

/* A job's ad that still is its lines. */
PyObject *unread_ad(PyObject *lines);

/* The lines of an ad that nobody has looked at, borrowed; NULL for any other object. */
PyObject *unread_lines(PyObject *ad);

/* The parent of such an ad, borrowed (None without). Gives it other lines; takes the reference. */
PyObject *parent_of_ad(PyObject *ad);
void set_unread_lines(PyObject *ad, PyObject *lines);

/* What is asked of many ads: lower-case ASCII names, and the latest answer for one ad (borrowed from its lines). */
typedef struct {
    Py_ssize_t count;
    PyObject *names[MAX_KEYS];
    const char *keys[MAX_KEYS];
    Py_ssize_t sizes[MAX_KEYS];
    uint64_t bits; /* name_bit of each */
    Py_ssize_t first[MANY_NAMES], next[MAX_KEYS]; /* the names with a bit: the first, and those behind it; -1 for none */
    const char *values[MAX_KEYS], *ends[MAX_KEYS];
    char deleted[MAX_KEYS];    /* the last line deletes it */
    PyObject *latest[MAX_KEYS]; /* the answer before, as neighbours often say the same */
    PyObject *gone;            /* what is told of what is deleted */
    PyObject *columns;         /* a list of answers for each name */
} Question;

/* A question about the names in a tuple; -1 with an exception. end_question gives back what it holds. */
int begin_question(Question *question, PyObject *names, PyObject *gone);
void end_question(Question *question);

/* Forgets the latest answer; takes lines of an ad, in their order (-1 with an exception); adds what they said last. */
void forget_answers(Question *question);
int ask_lines(Question *question, const char *p, const char *end);
int add_answers(Question *question);

/* The text of an answer that there is: the one before it, where that says the same. A new reference. */
PyObject *answer(Question *question, Py_ssize_t number);

PyObject *reader_own_texts(PyObject *module, PyObject *args);
PyObject *reader_kinds(PyObject *module, PyObject *args);
extern const char own_texts_doc[], kinds_doc[];

PyObject *reader_change(PyObject *module, PyObject *args);
PyObject *reader_records(PyObject *module, PyObject *args);
extern const char change_doc[], records_doc[];

PyObject *reader_arrivals(PyObject *module, PyObject *data);
extern const char arrivals_doc[];

PyObject *reader_job_lines(PyObject *module, PyObject *args);
extern const char job_lines_doc[];

PyObject *reader_events(PyObject *module, PyObject *args);
extern const char events_doc[];

PyObject *reader_load(PyObject *module, PyObject *args);
PyObject *reader_image(PyObject *module, PyObject *args);
extern const char load_doc[], image_doc[];
extern PyTypeObject image_type;

#endif
