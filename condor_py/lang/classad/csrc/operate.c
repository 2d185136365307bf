/*
 * Operators on values: the common pairs of types here, everything else in operators.py, which is the reference.
 * Gain: see evaluate.c.
 */

#include "native.h"

#include <math.h>
#include <string.h>

typedef enum { K_BOOL, K_INT, K_REAL, K_STRING, K_UNDEFINED, K_ERROR, K_OTHER } Kind;

static inline Kind
kind_of(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);

    if (type == &PyLong_Type)
        return K_INT;
    if (type == &PyUnicode_Type)
        return K_STRING;
    if (type == &PyBool_Type)
        return K_BOOL;
    if (type == &PyFloat_Type)
        return K_REAL;
    if (value == shared.undefined)
        return K_UNDEFINED;
    if (value == shared.error)
        return K_ERROR;
    return K_OTHER;
}

int
operator_code(const char *text)
{
    static const char *const names[] = {"==", "!=", "<", "<=", ">", ">=", "=?=", "=!=", "+", "-", "*", "/", "%"};

    for (int i = 0; i < OP_OTHER; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return OP_OTHER;
}

int
truth_of(PyObject *value)
{
    if (value == Py_True)
        return 1;
    if (value == Py_False)
        return 0;
    if (PyLong_CheckExact(value))
        return PyObject_IsTrue(value);
    if (PyFloat_CheckExact(value))
        return PyFloat_AS_DOUBLE(value) != 0.0;
    return -1;
}

static PyObject *
twin(PyObject *op_text, PyObject *a, PyObject *b)
{
    PyObject *args[3] = {op_text, a, b};

    return PyObject_Vectorcall(shared.apply, args, 3, NULL);
}

/* The integer of an int or bool; 0 with *fits cleared where it has more than 64 bits. */
static inline long long
integer(PyObject *value, int *fits)
{
    int overflow;
    long long number;

    if (value == Py_True || value == Py_False)
        return value == Py_True;
    number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow)
        *fits = 0;
    return number;
}

static inline PyObject *
truth(int value)
{
    return Py_NewRef(value ? Py_True : Py_False);
}

static inline PyObject *
order(int op, int less, int same)
{
    switch (op) {
    case OP_EQ: return truth(same);
    case OP_NE: return truth(!same);
    case OP_LT: return truth(less);
    case OP_LE: return truth(less || same);
    case OP_GT: return truth(!less && !same);
    default: return truth(!less);
    }
}

static PyObject *
order_reals(int op, double a, double b)
{
    switch (op) {
    case OP_EQ: return truth(a == b);
    case OP_NE: return truth(a != b);
    case OP_LT: return truth(a < b);
    case OP_LE: return truth(a <= b);
    case OP_GT: return truth(a > b);
    default: return truth(a >= b);
    }
}

/* Compares two ASCII strings with A-Z taken as a-z: negative, 0 or positive. */
static int
compare_ascii(PyObject *a, PyObject *b)
{
    const unsigned char *left = PyUnicode_1BYTE_DATA(a), *right = PyUnicode_1BYTE_DATA(b);
    Py_ssize_t left_length = PyUnicode_GET_LENGTH(a), right_length = PyUnicode_GET_LENGTH(b);
    Py_ssize_t common = left_length < right_length ? left_length : right_length;

    for (Py_ssize_t i = 0; i < common; i++) {
        unsigned char x = left[i], y = right[i];

        if (x == y)
            continue;
        if (x >= 'A' && x <= 'Z')
            x += 32;
        if (y >= 'A' && y <= 'Z')
            y += 32;
        if (x != y)
            return x < y ? -1 : 1;
    }
    return left_length < right_length ? -1 : left_length > right_length;
}

static PyObject *
compare_strings(int op, PyObject *op_text, PyObject *a, PyObject *b)
{
    int relation;

    if (!PyUnicode_IS_ASCII(a) || !PyUnicode_IS_ASCII(b))
        return twin(op_text, a, b);
    if (a == b)
        return order(op, 0, 1);
    if ((op == OP_EQ || op == OP_NE) && PyUnicode_GET_LENGTH(a) != PyUnicode_GET_LENGTH(b))
        return truth(op == OP_NE);
    relation = compare_ascii(a, b);
    return order(op, relation < 0, relation == 0);
}

static PyObject *
compare(int op, PyObject *op_text, PyObject *a, PyObject *b, Kind left, Kind right)
{
    int fits = 1;

    if (left == K_STRING && right == K_STRING)
        return compare_strings(op, op_text, a, b);
    if (left == K_ERROR || right == K_ERROR)
        return Py_NewRef(shared.error);
    if (left == K_UNDEFINED || right == K_UNDEFINED)
        return Py_NewRef(shared.undefined);
    if (left <= K_INT && right <= K_INT) {
        long long x = integer(a, &fits), y = integer(b, &fits);

        return fits ? order(op, x < y, x == y) : twin(op_text, a, b);
    }
    if (left <= K_REAL && right <= K_REAL) {
        double x = left == K_REAL ? PyFloat_AS_DOUBLE(a) : (double)integer(a, &fits);
        double y = right == K_REAL ? PyFloat_AS_DOUBLE(b) : (double)integer(b, &fits);

        return fits ? order_reals(op, x, y) : twin(op_text, a, b);
    }
    return twin(op_text, a, b);
}

static PyObject *
identical(int op, PyObject *op_text, PyObject *a, PyObject *b, Kind left, Kind right)
{
    int same;

    if (left == K_OTHER && right == K_OTHER)
        return twin(op_text, a, b);
    if (left != right)
        same = 0; /* undefined and error are one type in Python but still differ */
    else if (left == K_STRING)
        same = a == b || PyUnicode_Compare(a, b) == 0;
    else if (left == K_REAL)
        same = PyFloat_AS_DOUBLE(a) == PyFloat_AS_DOUBLE(b);
    else if (left == K_INT) {
        int fits = 1;
        long long x = integer(a, &fits), y = integer(b, &fits);

        if (!fits)
            return twin(op_text, a, b);
        same = x == y;
    }
    else
        same = a == b;
    return truth(same == (op == OP_IS));
}

static PyObject *
integer_arithmetic(int op, PyObject *op_text, PyObject *a, PyObject *b)
{
    int fits = 1;
    long long x = integer(a, &fits), y = integer(b, &fits), result = 0;

    if (!fits)
        return twin(op_text, a, b);
    switch (op) {
    case OP_ADD: fits = !__builtin_add_overflow(x, y, &result); break;
    case OP_SUB: fits = !__builtin_sub_overflow(x, y, &result); break;
    case OP_MUL: fits = !__builtin_mul_overflow(x, y, &result); break;
    default:
        if (y == 0 || y == -1)
            return twin(op_text, a, b);
        result = op == OP_DIV ? x / y : x % y;
    }
    return fits ? PyLong_FromLongLong(result) : twin(op_text, a, b);
}

static PyObject *
real_arithmetic(int op, PyObject *op_text, PyObject *a, PyObject *b, Kind left, Kind right)
{
    int fits = 1;
    double x = left == K_REAL ? PyFloat_AS_DOUBLE(a) : (double)integer(a, &fits);
    double y = right == K_REAL ? PyFloat_AS_DOUBLE(b) : (double)integer(b, &fits);
    double result;

    if (!fits || op == OP_MOD || (op == OP_DIV && y == 0.0))
        return twin(op_text, a, b);
    switch (op) {
    case OP_ADD: result = x + y; break;
    case OP_SUB: result = x - y; break;
    case OP_MUL: result = x * y; break;
    default: result = x / y;
    }
    return isinf(result) && result > 0 ? Py_NewRef(shared.error) : PyFloat_FromDouble(result);
}

PyObject *
operate(int op, PyObject *op_text, PyObject *a, PyObject *b)
{
    Kind left = kind_of(a), right = kind_of(b);

    if (op <= OP_GE)
        return compare(op, op_text, a, b, left, right);
    if (op <= OP_ISNT)
        return identical(op, op_text, a, b, left, right);
    if (op <= OP_MOD) {
        if (left == K_ERROR || right == K_ERROR)
            return Py_NewRef(shared.error);
        if (left == K_UNDEFINED || right == K_UNDEFINED)
            return Py_NewRef(shared.undefined);
        if (left <= K_INT && right <= K_INT)
            return integer_arithmetic(op, op_text, a, b);
        if (left <= K_REAL && right <= K_REAL)
            return real_arithmetic(op, op_text, a, b, left, right);
    }
    return twin(op_text, a, b);
}

PyObject *
operate_unary(int op, PyObject *op_text, PyObject *a)
{
    PyObject *args[2] = {op_text, a};

    if (op == OP_NOT) {
        int value;

        if (a == shared.undefined || a == shared.error)
            return Py_NewRef(a);
        value = truth_of(a);
        if (value >= 0)
            return truth(!value);
    }
    return PyObject_Vectorcall(shared.unary, args, 2, NULL);
}
