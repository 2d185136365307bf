/*
 * Trees and ads to ASCII text: unparse.py, formats/old.py and formats/json.py are the twins, which write everything
 * that is not plain ASCII.
 */

#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *data;
    Py_ssize_t length, room;
    int old; /* the dialect */
} Text;

/* Everything below that returns int: 1 done, 0 left to the twin or, with an exception set, failed. */

static int
add(Text *out, const char *data, Py_ssize_t length)
{
    if (out->length + length > out->room) {
        Py_ssize_t room = (out->length + length) * 2 + 64;
        char *grown = PyMem_Realloc(out->data, (size_t)room);

        if (grown == NULL) {
            PyErr_NoMemory();
            return 0;
        }
        out->data = grown;
        out->room = room;
    }
    memcpy(out->data + out->length, data, (size_t)length);
    out->length += length;
    return 1;
}

static int
add_c(Text *out, const char *text)
{
    return add(out, text, (Py_ssize_t)strlen(text));
}

static int
add_char(Text *out, char c)
{
    return add(out, &c, 1);
}

/* A Python string as it is. */
static int
add_string(Text *out, PyObject *text)
{
    if (text == NULL || !PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text))
        return 0;
    return add(out, (const char *)PyUnicode_1BYTE_DATA(text), PyUnicode_GET_LENGTH(text));
}

/* The result of a function of the twin (stolen). */
static int
add_result(Text *out, PyObject *text)
{
    int done = add_string(out, text);

    Py_XDECREF(text);
    return done;
}

/* The text so far as a string, None where the twin has to write it; frees the buffer. */
static PyObject *
finish(Text *out, int done)
{
    PyObject *result;

    if (done)
        result = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, out->data, out->length);
    else
        result = PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    PyMem_Free(out->data);
    return result;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

static int
add_octal(Text *out, unsigned char c)
{
    char octal[4] = {'\\', (char)('0' + (c >> 6)), (char)('0' + ((c >> 3) & 7)), (char)('0' + (c & 7))};

    return add(out, octal, 4);
}

static int
add_escaped_new(Text *out, unsigned char c)
{
    static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";
    const char *known = c == '\0' ? NULL : strchr(from, c);
    char pair[2] = {'\\', '\0'};

    if (known == NULL)
        return add_octal(out, c);
    pair[1] = to[known - from];
    return add(out, pair, 2);
}

static int
add_quoted(Text *out, PyObject *value)
{
    const unsigned char *s;
    Py_ssize_t length, from = 0, i;

    if (!PyUnicode_IS_ASCII(value) || !add_char(out, '"'))
        return 0;
    s = PyUnicode_1BYTE_DATA(value);
    length = PyUnicode_GET_LENGTH(value);
    for (i = 0; i < length; i++) {
        unsigned char c = s[i];

        if (out->old ? c != '"' : c >= ' ' && c <= '~' && c != '"' && c != '\\')
            continue;
        if (!add(out, (const char *)s + from, i - from) || !(out->old ? add_c(out, "\\\"") : add_escaped_new(out, c)))
            return 0;
        from = i + 1;
    }
    return add(out, (const char *)s + from, length - from) && add_char(out, '"');
}

static int
add_real(Text *out, double number)
{
    char *text;
    int done;

    if (number == 0.0)
        return add_c(out, signbit(number) ? "-0.0" : "0.0");
    if (isnan(number))
        return add_c(out, "real(\"NaN\")");
    if (isinf(number))
        return add_c(out, number > 0 ? "real(\"INF\")" : "real(\"-INF\")");
    text = out->old ? PyOS_double_to_string(number, 'G', 16, 0, NULL) : PyOS_double_to_string(number, 'E', 15, 0, NULL);
    if (text == NULL)
        return 0;
    done = add_c(out, text);
    if (done && out->old && strpbrk(text, ".E") == NULL)
        done = add_c(out, ".0");
    PyMem_Free(text);
    return done;
}

static int
add_value(Text *out, PyObject *value)
{
    if (value == NULL)
        return 0;
    if (PyUnicode_CheckExact(value))
        return add_quoted(out, value);
    if (PyLong_CheckExact(value)) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        char digits[32];

        if (overflow)
            return 0;
        PyOS_snprintf(digits, sizeof digits, "%lld", number);
        return add_c(out, digits);
    }
    if (PyBool_Check(value))
        return add_c(out, value == Py_True ? "true" : "false");
    if (PyFloat_CheckExact(value))
        return add_real(out, PyFloat_AS_DOUBLE(value));
    if (value == shared.undefined)
        return add_c(out, "undefined");
    if (value == shared.error)
        return add_c(out, "error");
    return add_result(out, PyObject_CallFunctionObjArgs(shared.value_text, value, out->old ? Py_True : Py_False, NULL));
}

static int
is_reserved(const char *s, Py_ssize_t length)
{
    static const char *const words[] = {"error", "false", "is", "isnt", "parent", "true", "undefined"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((Py_ssize_t)strlen(words[i]) == length && PyOS_strnicmp(words[i], s, length) == 0)
            return 1;
    return 0;
}

static int
add_name(Text *out, PyObject *name)
{
    const char *s;
    Py_ssize_t length;

    if (name == NULL || !PyUnicode_Check(name) || !PyUnicode_IS_ASCII(name))
        return 0;
    s = (const char *)PyUnicode_1BYTE_DATA(name);
    length = PyUnicode_GET_LENGTH(name);
    for (Py_ssize_t i = 0; i < length; i++) {
        char c = s[i] | 32;

        if ((c < 'a' || c > 'z') && s[i] != '_' && (i == 0 || s[i] < '0' || s[i] > '9'))
            length = 0;
    }
    if (length == 0 || is_reserved(s, length))
        return add_result(out, PyObject_CallOneArg(shared.name_text, name));
    return add(out, s, length);
}

/* ---- trees -------------------------------------------------------------------------------------------------- */

static int add_node(Text *out, PyObject *node);

static int
add_nodes(Text *out, PyObject *items)
{
    if (items == NULL || !PyTuple_Check(items))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++)
        if ((i > 0 && !add_char(out, ',')) || !add_node(out, PyTuple_GET_ITEM(items, i)))
            return 0;
    return 1;
}

static int
add_link(Text *out, PyObject *node)
{
    PyObject *op = SLOT(node, shared.binary_op), *right = SLOT(node, shared.binary_right);

    if (op == NULL)
        return 0;
    if (PyUnicode_CompareWithASCIIString(op, "[]") == 0)
        return add_char(out, '[') && add_node(out, right) && add_char(out, ']');
    if (!add_char(out, ' '))
        return 0;
    if (!out->old && PyUnicode_CompareWithASCIIString(op, "=?=") == 0) {
        if (!add_c(out, "is"))
            return 0;
    }
    else if (!out->old && PyUnicode_CompareWithASCIIString(op, "=!=") == 0) {
        if (!add_c(out, "isnt"))
            return 0;
    }
    else if (!add_string(out, op))
        return 0;
    return add_char(out, ' ') && add_node(out, right);
}

/* Walks down the left side in a loop: chains of one operator may have thousands of links. */
static int
add_binary(Text *out, PyObject *node)
{
    PyObject *few[32], **spine = few, *left;
    Py_ssize_t count = 0, i;
    int done;

    for (left = node; left != NULL && Py_TYPE(left) == shared.Binary; left = SLOT(left, shared.binary_left))
        count++;
    if (count > 32 && (spine = PyMem_New(PyObject *, count)) == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    left = node;
    for (i = 0; i < count; i++, left = SLOT(left, shared.binary_left))
        spine[i] = left;
    done = add_node(out, left);
    while (done && i > 0)
        done = add_link(out, spine[--i]);
    if (spine != few)
        PyMem_Free(spine);
    return done;
}

static int
add_attr(Text *out, PyObject *node)
{
    PyObject *scope = SLOT(node, shared.attr_scope), *name = SLOT(node, shared.attr_name);

    if (scope != NULL && scope != Py_None)
        return add_node(out, scope) && add_char(out, '.') && add_string(out, name);
    return (SLOT(node, shared.attr_absolute) != Py_True || add_char(out, '.')) && add_name(out, name);
}

static int
add_ad(Text *out, PyObject *items)
{
    if (items == NULL || !PyTuple_Check(items) || !add_c(out, "[ "))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++) {
        PyObject *pair = PyTuple_GET_ITEM(items, i);

        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 || (i > 0 && !add_c(out, "; ")) ||
            !add_name(out, PyTuple_GET_ITEM(pair, 0)) || !add_c(out, " = ") ||
            !add_node(out, PyTuple_GET_ITEM(pair, 1)))
            return 0;
    }
    return add_c(out, " ]");
}

static int
add_node(Text *out, PyObject *node)
{
    PyTypeObject *type;

    if (node == NULL || stack_is_low())
        return 0;
    type = Py_TYPE(node);
    if (type == shared.Literal)
        return add_value(out, SLOT(node, shared.literal_value));
    if (type == shared.Attr)
        return add_attr(out, node);
    if (type == shared.Binary)
        return add_binary(out, node);
    if (type == shared.Paren)
        return add_char(out, '(') && add_node(out, SLOT(node, shared.paren_inner)) && add_char(out, ')');
    if (type == shared.Unary)
        return add_char(out, ' ') && add_string(out, SLOT(node, shared.unary_op)) &&
               add_node(out, SLOT(node, shared.unary_inner));
    if (type == shared.Ternary)
        return add_node(out, SLOT(node, shared.ternary_test)) && add_c(out, " ? ") &&
               add_node(out, SLOT(node, shared.ternary_yes)) && add_c(out, " : ") &&
               add_node(out, SLOT(node, shared.ternary_no));
    if (type == shared.Call)
        return add_string(out, SLOT(node, shared.call_name)) && add_char(out, '(') &&
               add_nodes(out, SLOT(node, shared.call_args)) && add_char(out, ')');
    if (type == shared.ListNode)
        return add_c(out, "{ ") && add_nodes(out, SLOT(node, shared.list_items)) && add_c(out, " }");
    if (type == shared.AdNode)
        return add_ad(out, SLOT(node, shared.ad_items));
    return 0;
}

/* unparse(node, old) */
PyObject *
native_unparse(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Text out = {NULL, 0, 0, 0};

    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || !PyObject_TypeCheck(args[0], shared.Node)) {
        PyErr_SetString(PyExc_TypeError, "unparse(node, old)");
        return NULL;
    }
    out.old = args[1] == Py_True;
    return finish(&out, add_node(&out, args[0]));
}

/* ---- ads ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *key;
    Py_ssize_t length;
    PyObject *binding; /* held */
} Entry;

static int
by_length(const void *a, const void *b)
{
    const Entry *left = a, *right = b;

    if (left->length != right->length)
        return left->length < right->length ? -1 : 1;
    return memcmp(left->key, right->key, (size_t)left->length);
}

static void
release(Entry *entries, Py_ssize_t count)
{
    while (count > 0)
        Py_DECREF(entries[--count].binding);
    PyMem_Free(entries);
}

/* The bindings in storage order; NULL where the twin has to do it or with an exception. */
static Entry *
sorted_entries(PyObject *attrs, Py_ssize_t *count)
{
    Entry *entries = PyMem_New(Entry, PyDict_GET_SIZE(attrs) + 1);
    PyObject *key, *binding;
    Py_ssize_t at = 0;

    *count = 0;
    if (entries == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    while (PyDict_Next(attrs, &at, &key, &binding)) {
        if (!PyUnicode_Check(key) || !PyUnicode_IS_ASCII(key) || Py_TYPE(binding) != shared.Binding) {
            release(entries, *count);
            return NULL;
        }
        entries[*count].key = (const char *)PyUnicode_1BYTE_DATA(key); /* lives as long as the binding, see below */
        entries[*count].length = PyUnicode_GET_LENGTH(key);
        entries[(*count)++].binding = Py_NewRef(binding);
    }
    qsort(entries, (size_t)*count, sizeof *entries, by_length);
    return entries;
}

static int
add_line(Text *out, PyObject *binding)
{
    PyObject *text = SLOT(binding, shared.b_text);

    if (text == NULL || text == Py_None)
        text = PyObject_GetAttrString(binding, "text");
    else
        Py_INCREF(text);
    if (!add_name(out, SLOT(binding, shared.b_name)) || !add_c(out, " = ")) {
        Py_XDECREF(text);
        return 0;
    }
    return add_result(out, text) && add_char(out, '\n');
}

static PyObject *
print_ad(PyObject *attrs, int (*add_entries)(Text *, Entry *, Py_ssize_t))
{
    Text out = {NULL, 0, 0, 1};
    Entry *entries;
    Py_ssize_t count;
    int done;

    if (!require_connected())
        return NULL;
    if (!PyDict_CheckExact(attrs)) {
        PyErr_SetString(PyExc_TypeError, "expected a dict of bindings");
        return NULL;
    }
    entries = sorted_entries(attrs, &count);
    if (entries == NULL)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    done = add_entries(&out, entries, count);
    release(entries, count);
    return finish(&out, done);
}

static int
add_lines(Text *out, Entry *entries, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (!add_line(out, entries[i].binding))
            return 0;
    return 1;
}

PyObject *
native_print_old(PyObject *self, PyObject *attrs)
{
    (void)self;
    return print_ad(attrs, add_lines);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static int add_json(Text *out, PyObject *node, int indent);

static int
add_json_escaped(Text *out, const char *s, Py_ssize_t length)
{
    static const char from[] = "\b\f\n\r\t\\\"", to[] = "bfnrt\\\"";
    Py_ssize_t start = 0;

    for (Py_ssize_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)s[i];
        char code[8];

        if (c == '\0' || (c >= ' ' && c != '"' && c != '\\'))
            continue;
        if (strchr(from, c) != NULL)
            PyOS_snprintf(code, sizeof code, "\\%c", to[strchr(from, c) - from]);
        else
            PyOS_snprintf(code, sizeof code, "\\u00%02X", c);
        if (!add(out, s + start, i - start) || !add_c(out, code))
            return 0;
        start = i + 1;
    }
    return add(out, s + start, length - start);
}

/* What JSON has no form for: its text in the new format. */
static int
add_json_expression(Text *out, PyObject *node, PyObject *value)
{
    Text inner = {NULL, 0, 0, 0};
    int done = node != NULL ? add_node(&inner, node) : add_value(&inner, value);

    done = done && add_c(out, "\"\\/Expr(") && add_json_escaped(out, inner.data, inner.length) && add_c(out, ")\\/\"");
    PyMem_Free(inner.data);
    return done;
}

static int
add_json_value(Text *out, PyObject *value)
{
    if (value == NULL)
        return 0;
    if (PyUnicode_CheckExact(value)) {
        if (!PyUnicode_IS_ASCII(value) || !add_char(out, '"'))
            return 0;
        return add_json_escaped(out, (const char *)PyUnicode_1BYTE_DATA(value), PyUnicode_GET_LENGTH(value)) &&
               add_char(out, '"');
    }
    if (value == shared.undefined)
        return add_c(out, "null");
    if (PyFloat_CheckExact(value)) {
        double number = PyFloat_AS_DOUBLE(value);

        return isfinite(number) ? add_real(out, number) : add_json_expression(out, NULL, value);
    }
    if (PyLong_CheckExact(value) || PyBool_Check(value))
        return add_value(out, value);
    if (value == shared.error)
        return add_json_expression(out, NULL, value);
    return 0;
}

static int
add_break(Text *out, int indent)
{
    if (!add_char(out, '\n'))
        return 0;
    for (; indent > 0; indent -= 2)
        if (!add_c(out, "  "))
            return 0;
    return 1;
}

static int
add_json_list(Text *out, PyObject *items, int indent)
{
    if (items == NULL || !PyTuple_Check(items) || !add_char(out, '['))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++)
        if ((i > 0 && !add_char(out, ',')) || !add_break(out, indent + 2) ||
            !add_json(out, PyTuple_GET_ITEM(items, i), indent + 2))
            return 0;
    return add_break(out, indent) && add_char(out, ']');
}

static int
add_json_name(Text *out, PyObject *name, int first, int indent)
{
    if (name == NULL || !PyUnicode_Check(name) || !PyUnicode_IS_ASCII(name) || (!first && !add_char(out, ',')))
        return 0;
    return add_break(out, indent) && add_char(out, '"') &&
           add_json_escaped(out, (const char *)PyUnicode_1BYTE_DATA(name), PyUnicode_GET_LENGTH(name)) &&
           add_c(out, "\": ");
}

static int
add_json_ad(Text *out, PyObject *items, int indent)
{
    if (items == NULL || !PyTuple_Check(items) || !add_char(out, '{'))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++) {
        PyObject *pair = PyTuple_GET_ITEM(items, i);

        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 ||
            !add_json_name(out, PyTuple_GET_ITEM(pair, 0), i == 0, indent + 2) ||
            !add_json(out, PyTuple_GET_ITEM(pair, 1), indent + 2))
            return 0;
    }
    return add_break(out, indent) && add_char(out, '}');
}

static int
add_json(Text *out, PyObject *node, int indent)
{
    if (node == NULL || stack_is_low())
        return 0;
    if (Py_TYPE(node) == shared.Literal)
        return add_json_value(out, SLOT(node, shared.literal_value));
    if (Py_TYPE(node) == shared.ListNode)
        return add_json_list(out, SLOT(node, shared.list_items), indent);
    if (Py_TYPE(node) == shared.AdNode)
        return add_json_ad(out, SLOT(node, shared.ad_items), indent);
    return add_json_expression(out, node, NULL);
}

static int
add_json_entries(Text *out, Entry *entries, Py_ssize_t count)
{
    if (!add_char(out, '{'))
        return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *binding = entries[i].binding, *value = SLOT(binding, shared.b_value), *node;
        int done;

        if (!add_json_name(out, SLOT(binding, shared.b_name), i == 0, 2))
            return 0;
        if (value != shared.computed) {
            if (!add_json_value(out, value))
                return 0;
            continue;
        }
        node = PyObject_GetAttrString(binding, "node");
        done = add_json(out, node, 2);
        Py_XDECREF(node);
        if (!done)
            return 0;
    }
    return add_c(out, "\n}");
}

PyObject *
native_print_json(PyObject *self, PyObject *attrs)
{
    (void)self;
    return print_ad(attrs, add_json_entries);
}
