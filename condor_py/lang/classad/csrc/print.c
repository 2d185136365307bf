/*
 * Ads to ASCII text in old, new and JSON format, their attributes in storage order: formats/old.py, formats/json.py,
 * unparse.py and pretty.py are the twins, which write everything that is not plain ASCII.
 * With write.c and figures.c 21 times as fast as the twins (tests/bench/bench_compiled.py).
 */

#include "writer.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define MOST_NODES 2000000 /* as in unparse.py */
#define USUAL_LINE 48 /* bytes of an attribute */

typedef struct {
    const char *key;
    Py_ssize_t length;
    uint64_t head;     /* the first characters of the key, so that most comparisons are of two numbers */
    PyObject *binding; /* held */
} Entry;

/* ---- storage order ------------------------------------------------------------------------------------------ */

#define LENGTHS 64 /* names of one length are sorted apart; longer ones all together */
#define FEW 16

static uint64_t
head_of(const char *key, Py_ssize_t length)
{
    unsigned char first[8] = {0};
    uint64_t head = 0;

    memcpy(first, key, length < 8 ? (size_t)length : 8);
    for (int i = 0; i < 8; i++)
        head = head << 8 | first[i];
    return head;
}

static int
compare_entries(const void *a, const void *b)
{
    const Entry *left = a, *right = b;

    if (left->length != right->length)
        return left->length < right->length ? -1 : 1;
    if (left->head != right->head)
        return left->head < right->head ? -1 : 1;
    return left->length <= 8 ? 0 : memcmp(left->key + 8, right->key + 8, (size_t)left->length - 8);
}

static void
sort_few(Entry *entries, Py_ssize_t count)
{
    for (Py_ssize_t i = 1; i < count; i++) {
        Entry moved = entries[i];
        Py_ssize_t place = i;

        for (; place > 0 && compare_entries(&moved, &entries[place - 1]) < 0; place--)
            entries[place] = entries[place - 1];
        entries[place] = moved;
    }
}

static inline int
shelf_of(const Entry *entry)
{
    return entry->length < LENGTHS ? (int)entry->length : LENGTHS - 1;
}

/* Sorts `given` into `entries`: names of one length are few, and dealing them out by length costs one pass. */
static void
sort_entries(const Entry *given, Entry *entries, Py_ssize_t count)
{
    Py_ssize_t begins[LENGTHS + 1] = {0}, next[LENGTHS];

    for (Py_ssize_t i = 0; i < count; i++)
        begins[shelf_of(&given[i]) + 1]++;
    for (int shelf = 0; shelf < LENGTHS; shelf++) {
        begins[shelf + 1] += begins[shelf];
        next[shelf] = begins[shelf];
    }
    for (Py_ssize_t i = 0; i < count; i++)
        entries[next[shelf_of(&given[i])]++] = given[i];
    for (int shelf = 0; shelf < LENGTHS; shelf++) {
        Py_ssize_t many = begins[shelf + 1] - begins[shelf];

        if (many <= FEW)
            sort_few(entries + begins[shelf], many);
        else
            qsort(entries + begins[shelf], (size_t)many, sizeof *entries, compare_entries);
    }
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
    Py_ssize_t most = PyDict_GET_SIZE(attrs), at = 0;
    Entry *entries = PyMem_New(Entry, 2 * most + 1), *given = entries + most;
    PyObject *key, *binding;

    *count = 0;
    if (entries == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    while (*count < most && PyDict_Next(attrs, &at, &key, &binding)) {
        Entry *entry = &given[*count];

        if (!PyUnicode_Check(key) || !PyUnicode_IS_ASCII(key) || Py_TYPE(binding) != shared.Binding) {
            memmove(entries, given, (size_t)*count * sizeof *entries);
            release(entries, *count);
            return NULL;
        }
        entry->key = (const char *)PyUnicode_1BYTE_DATA(key); /* used before anything else runs */
        entry->length = PyUnicode_GET_LENGTH(key);
        entry->head = head_of(entry->key, entry->length);
        entry->binding = Py_NewRef(binding);
        (*count)++;
    }
    sort_entries(given, entries, *count);
    return entries;
}

/* ---- old and new format ------------------------------------------------------------------------------------- */

/* The tree of a binding where it was parsed and is of a size to be printed (borrowed); else NULL. */
static PyObject *
ready_node(PyObject *binding)
{
    PyObject *node = SLOT(binding, shared.b_node), *size;
    long count;
    int overflow;

    if (node == NULL || node == Py_None || !PyObject_TypeCheck(node, shared.Node))
        return NULL;
    size = SLOT(node, shared.n_size);
    if (size == NULL || !PyLong_Check(size))
        return NULL;
    count = PyLong_AsLongAndOverflow(size, &overflow);
    return overflow == 0 && count > 0 && count < MOST_NODES ? node : NULL;
}

/* The text of a binding in old format: one made before, or made now from its value or tree. */
static int
add_text(Text *out, PyObject *binding)
{
    PyObject *text = SLOT(binding, shared.b_text), *value = SLOT(binding, shared.b_value), *node;

    if (text != NULL && text != Py_None)
        return add_result(out, Py_NewRef(text));
    node = ready_node(binding);
    if (node != NULL)
        return add_node(out, node);
    if (value != shared.computed)
        return add_value(out, value);
    return add_result(out, PyObject_GetAttrString(binding, "text"));
}

static int
add_line(Text *out, PyObject *binding)
{
    return add_name(out, SLOT(binding, shared.b_name)) && add_c(out, " = ") && add_text(out, binding) &&
           add_char(out, '\n');
}

static PyObject *
print_ad(PyObject *attrs, int (*add_entries)(Text *, Entry *, Py_ssize_t), int old, int spread)
{
    Text out = {NULL, 0, 0, 0, 0, 0};
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
    out.old = old;
    out.spread = spread;
    done = make_room(&out, count * USUAL_LINE / 2) && add_entries(&out, entries, count);
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
    return print_ad(attrs, add_lines, 1, 0);
}

/* The ad between brackets. */
static int
add_new(Text *out, Entry *entries, Py_ssize_t count)
{
    if (!open_ad(out))
        return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *binding = entries[i].binding, *name = SLOT(binding, shared.b_name), *node = ready_node(binding);
        PyObject *value = SLOT(binding, shared.b_value);
        int done;

        if (node != NULL)
            done = add_attribute(out, name, NULL, node, i == 0);
        else if (value != shared.computed)
            done = add_attribute(out, name, value, NULL, i == 0);
        else {
            node = PyObject_GetAttrString(binding, "node");
            done = node != NULL && ready_node(binding) == node && add_attribute(out, name, NULL, node, i == 0);
            Py_XDECREF(node);
        }
        if (!done)
            return 0;
    }
    return close_ad(out);
}

PyObject *
native_print_new(PyObject *self, PyObject *attrs)
{
    (void)self;
    return print_ad(attrs, add_new, 0, 0);
}

PyObject *
native_print_spread(PyObject *self, PyObject *attrs)
{
    (void)self;
    return print_ad(attrs, add_new, 0, 1);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static int add_json(Text *out, PyObject *node, int indent);

static inline int
is_special(unsigned char c)
{
    return (c < ' ' && c != '\0') || c == '"' || c == '\\';
}

/* What stands for a special character; how many bytes. */
static int
json_code(unsigned char c, char *code)
{
    static const char from[] = "\b\f\n\r\t\\\"", to[] = "bfnrt\\\"";
    const char *known = strchr(from, c);

    if (known == NULL)
        return PyOS_snprintf(code, 8, "\\u00%02X", c);
    code[0] = '\\';
    code[1] = to[known - from];
    return 2;
}

/* Where the next special character of s[at:length] is, or length. Eight are looked at together: one of them that may be
 * special (below a blank, a quote, a backslash) has its highest bit set in `odd`. */
static Py_ssize_t
next_special(const char *s, Py_ssize_t at, Py_ssize_t length)
{
    const uint64_t ones = 0x0101010101010101ULL;

    for (; at + 8 <= length; at += 8) {
        uint64_t eight, odd;

        memcpy(&eight, s + at, 8);
        odd = (eight - ones * ' ') | ((eight ^ (ones * '"')) - ones) | ((eight ^ (ones * '\\')) - ones);
        if (odd & ~eight & (ones << 7))
            break;
    }
    while (at < length && !is_special((unsigned char)s[at]))
        at++;
    return at;
}

static int
add_json_escaped(Text *out, const char *s, Py_ssize_t length)
{
    for (Py_ssize_t start = 0, at;; start = at + 1) {
        char code[8];

        at = next_special(s, start, length);
        if (!add(out, s + start, at - start))
            return 0;
        if (at == length)
            return 1;
        if (!add(out, code, json_code((unsigned char)s[at], code)))
            return 0;
    }
}

/* What JSON has no form for: its text in the new format. */
static int
add_json_expression(Text *out, PyObject *node, PyObject *value)
{
    Text text = {0};
    int done = (node != NULL ? add_node(&text, node) : add_value(&text, value)) && add_c(out, "\"\\/Expr(")
               && add_json_escaped(out, text.data, text.length) && add_c(out, ")\\/\"");

    PyMem_Free(text.data);
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
    return print_ad(attrs, add_json_entries, 1, 0);
}
