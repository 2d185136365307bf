/*
 * Bindings: attributes shared by name and text between ads, and ads in old format made of them. record.py and
 * formats/read.py are the twins.
 * Gain: see attributes.c.
 */

#include "bindings.h"
#include "native.h"

#include <stdint.h>
#include <string.h>

/* So many pairs are a generation: what was asked for before the last two is forgotten. */
static Py_ssize_t generation = 32768;

/* Bindings by (name, text), apart for the two dialects: those asked for lately and the generation before them. */
typedef struct {
    PyObject *young, *aged;
} Known;

static Known known_old, known_new;

/* ---- literals by their look --------------------------------------------------------------------------------- */

/* The digits at `at`, in the form 0 or without leading 0; their end, or -1. */
static Py_ssize_t
skip_whole(const char *s, Py_ssize_t at, Py_ssize_t end)
{
    Py_ssize_t start = at;

    while (at < end && s[at] >= '0' && s[at] <= '9')
        at++;
    return at == start || (s[start] == '0' && at - start > 1) ? -1 : at;
}

/* The number that a canonical text stands for; NULL without exception where it is none. *canonical: prints alike. */
static PyObject *
plain_number(PyObject *raw, int *canonical)
{
    const char *s = (const char *)PyUnicode_1BYTE_DATA(raw);
    Py_ssize_t end = PyUnicode_GET_LENGTH(raw), at = skip_whole(s, s[0] == '-', end);

    *canonical = 0;
    if (at < 0)
        return NULL;
    if (at == end) {
        long long whole = 0;

        if (end == 2 && s[0] == '-' && s[1] == '0')
            return NULL;
        *canonical = 1;
        if (end - (s[0] == '-') > 18) /* may be beyond 64 bits: it is parsed when it is needed */
            return NULL;
        for (Py_ssize_t i = s[0] == '-'; i < end; i++)
            whole = whole * 10 + (s[i] - '0');
        return PyLong_FromLongLong(s[0] == '-' ? -whole : whole);
    }
    if (s[at] != '.' || at + 1 == end)
        return NULL;
    for (Py_ssize_t i = at + 1; i < end; i++)
        if (s[i] < '0' || s[i] > '9')
            return NULL;
    return PyFloat_FromString(raw);
}

/* The inside of a quoted text without quotes, zero bytes or a backslash at its end; NULL where it is none. */
static PyObject *
plain_string(PyObject *raw)
{
    Py_ssize_t last = PyUnicode_GET_LENGTH(raw) - 1;

    if (last < 1 || PyUnicode_READ_CHAR(raw, last) != '"')
        return NULL;
    if (last > 1 && PyUnicode_READ_CHAR(raw, last - 1) == '\\')
        return NULL;
    if (PyUnicode_FindChar(raw, '"', 1, last, 1) >= 0 || PyUnicode_FindChar(raw, 0, 1, last, 1) >= 0)
        return NULL;
    return PyUnicode_Substring(raw, 1, last);
}

static PyObject *
plain_word(PyObject *raw)
{
    static const char *const words[] = {"true", "false", "undefined", "error"};
    PyObject *values[] = {Py_True, Py_False, shared.undefined, shared.error};

    for (int i = 0; i < 4; i++)
        if (PyUnicode_CompareWithASCIIString(raw, words[i]) == 0)
            return Py_NewRef(values[i]);
    return NULL;
}

/* The value of a text that is plainly a literal (new reference), else NULL. */
static PyObject *
plain_value(PyObject *raw, int *canonical)
{
    Py_UCS4 first;

    *canonical = 1;
    if (PyUnicode_GET_LENGTH(raw) == 0)
        return NULL;
    first = PyUnicode_READ_CHAR(raw, 0);
    if (first == '"')
        return plain_string(raw);
    if (first == '-' || (first >= '0' && first <= '9'))
        return PyUnicode_IS_ASCII(raw) ? plain_number(raw, canonical) : NULL;
    if (first == 't' || first == 'f' || first == 'u' || first == 'e')
        return plain_word(raw);
    return NULL;
}

/* ---- bindings ----------------------------------------------------------------------------------------------- */

/* A new binding; nothing is stolen. One of a plain value can be part of no circle: the collector may leave it alone. */
static PyObject *
new_binding(PyObject *name, PyObject *key, PyObject *raw, PyObject *text, PyObject *node, PyObject *value)
{
    PyObject *binding = shared.Binding->tp_alloc(shared.Binding, 0);

    if (binding == NULL)
        return NULL;
    SLOT(binding, shared.b_name) = Py_NewRef(name);
    SLOT(binding, shared.b_key) = Py_NewRef(key);
    SLOT(binding, shared.b_raw) = Py_NewRef(raw);
    SLOT(binding, shared.b_text) = Py_NewRef(text);
    SLOT(binding, shared.b_node) = Py_NewRef(node);
    SLOT(binding, shared.b_value) = Py_NewRef(value);
    if (value != shared.computed && node == Py_None)
        PyObject_GC_UnTrack(binding);
    return binding;
}

/* The binding of a name (in lower case: key) to a tree. */
PyObject *
bind_node(PyObject *name, PyObject *key, PyObject *node)
{
    PyObject *value = shared.computed;

    if (is_literal_node(node)) {
        value = SLOT(node, shared.literal_value);
        if (value == NULL || Py_TYPE(value) == shared.RelTime)
            return PyObject_CallFunctionObjArgs((PyObject *)shared.Binding, name, Py_None, node, NULL);
    }
    return new_binding(name, key, Py_None, Py_None, node, value);
}

/* The binding of a name to a plain value (not a computed one). */
PyObject *
bind_value(PyObject *name, PyObject *key, PyObject *value)
{
    return new_binding(name, key, Py_None, Py_None, Py_None, value);
}

static PyObject *
bind_text(PyObject *name, PyObject *raw)
{
    PyObject *key = lower_key(name), *value, *binding;
    int canonical;

    if (key == NULL)
        return NULL;
    value = plain_value(raw, &canonical);
    if (value == NULL && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
            Py_DECREF(key);
            return NULL;
        }
        PyErr_Clear(); /* too many digits for an integer */
    }
    binding = new_binding(name, key, raw, value != NULL && canonical ? raw : Py_None, Py_None,
                          value == NULL ? shared.computed : value);
    Py_XDECREF(value);
    Py_DECREF(key);
    return binding;
}

static int
remember(Known *known, PyObject *pair, PyObject *binding)
{
    if (PyDict_GET_SIZE(known->young) >= generation) {
        PyObject *fresh = PyDict_New();

        if (fresh == NULL)
            return -1;
        Py_SETREF(known->aged, known->young);
        known->young = fresh;
    }
    return PyDict_SetItem(known->young, pair, binding);
}

/* The binding known for a pair (new reference); NULL without exception when there is none. */
static PyObject *
recall(Known *known, PyObject *pair)
{
    PyObject *binding;

    if (known->young == NULL) {
        PyObject *young = PyDict_New(), *aged = PyDict_New();

        if (young == NULL || aged == NULL) {
            Py_XDECREF(young);
            Py_XDECREF(aged);
            return NULL;
        }
        known->young = young;
        known->aged = aged;
    }
    binding = Py_XNewRef(PyDict_GetItemWithError(known->young, pair));
    if (binding != NULL || PyErr_Occurred())
        return binding;
    binding = Py_XNewRef(PyDict_GetItemWithError(known->aged, pair));
    if (binding != NULL && remember(known, pair, binding) < 0)
        Py_CLEAR(binding);
    return binding;
}

PyObject *
bind_pair(PyObject *name, PyObject *text)
{
    PyObject *pair = PyTuple_Pack(2, name, text), *binding;

    if (pair == NULL)
        return NULL;
    binding = recall(&known_old, pair);
    if (binding == NULL && !PyErr_Occurred()) {
        binding = bind_text(name, text);
        if (binding != NULL && remember(&known_old, pair, binding) < 0)
            Py_CLEAR(binding);
    }
    Py_DECREF(pair);
    return binding;
}

PyObject *
recall_new(PyObject *pair)
{
    return recall(&known_new, pair);
}

int
remember_new(PyObject *pair, PyObject *binding)
{
    return remember(&known_new, pair, binding);
}

PyObject *
native_know(PyObject *self, PyObject *most)
{
    Py_ssize_t wanted = PyNumber_AsSsize_t(most, PyExc_OverflowError);

    (void)self;
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    if (wanted < 1) {
        PyErr_SetString(PyExc_ValueError, "know(pairs) expects at least one");
        return NULL;
    }
    generation = wanted;
    Py_RETURN_NONE;
}

PyObject *
native_bind(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || !PyUnicode_CheckExact(args[0]) || !PyUnicode_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "bind(name, text) expects two strings");
        return NULL;
    }
    return bind_pair(args[0], args[1]);
}

/* ---- bindings by bytes ------------------------------------------------------------------------------------- */

#define PLACES 16384 /* a power of two; a binding that finds its place taken takes it */
#define LONGEST 4096

static PyObject *lately[PLACES];

static size_t
hash_of(size_t hash, const char *s, Py_ssize_t length)
{
    uint64_t part;

    for (; length >= 8; s += 8, length -= 8) {
        memcpy(&part, s, 8);
        hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (part = 0; length > 0; length--)
        part = part << 8 | (unsigned char)*s++;
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static int
is_text(PyObject *text, const char *s, Py_ssize_t length)
{
    return PyUnicode_GET_LENGTH(text) == length && memcmp(PyUnicode_1BYTE_DATA(text), s, (size_t)length) == 0;
}

static int
is_ascii(const char *s, Py_ssize_t length)
{
    unsigned char all = 0;

    for (Py_ssize_t i = 0; i < length; i++)
        all |= (unsigned char)s[i];
    return all < 128;
}

PyObject *
native_forget(PyObject *self, PyObject *none)
{
    PyObject **known[] = {&known_old.young, &known_old.aged, &known_new.young, &known_new.aged};

    (void)self;
    (void)none;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        Py_CLEAR(*known[i]); /* recall() makes all four anew */
    for (size_t i = 0; i < PLACES; i++)
        Py_CLEAR(lately[i]);
    Py_RETURN_NONE;
}

/* As bind_pair. Literals, which hardly two ads have in common, are remembered here alone. */
PyObject *
bind_bytes(const char *name, Py_ssize_t name_size, const char *text, Py_ssize_t size)
{
    PyObject **place = &lately[hash_of(hash_of((size_t)size, name, name_size), text, size) % PLACES], *binding = *place;

    if (binding != NULL && is_text(SLOT(binding, shared.b_name), name, name_size)
        && is_text(SLOT(binding, shared.b_raw), text, size))
        return Py_NewRef(binding);
    PyObject *key = NULL, *named = is_ascii(name, name_size) ? name_and_key(name, name_size, &key)
                                                             : PyUnicode_DecodeUTF8(name, name_size, "surrogateescape");
    PyObject *raw = named == NULL ? NULL : PyUnicode_DecodeUTF8(text, size, "surrogateescape");

    binding = raw == NULL ? NULL : bind_text(named, raw);
    if (binding != NULL && SLOT(binding, shared.b_value) == shared.computed)
        Py_SETREF(binding, bind_pair(named, raw));
    if (binding != NULL && size <= LONGEST && PyUnicode_IS_ASCII(named) && PyUnicode_IS_ASCII(raw))
        Py_XSETREF(*place, Py_NewRef(binding));
    Py_XDECREF(named);
    Py_XDECREF(key);
    Py_XDECREF(raw);
    return binding;
}

static int
take_away(PyObject *attrs, const char *name, Py_ssize_t size)
{
    PyObject *named = PyUnicode_DecodeUTF8(name, size, "surrogateescape"), *key = named == NULL ? NULL : lower_key(named);
    int there = key == NULL ? -1 : PyDict_Contains(attrs, key), result = there;

    if (there > 0)
        result = PyDict_DelItem(attrs, key);
    Py_XDECREF(named);
    Py_XDECREF(key);
    return result;
}

const Bindings bindings = {bind_bytes, put_binding, take_away, text_of_binding};

/* ---- ads in old format -------------------------------------------------------------------------------------- */

/* Whether the text of a binding begins with an expression: 1, 0, or -1 with an exception. */
static int
check(PyObject *binding)
{
    PyObject *value = SLOT(binding, shared.b_value), *node, *result;

    if (value == shared.computed) {
        node = SLOT(binding, shared.b_node);
        if (node != NULL && node != Py_None && !is_literal_node(node))
            return 1;
        node = PyObject_GetAttrString(binding, "node");
        if (node == NULL)
            return -1;
        Py_DECREF(node);
        value = SLOT(binding, shared.b_value);
    }
    if (value != shared.error)
        return 1;
    result = PyObject_CallOneArg(shared.check_binding, binding);
    if (result == NULL) {
        if (!PyErr_ExceptionMatches(shared.ParseError))
            return -1;
        PyErr_Clear();
        return 0;
    }
    Py_DECREF(result);
    return 1;
}

/* Adds a binding (stolen) to the attributes; the spelling of the first name stays. -1 with an exception. */
int
put_binding(PyObject *attrs, PyObject *binding)
{
    PyObject *key = SLOT(binding, shared.b_key), *before = PyDict_SetDefault(attrs, key, binding);
    int result;

    if (before == NULL || before == binding) {
        Py_DECREF(binding);
        return before == NULL ? -1 : 0;
    }
    if (Py_TYPE(before) == shared.Binding &&
        PyUnicode_Compare(SLOT(before, shared.b_name), SLOT(binding, shared.b_name)) != 0) {
        Py_SETREF(binding, PyObject_CallFunctionObjArgs(shared.renamed, binding, SLOT(before, shared.b_name), NULL));
        if (binding == NULL)
            return -1;
    }
    result = PyDict_SetItem(attrs, SLOT(binding, shared.b_key), binding);
    Py_DECREF(binding);
    return result;
}

static inline int
is_gap(char c)
{
    return c == ' ' || c == '\t';
}

/* Adds the attribute of the line s[0:length]: 1, 0 where the line is none, -1 with an exception. */
static int
put_line(PyObject *attrs, const char *s, Py_ssize_t length)
{
    const char *end = s + length, *equals, *name_end;
    PyObject *name, *key, *text, *binding = NULL;
    int good = -1;

    while (s < end && is_gap(*s))
        s++;
    while (end > s && is_gap(end[-1]))
        end--;
    equals = memchr(s, '=', (size_t)(end - s));
    if (equals == NULL)
        return 0;
    for (name_end = equals; name_end > s && is_gap(name_end[-1]); name_end--)
        ;
    if (name_end == s)
        return 0;
    for (equals++; equals < end && is_gap(*equals); equals++)
        ;
    name = name_and_key(s, name_end - s, &key);
    text = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, equals, end - equals);
    if (name != NULL && text != NULL)
        binding = bind_pair(name, text);
    Py_XDECREF(name);
    Py_XDECREF(key);
    Py_XDECREF(text);
    if (binding != NULL)
        good = check(binding);
    if (good != 1) {
        Py_XDECREF(binding);
        return good;
    }
    return put_binding(attrs, binding) < 0 ? -1 : 1;
}

static inline int
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads lines up to the next blank one into attrs. The offset behind them; -1 with an exception, -2 for the twin. */
static Py_ssize_t
read_lines(PyObject *attrs, const char *s, Py_ssize_t at, Py_ssize_t size, int *skipping)
{
    while (at < size) {
        const char *newline = memchr(s + at, '\n', (size_t)(size - at));
        Py_ssize_t next = newline == NULL ? size : newline + 1 - s, end = next, bare = at;
        int good;

        while (end > at && (s[end - 1] == '\n' || s[end - 1] == '\r'))
            end--;
        while (bare < end && is_blank(s[bare]))
            bare++;
        if (bare == end) {
            at = next;
            if (PyDict_GET_SIZE(attrs) > 0 || *skipping)
                return at;
            continue;
        }
        if (s[bare] == '\'')
            return -2; /* a quoted name */
        if (!*skipping && s[bare] != '#') {
            good = put_line(attrs, s + at, end - at);
            if (good < 0)
                return -1;
            *skipping = !good;
        }
        at = next;
    }
    return at;
}

/*
 * next_old(text, start): the bindings (by key) of the ad in old format there, None at the end, and the offset behind
 * it; or None alone where the twin has to read.
 */
PyObject *
native_next_old(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *attrs;
    Py_ssize_t at, size;
    int skipping = 0;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || !PyUnicode_CheckExact(args[0]) || (at = PyLong_AsSsize_t(args[1])) < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "next_old(text, start)");
        return NULL;
    }
    if (!PyUnicode_IS_ASCII(args[0]))
        Py_RETURN_NONE;
    size = PyUnicode_GET_LENGTH(args[0]);
    attrs = PyDict_New();
    if (attrs == NULL)
        return NULL;
    at = read_lines(attrs, (const char *)PyUnicode_1BYTE_DATA(args[0]), at, size, &skipping);
    if (at < 0) {
        Py_DECREF(attrs);
        if (at == -1)
            return NULL;
        Py_RETURN_NONE;
    }
    if (PyDict_GET_SIZE(attrs) == 0 && at >= size && !skipping) {
        Py_DECREF(attrs);
        attrs = Py_NewRef(Py_None);
    }
    return Py_BuildValue("(Nn)", attrs, at);
}
