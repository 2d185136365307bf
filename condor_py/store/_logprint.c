/* The long form of ads that nobody has looked at, out of their lines: no object is made of what they say. */

#include "_logsheet.h"

#define MOST_SHARED 400

/* Values that are printed otherwise than they stand, which many ads have in common: as many as this. */
#define KNOWN_TEXTS 64

/* An attribute of the parent: its lower-case name (borrowed), and where its line begins in Common.lines. */
typedef struct {
    const char *key;
    size_t key_size, line;
} Shared;

/* What the parent says, its lines one behind the other. */
typedef struct {
    Shared shared[MOST_SHARED + 1]; /* behind the last one stands where it ends */
    int count;
    char *lines;
} Common;

/* The text (held) of a value, which is borrowed from the lines of an ad. */
typedef struct {
    const char *value;
    size_t size;
    PyObject *text;
} Known;

/* Storage order: shorter names first, then by their lower-case letters. */
static int
by_name(const char *a, size_t a_size, const char *b, size_t b_size)
{
    if (a_size != b_size)
        return a_size < b_size ? -1 : 1;
    for (size_t i = 0; i < a_size; i++)
        if (folded(a[i]) != folded(b[i]))
            return (unsigned char)folded(a[i]) < (unsigned char)folded(b[i]) ? -1 : 1;
    return 0;
}

/* What is said, in storage order: how many. */
static int
sorted(const Sheet *sheet, const Said **order)
{
    int count = 0;

    for (int i = 0; i < sheet->count; i++) {
        const Said *said = &sheet->said[i];
        int at = count;

        if (said->value == NULL)
            continue;
        for (; at > 0 && by_name(said->name, said->name_size, order[at - 1]->name, order[at - 1]->name_size) < 0; at--)
            order[at] = order[at - 1];
        order[at] = said;
        count++;
    }
    return count;
}

/* How a value is printed that is no literal: borrowed. */
static PyObject *
text_in(Known *known, const Said *said)
{
    Known *slot = &known[mix(0, said->value, said->value_size) % KNOWN_TEXTS];
    PyObject *text;

    if (slot->text != NULL && slot->size == said->value_size && memcmp(slot->value, said->value, slot->size) == 0)
        return slot->text;
    Py_CLEAR(slot->text);
    if ((text = text_of_value(said->name, said->name_size, said->value, said->value_size)) == NULL)
        return NULL;
    *slot = (Known){said->value, said->value_size, PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape")};
    Py_DECREF(text);
    return slot->text;
}

static int
print_said(Bytes *out, const char *name, const Said *said, Known *known)
{
    const char *value = said->value;
    size_t size = said->value_size;

    if (!is_literal(value, size)) {
        PyObject *text = text_in(known, said);

        if (text == NULL)
            return -1;
        value = PyBytes_AS_STRING(text);
        size = (size_t)PyBytes_GET_SIZE(text);
    }
    if (put_bytes(out, name, said->name_size) < 0 || put_bytes(out, " = ", 3) < 0 || put_bytes(out, value, size) < 0)
        return -1;
    return put_bytes(out, "\n", 1);
}

/* Own attributes and those of the parent, which has the say how a name is spelled. */
static int
print_merged(Bytes *out, const Sheet *sheet, const Common *common, Known *known)
{
    const Said *order[MOST_ATTRIBUTES];
    const Shared *shared = common->shared, *end = shared + common->count;
    int count = sorted(sheet, order), failed = 0;

    for (int i = 0; i < count && !failed; i++) {
        const Said *said = order[i];
        const char *name = said->name;
        const Shared *from = shared;
        int place = -1;

        while (shared < end && (place = by_name(shared->key, shared->key_size, said->name, said->name_size)) < 0)
            shared++;
        failed = put_bytes(out, common->lines + from->line, shared->line - from->line);
        if (shared < end && place == 0)
            name = common->lines + shared++->line;
        failed = failed || print_said(out, name, said, known) < 0;
    }
    return failed ? -1 : put_bytes(out, common->lines + shared->line, end->line - shared->line);
}

/* 1; 0 where there are too many; -1 with an exception. */
static int
take_shared(PyObject *given, Common *common, Bytes *lines)
{
    if (PyList_GET_SIZE(given) > MOST_SHARED)
        return 0;
    for (; common->count < PyList_GET_SIZE(given); common->count++) {
        PyObject *pair = PyList_GET_ITEM(given, common->count), *key, *line;

        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "SS", &key, &line))
            return -1;
        if (PyBytes_GET_SIZE(line) < PyBytes_GET_SIZE(key))
            return 0;
        common->shared[common->count] = (Shared){PyBytes_AS_STRING(key), (size_t)PyBytes_GET_SIZE(key), lines->size};
        if (put_bytes(lines, PyBytes_AS_STRING(line), (size_t)PyBytes_GET_SIZE(line)) < 0)
            return -1;
    }
    common->shared[common->count].line = lines->size;
    common->lines = lines->data;
    return 1;
}

/* The text of an ad, a new reference: None where that is not for us. */
static PyObject *
printed(Bytes *out, Sheet *sheet, Parent *parent, const Common *common, Known *known, PyObject *ad)
{
    int good = sheet_read(sheet, parent, ad);

    if (good <= 0)
        return good < 0 ? NULL : Py_NewRef(Py_None);
    out->size = 0;
    return print_merged(out, sheet, common, known) < 0 ? NULL : PyBytes_FromStringAndSize(out->data, (Py_ssize_t)out->size);
}

const char print_doc[] =
    "printed(ads, shared) -> list[bytes | None]\n\n"
    "The long form of ads that nobody has looked at, with what their common parent says: `shared` has, in storage order, the\n"
    "lower-case name and the printed line of each of its attributes. None for an ad that has to be printed otherwise.";

PyObject *
reader_printed(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *ads, *given, *texts = NULL;
    Common common;
    Known known[KNOWN_TEXTS] = {{NULL, 0, NULL}};
    Parent parent = {NULL, NULL};
    Sheet sheet;
    Bytes out = {NULL, 0, 0}, lines = {NULL, 0, 0};
    int good;

    if (!PyArg_ParseTuple(args, "O!O!:printed", &PyList_Type, &ads, &PyList_Type, &given) || !is_ready())
        return NULL;
    common.count = 0;
    if ((good = take_shared(given, &common, &lines)) >= 0)
        texts = PyList_New(0);
    for (Py_ssize_t i = 0; texts != NULL && i < PyList_GET_SIZE(ads); i++) {
        PyObject *ad = PyList_GET_ITEM(ads, i), *text;

        text = good ? printed(&out, &sheet, &parent, &common, known, ad) : Py_NewRef(Py_None);
        if (text == NULL || PyList_Append(texts, text) < 0)
            Py_CLEAR(texts);
        Py_XDECREF(text);
    }
    for (int i = 0; i < KNOWN_TEXTS; i++)
        Py_XDECREF(known[i].text);
    Py_XDECREF(parent.attrs);
    PyMem_Free(out.data);
    PyMem_Free(lines.data);
    return texts;
}
