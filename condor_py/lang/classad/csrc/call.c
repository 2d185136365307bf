/*
 * The commonest built-in functions on plain arguments: short ASCII texts, integers, truth values. Whatever else they get
 * is left to the functions themselves (functions/strings.py, types.py, lists.py), which are the reference.
 * Gain: see evaluate.c.
 */

#include "writer.h"

#define LONGEST_PLAIN 256 /* longer texts are counted as steps, see functions/__init__.py */

typedef struct {
    const char *name;
    int least, most;
} Plain;

enum { STRCAT, TOUPPER, TOLOWER, STRING, INT, SUBSTR };

static const Plain plain[] = {
    [STRCAT] = {"strcat", 1, MAX_PLAIN_ARGUMENTS},
    [TOUPPER] = {"toupper", 1, 1},
    [TOLOWER] = {"tolower", 1, 1},
    [STRING] = {"string", 1, 1},
    [INT] = {"int", 1, 1},
    [SUBSTR] = {"substr", 2, 3},
};

int
plain_function(const char *name, Py_ssize_t arguments)
{
    for (int i = 0; i < (int)(sizeof plain / sizeof *plain); i++)
        if (PyOS_stricmp(plain[i].name, name) == 0)
            return arguments >= plain[i].least && arguments <= plain[i].most ? i : -1;
    return -1;
}

int
ends_at_undefined(int function)
{
    return function == STRCAT;
}

/* The bytes of a plain text; NULL for anything else. */
static const char *
text_of(PyObject *value, Py_ssize_t *length)
{
    if (!PyUnicode_CheckExact(value) || !PyUnicode_IS_COMPACT_ASCII(value))
        return NULL;
    *length = PyUnicode_GET_LENGTH(value);
    return *length <= LONGEST_PLAIN ? (const char *)PyUnicode_1BYTE_DATA(value) : NULL;
}

static PyObject *
ascii(const char *text, Py_ssize_t length)
{
    PyObject *result = PyUnicode_New(length, 127);

    if (result != NULL)
        memcpy(PyUnicode_1BYTE_DATA(result), text, (size_t)length);
    return result;
}

/* The text of a value, at most LONGEST_PLAIN bytes into `room`; -1 where it is not plain. */
static Py_ssize_t
put_text(PyObject *value, char *room)
{
    Py_ssize_t length;
    const char *text = text_of(value, &length);

    if (text != NULL) {
        memcpy(room, text, (size_t)length);
        return length;
    }
    if (PyBool_Check(value)) {
        length = value == Py_True ? 4 : 5;
        memcpy(room, value == Py_True ? "true" : "false", (size_t)length);
        return length;
    }
    if (PyLong_CheckExact(value)) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);

        return overflow ? -1 : digits_of(number, room);
    }
    return -1;
}

static PyObject *
concatenate(PyObject **values, Py_ssize_t count)
{
    char room[2 * LONGEST_PLAIN + 32];
    Py_ssize_t length = 0;

    for (Py_ssize_t i = 0; i < count; i++) {
        Py_ssize_t more = put_text(values[i], room + length);

        if (more < 0 || (length += more) > LONGEST_PLAIN)
            return NULL;
    }
    return ascii(room, length);
}

static PyObject *
change_case(PyObject *value, char first, char last, int distance)
{
    char room[LONGEST_PLAIN];
    Py_ssize_t length;
    const char *text = text_of(value, &length);

    if (text == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < length; i++)
        room[i] = text[i] >= first && text[i] <= last ? (char)(text[i] + distance) : text[i];
    return ascii(room, length);
}

/* A number that fits 32 bits. */
static int
small_number(PyObject *value, long long *number)
{
    int overflow;

    if (!PyLong_CheckExact(value))
        return 0;
    *number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return !overflow && *number >= INT32_MIN && *number <= INT32_MAX;
}

static PyObject *
part(PyObject **values, Py_ssize_t count)
{
    Py_ssize_t size;
    const char *text = text_of(values[0], &size);
    long long start, length, end = size;

    if (text == NULL || !small_number(values[1], &start) || (count == 3 && !small_number(values[2], &length)))
        return NULL;
    if (start < 0)
        start = start + size > 0 ? start + size : 0;
    if (start > size)
        start = size;
    if (count == 3)
        end = length < 0 ? size + length : start + length < size ? start + length : size;
    return ascii(text + start, end > start ? (Py_ssize_t)(end - start) : 0);
}

PyObject *
call_plain(int function, PyObject **values, Py_ssize_t count)
{
    switch (function) {
    case STRCAT:
    case STRING:
        return concatenate(values, count);
    case TOUPPER:
        return change_case(values[0], 'a', 'z', 'A' - 'a');
    case TOLOWER:
        return change_case(values[0], 'A', 'Z', 'a' - 'A');
    case INT:
        return PyLong_CheckExact(values[0]) ? Py_NewRef(values[0]) : NULL;
    default:
        return part(values, count);
    }
}
