/*
 * Values and trees to ASCII text: unparse.py and pretty.py are the twins, which write everything that is not plain
 * ASCII.
 * Gain: see print.c.
 */

#include "writer.h"

#define AD_INDENT 4
#define LIST_INDENT 3

/* Functions that return int: see writer.h. */

int
make_room(Text *out, Py_ssize_t more)
{
    Py_ssize_t room = (out->length + more) * 2 + 256;
    char *grown = PyMem_Realloc(out->data, (size_t)room);

    if (grown == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    out->data = grown;
    out->room = room;
    return 1;
}

int
add_break(Text *out, int indent)
{
    static const char spaces[] = "                                ";

    if (!add_char(out, '\n'))
        return 0;
    for (; indent > 32; indent -= 32)
        if (!add(out, spaces, 32))
            return 0;
    return add(out, spaces, indent);
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
int
add_result(Text *out, PyObject *text)
{
    int done = add_string(out, text);

    Py_XDECREF(text);
    return done;
}

/* The text so far as a string, None where the twin has to write it; frees the buffer. */
PyObject *
finish(Text *out, int done)
{
    PyObject *result;

    if (done) {
        result = PyUnicode_New(out->length, 127);
        if (result != NULL && out->length > 0)
            memcpy(PyUnicode_1BYTE_DATA(result), out->data, (size_t)out->length);
    }
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

/* A string in old format: only the double quote is escaped. */
static int
add_quoted_old(Text *out, const char *s, Py_ssize_t length)
{
    const char *end = s + length, *quote;

    for (; (quote = memchr(s, '"', (size_t)(end - s))) != NULL; s = quote + 1)
        if (!add(out, s, quote - s) || !add_c(out, "\\\""))
            return 0;
    return add(out, s, end - s);
}

static int
add_quoted_new(Text *out, const unsigned char *s, Py_ssize_t length)
{
    Py_ssize_t from = 0, i;

    for (i = 0; i < length; i++) {
        unsigned char c = s[i];

        if (c >= ' ' && c <= '~' && c != '"' && c != '\\')
            continue;
        if (!add(out, (const char *)s + from, i - from) || !add_escaped_new(out, c))
            return 0;
        from = i + 1;
    }
    return add(out, (const char *)s + from, length - from);
}

static int
add_quoted(Text *out, PyObject *value)
{
    const unsigned char *s;
    Py_ssize_t length;

    if (!PyUnicode_IS_ASCII(value) || !add_char(out, '"'))
        return 0;
    s = PyUnicode_1BYTE_DATA(value);
    length = PyUnicode_GET_LENGTH(value);
    return (out->old ? add_quoted_old(out, (const char *)s, length) : add_quoted_new(out, s, length)) &&
           add_char(out, '"');
}

int
add_value(Text *out, PyObject *value)
{
    if (value == NULL)
        return 0;
    if (PyUnicode_CheckExact(value))
        return add_quoted(out, value);
    if (PyLong_CheckExact(value)) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);

        return overflow ? 0 : add_integer(out, number);
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
    static const struct {
        const char *text;
        Py_ssize_t length;
    } words[] = {{"is", 2}, {"isnt", 4}, {"true", 4}, {"error", 5}, {"false", 5}, {"parent", 6}, {"undefined", 9}};

    for (size_t i = 0; length <= 9 && i < sizeof words / sizeof *words; i++)
        if (words[i].length == length && PyOS_strnicmp(words[i].text, s, length) == 0)
            return 1;
    return 0;
}

/* Whether a name is a letter or _, and more of these and digits. */
static int
is_plain_name(const unsigned char *s, Py_ssize_t length)
{
    int odd = length == 0 || (s[0] >= '0' && s[0] <= '9');

    for (Py_ssize_t i = 0; i < length; i++)
        odd |= (unsigned char)((s[i] | 32) - 'a') > 25 && (unsigned char)(s[i] - '0') > 9 && s[i] != '_';
    return !odd;
}

int
add_name(Text *out, PyObject *name)
{
    const unsigned char *s;
    Py_ssize_t length;

    if (name == NULL || !PyUnicode_Check(name))
        return 0;
    if (PyUnicode_IS_ASCII(name)) {
        s = PyUnicode_1BYTE_DATA(name);
        length = PyUnicode_GET_LENGTH(name);
        if (is_plain_name(s, length) && !is_reserved((const char *)s, length))
            return add(out, (const char *)s, length);
    }
    return add_result(
        out, PyObject_CallFunctionObjArgs(shared.name_text, name, out->old ? Py_True : Py_False, NULL));
}

/* ---- trees -------------------------------------------------------------------------------------------------- */

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
    const char *text;

    if (op == NULL || !PyUnicode_Check(op) || !PyUnicode_IS_ASCII(op))
        return 0;
    text = (const char *)PyUnicode_1BYTE_DATA(op);
    if (text[0] == '[')
        return add_char(out, '[') && add_node(out, right) && add_char(out, ']');
    if (!out->old && text[0] == '=' && (text[1] == '?' || text[1] == '!'))
        text = text[1] == '?' ? "is" : "isnt";
    return add_char(out, ' ') && add_c(out, text) && add_char(out, ' ') && add_node(out, right);
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

/* The name of a selection or a function: "parent" is reserved elsewhere only. */
static int
add_word(Text *out, PyObject *name)
{
    if (name != NULL && PyUnicode_Check(name) && PyUnicode_IS_ASCII(name) && PyUnicode_GET_LENGTH(name) == 6 &&
        PyOS_strnicmp((const char *)PyUnicode_1BYTE_DATA(name), "parent", 6) == 0)
        return add_string(out, name);
    return add_name(out, name);
}

/* The point of a selection, behind a blank where "1." would be a number. */
static int
add_point(Text *out, PyObject *scope)
{
    PyObject *value = Py_TYPE(scope) == shared.Literal ? SLOT(scope, shared.literal_value) : NULL;

    return add_c(out, value != NULL && PyLong_CheckExact(value) ? " ." : ".");
}

static int
add_attr(Text *out, PyObject *node)
{
    PyObject *scope = SLOT(node, shared.attr_scope), *name = SLOT(node, shared.attr_name);

    if (scope != NULL && scope != Py_None)
        return add_node(out, scope) && add_point(out, scope) && add_word(out, name);
    return (SLOT(node, shared.attr_absolute) != Py_True || add_char(out, '.')) && add_name(out, name);
}

int
open_ad(Text *out)
{
    if (!out->spread)
        return add_c(out, "[ ");
    out->indent += 2 * AD_INDENT;
    return add_break(out, out->indent - AD_INDENT) && add_char(out, '[');
}

/* `name = expression`, the expression as its value where that is known (not NULL), else as its tree. */
int
add_attribute(Text *out, PyObject *name, PyObject *value, PyObject *node, int first)
{
    if (!first && !add_c(out, "; "))
        return 0;
    if (out->spread && !add_break(out, out->indent))
        return 0;
    return add_name(out, name) && add_c(out, " = ") && (value != NULL ? add_value(out, value) : add_node(out, node));
}

int
close_ad(Text *out)
{
    if (!out->spread)
        return add_c(out, " ]");
    out->indent -= 2 * AD_INDENT;
    return add_break(out, out->indent + AD_INDENT) && add_char(out, ']');
}

static int
add_ad(Text *out, PyObject *items)
{
    if (items == NULL || !PyTuple_Check(items) || !open_ad(out))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++) {
        PyObject *pair = PyTuple_GET_ITEM(items, i);

        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 ||
            !add_attribute(out, PyTuple_GET_ITEM(pair, 0), NULL, PyTuple_GET_ITEM(pair, 1), i == 0))
            return 0;
    }
    return close_ad(out);
}

static int
add_list(Text *out, PyObject *items)
{
    if (!out->spread)
        return add_c(out, "{ ") && add_nodes(out, items) && add_c(out, " }");
    if (items == NULL || !PyTuple_Check(items))
        return 0;
    out->indent += 2 * LIST_INDENT;
    if (!add_break(out, out->indent - LIST_INDENT) || !add_char(out, '{'))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++)
        if ((i > 0 && !add_char(out, ',')) || !add_break(out, out->indent) ||
            !add_node(out, PyTuple_GET_ITEM(items, i)))
            return 0;
    out->indent -= 2 * LIST_INDENT;
    return add_break(out, out->indent + LIST_INDENT) && add_char(out, '}');
}

int
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
        return add_word(out, SLOT(node, shared.call_name)) && add_char(out, '(') &&
               add_nodes(out, SLOT(node, shared.call_args)) && add_char(out, ')');
    if (type == shared.ListNode)
        return add_list(out, SLOT(node, shared.list_items));
    if (type == shared.AdNode)
        return add_ad(out, SLOT(node, shared.ad_items));
    return 0;
}

/* unparse(node, old[, spread]) */
PyObject *
native_unparse(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Text out = {NULL, 0, 0, 0, 0, 0};

    (void)self;
    if (!require_connected())
        return NULL;
    if (count < 2 || count > 3 || !PyObject_TypeCheck(args[0], shared.Node)) {
        PyErr_SetString(PyExc_TypeError, "unparse(node, old, spread=False)");
        return NULL;
    }
    out.old = args[1] == Py_True;
    out.spread = count == 3 && args[2] == Py_True;
    return finish(&out, add_node(&out, args[0]));
}
