/*
 * Messages between daemons, on their way to bytes and back: codec.py and client/wire.py are the twins. Everything that is
 * not plain (numbers that JSON has not, values that have to be looked at, what is wrong) is left to them: then the answer
 * is None.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

/* Two 32-bit numbers begin a frame. */
#define LENGTHS 8
#define MOST 0xffffffffLL

typedef struct {
    char *data;
    Py_ssize_t length, room;
} Text;

/* The readers of whole numbers and of numbers: what they would take needs no call. */
static PyObject *whole, *number;
static PyObject *escaped; /* the function of Python's own that writes texts in which something has to be escaped */

/* All that return int: 1 for done, 0 where the twin has to do it, or for a failure with an exception set. */

static int
add(Text *out, const char *data, Py_ssize_t length)
{
    if (length > out->room - out->length) {
        Py_ssize_t room = 2 * out->length + length + 256;
        char *bigger = PyMem_Realloc(out->data, (size_t)room);

        if (bigger == NULL) {
            PyErr_NoMemory();
            return 0;
        }
        out->data = bigger;
        out->room = room;
    }
    memcpy(out->data + out->length, data, (size_t)length);
    out->length += length;
    return 1;
}

/* A string of ASCII, which is stolen. */
static int
add_made(Text *out, PyObject *text)
{
    int done = text != NULL && PyUnicode_CheckExact(text) && PyUnicode_IS_ASCII(text) &&
               add(out, (const char *)PyUnicode_1BYTE_DATA(text), PyUnicode_GET_LENGTH(text));

    Py_XDECREF(text);
    return done;
}

static int
add_text(Text *out, PyObject *text)
{
    const unsigned char *s;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), at = 0;

    if (PyUnicode_IS_ASCII(text)) {
        s = PyUnicode_1BYTE_DATA(text);
        while (at < length && s[at] >= ' ' && s[at] <= '~' && s[at] != '"' && s[at] != '\\')
            at++;
        if (at == length)
            return add(out, "\"", 1) && add(out, (const char *)s, length) && add(out, "\"", 1);
    }
    return add_made(out, PyObject_CallOneArg(escaped, text));
}

static int add_value(Text *out, PyObject *value);

static int
add_object(Text *out, PyObject *object)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    int first = 1;

    if (!add(out, "{", 1))
        return 0;
    while (PyDict_Next(object, &at, &name, &value)) {
        if (!PyUnicode_CheckExact(name) || (!first && !add(out, ",", 1)))
            return 0;
        if (!add_text(out, name) || !add(out, ":", 1) || !add_value(out, value))
            return 0;
        first = 0;
    }
    return add(out, "}", 1);
}

static int
add_list(Text *out, PyObject *list)
{
    if (!add(out, "[", 1))
        return 0;
    for (Py_ssize_t at = 0; at < PySequence_Fast_GET_SIZE(list); at++)
        if ((at > 0 && !add(out, ",", 1)) || !add_value(out, PySequence_Fast_GET_ITEM(list, at)))
            return 0;
    return add(out, "]", 1);
}

static int
add_inner(Text *out, PyObject *value)
{
    int done;

    if (!PyDict_CheckExact(value) && !PyList_CheckExact(value) && !PyTuple_Check(value))
        return 0;
    if (Py_EnterRecursiveCall(" in a message"))
        return 0;
    done = PyDict_CheckExact(value) ? add_object(out, value) : add_list(out, value);
    Py_LeaveRecursiveCall();
    return done;
}

static int
add_value(Text *out, PyObject *value)
{
    if (PyUnicode_CheckExact(value))
        return add_text(out, value);
    if (value == Py_None)
        return add(out, "null", 4);
    if (value == Py_True)
        return add(out, "true", 4);
    if (value == Py_False)
        return add(out, "false", 5);
    if (PyLong_CheckExact(value))
        return add_made(out, PyObject_Repr(value));
    if (PyFloat_CheckExact(value))
        return Py_IS_FINITE(PyFloat_AS_DOUBLE(value)) && add_made(out, PyObject_Repr(value));
    return add_inner(out, value);
}

static void
put_length(char *to, Py_ssize_t length)
{
    for (int byte = 3; byte >= 0; byte--, length >>= 8)
        to[byte] = (char)(length & 0xff);
}

/* What a message tells, as codec.head_of puts it together: its word (or, of an answer, whether it is none of refusal),
 * what came with it that we do not know, its fields, and what `written` makes JSON of. */
static PyObject *
head_of(PyObject *word, PyObject *unknown, PyObject *told, PyObject *written)
{
    PyObject *head = PyDict_New(), *pair, *value;
    int done = head != NULL && PyDict_SetItemString(head, PyBool_Check(word) ? "ok" : "op", word) == 0 &&
               PyDict_Update(head, unknown) == 0 && PyDict_Update(head, told) == 0;

    for (Py_ssize_t at = 0; done && at < PyTuple_GET_SIZE(written); at++) {
        pair = PyTuple_GET_ITEM(written, at);
        value = PyDict_GetItemWithError(head, PyTuple_GET_ITEM(pair, 0));
        if (value == NULL) {
            done = !PyErr_Occurred();
            continue;
        }
        value = PyObject_CallOneArg(PyTuple_GET_ITEM(pair, 1), value);
        done = value != NULL && PyDict_SetItem(head, PyTuple_GET_ITEM(pair, 0), value) == 0;
        Py_XDECREF(value);
    }
    if (!done)
        Py_CLEAR(head);
    return head;
}

static PyObject *
framed(PyObject *head, PyObject *body)
{
    Text out = {0};
    PyObject *made = NULL;
    Py_ssize_t length = PyBytes_GET_SIZE(body);

    if (add(&out, "\0\0\0\0\0\0\0", LENGTHS) && add_object(&out, head) && out.length - LENGTHS <= MOST && length <= MOST)
        made = PyBytes_FromStringAndSize(NULL, out.length + length);
    if (made != NULL) {
        put_length(out.data, out.length - LENGTHS);
        put_length(out.data + LENGTHS / 2, length);
        memcpy(PyBytes_AS_STRING(made), out.data, (size_t)out.length);
        memcpy(PyBytes_AS_STRING(made) + out.length, PyBytes_AS_STRING(body), (size_t)length);
    }
    PyMem_Free(out.data);
    return made != NULL || PyErr_Occurred() ? made : Py_NewRef(Py_None);
}

/* frame(word, unknown, fields, written, body): the bytes of a message, or None. */
static PyObject *
frame(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    PyObject *head, *made;

    (void)module;
    if (given != 5 || !PyTuple_CheckExact(args[3]) || !PyBytes_CheckExact(args[4])) {
        PyErr_SetString(PyExc_TypeError, "frame(word, unknown, fields, written, body)");
        return NULL;
    }
    head = head_of(args[0], args[1], args[2], args[3]);
    made = head == NULL ? NULL : framed(head, args[4]);
    Py_XDECREF(head);
    return made;
}

static int
is_number(PyObject *value, PyObject *reader)
{
    int beyond = 0;

    if (reader == number && PyFloat_CheckExact(value))
        return Py_IS_FINITE(PyFloat_AS_DOUBLE(value));
    if ((reader != number && reader != whole) || !PyLong_CheckExact(value))
        return 0;
    (void)PyLong_AsLongLongAndOverflow(value, &beyond);
    return !beyond;
}

/* A value (new reference), if it is of the type with which it need not be read, or its reader takes it; NULL otherwise,
 * without an exception: the twin says what is wrong. */
static PyObject *
taken(PyObject *value, PyObject *reader, PyObject *plain)
{
    PyObject *made;

    if ((PyObject *)Py_TYPE(value) == plain || is_number(value, reader))
        return Py_NewRef(value);
    Py_INCREF(value); /* a reader is Python */
    made = PyObject_CallOneArg(reader, value);
    Py_DECREF(value);
    if (made == NULL)
        PyErr_Clear();
    return made;
}

static int
take(PyObject *found, PyObject *name, PyObject *value, PyObject *reader, PyObject *plain)
{
    PyObject *made = taken(value, reader, plain);
    int done = made != NULL && PyDict_SetItem(found, name, made) == 0;

    Py_XDECREF(made);
    return done;
}

static PyObject *
all_or_none(PyObject *found, int done)
{
    if (found != NULL && done)
        return found;
    Py_XDECREF(found);
    PyErr_Clear();
    Py_RETURN_NONE;
}

/* fields(kinds, head): what a head tells of the fields of a message, or None. Of each kind its name, what reads it, the
 * type with which it need not be read, whether it has to be there. */
static PyObject *
fields(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    PyObject *found, *kind, *value;
    int done = 1;

    (void)module;
    if (given != 2 || !PyTuple_CheckExact(args[0]) || !PyDict_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "fields(kinds, head)");
        return NULL;
    }
    found = PyDict_New();
    for (Py_ssize_t at = 0; found != NULL && done && at < PyTuple_GET_SIZE(args[0]); at++) {
        kind = PyTuple_GET_ITEM(args[0], at);
        value = PyDict_GetItemWithError(args[1], PyTuple_GET_ITEM(kind, 0));
        if (value == NULL)
            done = PyTuple_GET_ITEM(kind, 3) == Py_False;
        else
            done = take(found, PyTuple_GET_ITEM(kind, 0), value, PyTuple_GET_ITEM(kind, 1), PyTuple_GET_ITEM(kind, 2));
    }
    return all_or_none(found, done);
}

/* parts(kinds, told): what is told of the parts of a record, each checked, or None; others are not ours to know. Of each
 * kind, by name, what reads it and the type with which it need not be read. */
static PyObject *
parts(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    PyObject *found, *kind, *name, *value;
    Py_ssize_t at = 0;
    int done = 1;

    (void)module;
    if (given != 2 || !PyDict_CheckExact(args[0]) || !PyDict_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "parts(kinds, told)");
        return NULL;
    }
    found = PyDict_New();
    while (found != NULL && done && PyDict_Next(args[1], &at, &name, &value)) {
        kind = PyDict_GetItemWithError(args[0], name);
        if (kind == NULL)
            done = !PyErr_Occurred();
        else
            done = take(found, name, value, PyTuple_GET_ITEM(kind, 0), PyTuple_GET_ITEM(kind, 1));
    }
    return all_or_none(found, done);
}

/* know(whole, number): the readers of whole numbers in 64 bits, and of these and other finite numbers. */
static PyObject *
know(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    (void)module;
    if (given != 2) {
        PyErr_SetString(PyExc_TypeError, "know(whole, number)");
        return NULL;
    }
    Py_XSETREF(whole, Py_NewRef(args[0]));
    Py_XSETREF(number, Py_NewRef(args[1]));
    Py_RETURN_NONE;
}

#define FAST(name, function, text) {name, (PyCFunction)(void (*)(void))function, METH_FASTCALL, text}
static PyMethodDef functions[] = {
    FAST("frame", frame, "The bytes of a message, or None."),
    FAST("fields", fields, "The fields of a message that a head tells, or None."),
    FAST("know", know, "Takes the readers of numbers."),
    FAST("parts", parts, "The parts of a record that are told, or None."),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "condor_py.model._telling", .m_size = -1, .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__telling(void)
{
    PyObject *json = PyImport_ImportModule("_json");

    escaped = json == NULL ? NULL : PyObject_GetAttrString(json, "encode_basestring_ascii");
    Py_XDECREF(json);
    return escaped == NULL ? NULL : PyModule_Create(&module);
}
