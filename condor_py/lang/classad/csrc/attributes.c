/*
 * Ads in new format: their attributes are shared between ads by name and text, so that what is known is not parsed
 * again. parser.parse_attributes is the entry; what is not read here the twin reads.
 * With bind.c and names.c 47 times as fast as the twins (tests/bench/bench_compiled.py).
 */

#include "reader.h"

/* The value of a literal that is all there is of an attribute (and of the token at hand); NULL for anything else. */
static PyObject *
lone_literal(Reader *in)
{
    Py_ssize_t at = in->at;

    if (in->kind < K_INT || in->kind > K_ERROR)
        return NULL;
    while (at < in->end && is_blank(in->text[at]))
        at++;
    if (at >= in->end || (in->text[at] != ';' && in->text[at] != ']'))
        return NULL;
    switch (in->kind) {
    case K_INT: return PyLong_FromLongLong(in->number);
    case K_REAL: return PyFloat_FromDouble(in->real);
    case K_STRING: return string_value(in);
    case K_TRUE: return Py_NewRef(Py_True);
    case K_FALSE: return Py_NewRef(Py_False);
    case K_UNDEFINED: return Py_NewRef(shared.undefined);
    default: return Py_NewRef(shared.error);
    }
}

/* Where the expression from `at` ends, by its brackets and quotes; -1 where it takes a parser to tell. */
static Py_ssize_t
expression_end(const Reader *in, Py_ssize_t at)
{
    const char *s = in->text;
    Py_ssize_t nesting = 0;

    for (; at < in->end; at++)
        switch (s[at]) {
        case '(': case '[': case '{': nesting++; break;
        case ')': case '}': nesting--; break;
        case ']':
            if (nesting == 0)
                return at;
            nesting--;
            break;
        case ';':
            if (nesting == 0)
                return at;
            break;
        case '"':
            for (at++; at < in->end && s[at] != '"'; at++)
                if (s[at] == '\\')
                    at++;
            break;
        case '\'': return -1;
        case '/':
            if (at + 1 < in->end && (s[at + 1] == '/' || s[at + 1] == '*'))
                return -1;
            break;
        default: break;
        }
    return -1;
}

/* Name and text of the attribute whose expression starts with the token at hand; NULL where that cannot be told. */
static PyObject *
text_pair(Reader *in, PyObject *name, Py_ssize_t start, Py_ssize_t end)
{
    PyObject *raw, *pair = NULL;

    if (end < 0)
        return NULL;
    raw = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, in->text + start, end - start);
    if (raw != NULL)
        pair = PyTuple_Pack(2, name, raw);
    Py_XDECREF(raw);
    return pair;
}

static PyObject *
read_binding(Reader *in, PyObject *name, PyObject *key)
{
    PyObject *binding = NULL;
    Tree tree = read_expression(in);

    if (tree.node != NULL)
        binding = bind_node(name, key, tree.node);
    Py_XDECREF(tree.node);
    return binding;
}

/* The binding of a name to the expression at hand, behind which the reader then stands. NULL for none. */
static PyObject *
known_binding(Reader *in, PyObject *name, PyObject *key)
{
    /* A string token starts behind its quote. */
    Py_ssize_t start = in->kind == K_STRING ? in->start - 1 : in->start, end = expression_end(in, start);
    PyObject *pair, *binding = NULL;

    if (in->kind == K_BAD)
        return NULL;
    pair = text_pair(in, name, start, end);
    if (pair != NULL)
        binding = recall_new(pair);
    if (binding != NULL) {
        in->at = end;
        next_token(in);
    }
    else if (!PyErr_Occurred()) {
        binding = read_binding(in, name, key);
        if (binding != NULL && pair != NULL && in->start == end && remember_new(pair, binding) < 0)
            Py_CLEAR(binding);
    }
    Py_XDECREF(pair);
    return binding;
}

/* `name = expression` of an ad into its bindings; 0 where the twin has to read or with an exception. */
static int
read_attribute(Reader *in, PyObject *attrs)
{
    PyObject *name, *key, *value, *binding = NULL;

    if (in->kind != K_NAME || (name = name_and_key(in->text + in->start, in->stop - in->start, &key)) == NULL)
        return 0;
    next_token(in);
    if (in->kind == K_ASSIGN) {
        next_token(in);
        value = lone_literal(in);
        if (value != NULL) {
            binding = bind_value(name, key, value);
            Py_DECREF(value);
            next_token(in);
        }
        else if (!PyErr_Occurred())
            binding = known_binding(in, name, key);
    }
    Py_DECREF(name);
    Py_DECREF(key);
    if (binding == NULL)
        return 0;
    if (in->kind != K_SEMICOLON && in->kind != K_SQUARE_END) {
        Py_DECREF(binding);
        return 0;
    }
    return put_binding(attrs, binding) == 0;
}

/* parse_attrs(text, start): the bindings (by key) of the ad in new format there and the offset behind it, or None. */
PyObject *
native_parse_attrs(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Reader in;
    PyObject *attrs;
    Py_ssize_t start;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || (start = PyLong_AsSsize_t(args[1])) < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "parse_attrs(text, start)");
        return NULL;
    }
    if (!prepare_operators() || !open_reader(&in, args[0], start))
        return not_read();
    next_token(&in);
    if (in.kind != K_SQUARE || (attrs = PyDict_New()) == NULL)
        return not_read();
    next_token(&in);
    while (in.kind != K_SQUARE_END) {
        if (in.kind == K_SEMICOLON && PyDict_GET_SIZE(attrs) > 0)
            next_token(&in);
        else if (!read_attribute(&in, attrs)) { /* an ad that begins with a semicolon is the twin's */
            Py_DECREF(attrs);
            return not_read();
        }
    }
    return Py_BuildValue("(Nn)", attrs, in.at);
}
