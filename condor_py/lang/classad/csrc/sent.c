/*
 * Ads on their way from daemon to daemon: an object of JSON, texts in old format by name. sent.py is the twin.
 *
 * The ad of a short job is read twice, and the next job says nearly the same: so what was read lately is remembered by
 * its bytes, "name":"text" as they come, and where they come again no string is made, hashed and compared.
 */

#include "native.h"
#include "writer.h"

#include <stdint.h>
#include <string.h>

enum { PLACES = 1024, LONGEST = 256 }; /* a power of two; a piece that finds its place taken takes it */

typedef struct {
    char *piece;
    Py_ssize_t length;
    PyObject *binding;
} Piece;

static Piece lately[PLACES];

/* Characters that say nothing but themselves. */
static char plain[256];

static void
know_plain(void)
{
    for (int c = ' '; c <= '~'; c++)
        plain[c] = c != '"' && c != '\\';
}

/* Behind the quote that ends the text that begins at `at`, behind its own; 0 where that is not plainly told. *escapes:
 * there are some. */
static Py_ssize_t
skip_text(const char *s, Py_ssize_t at, Py_ssize_t end, int *escapes)
{
    for (;; at += 2) {
        while (at < end && plain[(unsigned char)s[at]])
            at++;
        if (at == end)
            return 0;
        if (s[at] == '"')
            return at + 1;
        if (s[at] != '\\' || at + 1 == end || (s[at + 1] != '"' && s[at + 1] != '\\'))
            return 0; /* others are rare */
        *escapes = 1;
    }
}

static PyObject *
unescaped(const char *s, Py_ssize_t length, int escapes)
{
    PyObject *text;
    char *room;
    Py_ssize_t to = 0;

    if (!escapes)
        return PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, s, length);
    room = PyMem_Malloc((size_t)length + 1);
    if (room == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t at = 0; at < length; at++)
        room[to++] = s[at] == '\\' ? s[++at] : s[at];
    text = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, room, to);
    PyMem_Free(room);
    return text;
}

static PyObject *
new_piece(const char *name, Py_ssize_t name_length, const char *text, Py_ssize_t text_length, int escapes)
{
    PyObject *key = NULL, *named = name_and_key(name, name_length, &key), *value, *binding = NULL;

    value = named == NULL ? NULL : unescaped(text, text_length, escapes);
    if (value != NULL)
        binding = bind_pair(named, value);
    Py_XDECREF(named);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return binding;
}

static Piece *
place_of(const char *s, Py_ssize_t length)
{
    uint64_t hash = (uint64_t)length, part;

    for (; length >= 8; s += 8, length -= 8) {
        memcpy(&part, s, 8);
        hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; length > 0; s++, length--)
        hash = (hash ^ (unsigned char)*s) * 0x9e3779b97f4a7c15u;
    return &lately[(hash ^ hash >> 32) & (PLACES - 1)];
}

static void
remember(Piece *place, const char *s, Py_ssize_t length, PyObject *binding)
{
    char *copy = PyMem_Realloc(place->piece, (size_t)length);

    if (copy == NULL)
        return; /* then it is read anew, and what was there before still stands */
    memcpy(copy, s, (size_t)length);
    place->piece = copy;
    place->length = length;
    Py_XSETREF(place->binding, Py_NewRef(binding));
}

/* Adds the attribute of the piece at `at`; the place behind it, 0 where the twin has to read it, -1 with an exception. */
static Py_ssize_t
take_piece(PyObject *attrs, const char *s, Py_ssize_t at, Py_ssize_t end)
{
    int in_name = 0, in_text = 0;
    Py_ssize_t colon, last, length;
    PyObject *binding;
    Piece *place;

    colon = at < end && s[at] == '"' ? skip_text(s, at + 1, end, &in_name) : 0;
    if (colon == 0 || in_name || colon == at + 2 || colon + 1 >= end || s[colon] != ':' || s[colon + 1] != '"')
        return 0;
    last = skip_text(s, colon + 2, end, &in_text);
    if (last == 0)
        return 0;
    length = last - at;
    place = place_of(s + at, length);
    if (place->binding != NULL && place->length == length && memcmp(place->piece, s + at, (size_t)length) == 0)
        binding = Py_NewRef(place->binding);
    else {
        binding = new_piece(s + at + 1, colon - at - 2, s + colon + 2, last - colon - 3, in_text);
        if (binding == NULL)
            return -1;
        if (length <= LONGEST)
            remember(place, s + at, length, binding);
    }
    return put_binding(attrs, binding) < 0 ? -1 : last;
}

/* The attributes of an object of texts; None where the twin has to read it. */
PyObject *
native_read_texts(PyObject *self, PyObject *data)
{
    const char *s;
    Py_ssize_t end, at = 1;
    PyObject *attrs;

    (void)self;
    if (!require_connected())
        return NULL;
    if (!PyBytes_CheckExact(data))
        Py_RETURN_NONE;
    s = PyBytes_AS_STRING(data);
    end = PyBytes_GET_SIZE(data);
    if (end < 2 || s[0] != '{' || s[end - 1] != '}')
        Py_RETURN_NONE;
    if (!plain['a'])
        know_plain();
    attrs = PyDict_New();
    while (attrs != NULL && at < end - 1) {
        at = take_piece(attrs, s, at, end - 1);
        if (at > 0 && at < end - 1)
            at = s[at] == ',' && at + 1 < end - 1 ? at + 1 : 0;
        if (at <= 0)
            Py_CLEAR(attrs);
    }
    if (attrs != NULL || at < 0)
        return attrs;
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static int
add_text(Text *out, PyObject *text)
{
    const char *s;
    Py_ssize_t length, begin = 0;

    if (text == NULL || !PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text) || !add_char(out, '"'))
        return 0;
    s = (const char *)PyUnicode_1BYTE_DATA(text);
    length = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t at = 0; at < length; at++) {
        unsigned char c = (unsigned char)s[at];

        if (c < ' ' || c > '~')
            return 0;
        if (c == '"' || c == '\\') {
            if (!add(out, s + begin, at - begin) || !add_char(out, '\\'))
                return 0;
            begin = at;
        }
    }
    return add(out, s + begin, length - begin) && add_char(out, '"');
}

static int
add_pair(Text *out, PyObject *binding)
{
    PyObject *text = text_of_binding(binding);
    int done = text != NULL && (out->length == 1 || add_char(out, ',')) && add_text(out, SLOT(binding, shared.b_name)) &&
               add_char(out, ':') && add_text(out, text);

    Py_XDECREF(text);
    return done;
}

/* The object of the texts of attributes, in their order; None where the twin has to write it. */
PyObject *
native_write_texts(PyObject *self, PyObject *attrs)
{
    Text out = {0};
    PyObject *bindings;
    int done;

    (void)self;
    if (!require_connected())
        return NULL;
    if (!PyDict_CheckExact(attrs)) {
        PyErr_SetString(PyExc_TypeError, "expected a dict of bindings");
        return NULL;
    }
    bindings = PyDict_Values(attrs); /* to print one may run Python */
    done = bindings != NULL && add_char(&out, '{');
    for (Py_ssize_t i = 0; done && i < PyList_GET_SIZE(bindings); i++)
        done = Py_TYPE(PyList_GET_ITEM(bindings, i)) == shared.Binding && add_pair(&out, PyList_GET_ITEM(bindings, i));
    Py_XDECREF(bindings);
    return finish(&out, done && add_char(&out, '}'));
}
