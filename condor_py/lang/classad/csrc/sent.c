/*
 * Ads on their way from daemon to daemon: an object of JSON, texts in old format by name. sent.py is the twin. The ad of a
 * short job is read twice, and the next job says nearly the same: bindings are found by their bytes.
 * 6 times as fast as the twin (tests/bench/bench_compiled.py): an ad is sent twice a job.
 */

#include "native.h"
#include "writer.h"

#include <string.h>

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

/* The binding of a name to a text in which quotes and backslashes are escaped. */
static PyObject *
bind_escaped(const char *name, Py_ssize_t name_length, const char *s, Py_ssize_t length)
{
    char *room = PyMem_Malloc((size_t)length);
    PyObject *binding = NULL;
    Py_ssize_t to = 0;

    if (room == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t at = 0; at < length; at++)
        room[to++] = s[at] == '\\' ? s[++at] : s[at];
    binding = bind_bytes(name, name_length, room, to);
    PyMem_Free(room);
    return binding;
}

/* Adds the attribute of the piece at `at`; the place behind it, 0 where the twin has to read it, -1 with an exception. */
static Py_ssize_t
take_piece(PyObject *attrs, const char *s, Py_ssize_t at, Py_ssize_t end)
{
    int in_name = 0, in_text = 0;
    Py_ssize_t colon, last;
    PyObject *binding;

    colon = at < end && s[at] == '"' ? skip_text(s, at + 1, end, &in_name) : 0;
    if (colon == 0 || in_name || colon == at + 2 || colon + 1 >= end || s[colon] != ':' || s[colon + 1] != '"')
        return 0;
    last = skip_text(s, colon + 2, end, &in_text);
    if (last == 0)
        return 0;
    binding = (in_text ? bind_escaped : bind_bytes)(s + at + 1, colon - at - 2, s + colon + 2, last - colon - 3);
    return binding == NULL || put_binding(attrs, binding) < 0 ? -1 : last;
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
