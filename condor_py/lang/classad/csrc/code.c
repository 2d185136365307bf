/*
 * Compiled expressions: every node of a tree is a Code, a callable of the evaluation state. compile.py builds them;
 * closures.py holds the twin of every maker here. A part that has no Code is any Python callable of the state.
 * Gain: see evaluate.c.
 */

#include "native.h"

typedef struct Code Code;
typedef PyObject *(*EvalFn)(Code *code, State *st);

static PyObject *make(EvalFn eval, int op, PyObject *x, PyObject *y, PyObject *z);

struct Code {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    EvalFn eval;
    long long depth; /* operators above a reference */
    int op;
    PyObject *x, *y, *z; /* parts; what they are depends on eval */
};

static int
code_traverse(Code *code, visitproc visit, void *arg)
{
    Py_VISIT(code->x);
    Py_VISIT(code->y);
    Py_VISIT(code->z);
    return 0;
}

static int
code_clear(Code *code)
{
    Py_CLEAR(code->x);
    Py_CLEAR(code->y);
    Py_CLEAR(code->z);
    return 0;
}

static void
code_dealloc(Code *code)
{
    PyObject_GC_UnTrack(code);
    Py_TRASHCAN_BEGIN(code, code_dealloc)
    code_clear(code);
    Py_TYPE(code)->tp_free((PyObject *)code);
    Py_TRASHCAN_END
}

PyTypeObject Code_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "condor_py.lang.classad._native.Code",
    .tp_doc = "A compiled part of an expression: a callable of the evaluation state.",
    .tp_basicsize = sizeof(Code),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_dealloc = (destructor)code_dealloc,
    .tp_traverse = (traverseproc)code_traverse,
    .tp_clear = (inquiry)code_clear,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Code, vectorcall),
};

PyObject *
invoke(PyObject *fn, State *st)
{
    if (stack_is_low())
        return fail_too_deep();
    if (Py_TYPE(fn) == &Code_Type)
        return ((Code *)fn)->eval((Code *)fn, st);
    return PyObject_CallOneArg(fn, (PyObject *)st);
}

static PyObject *
code_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords)
{
    if (PyVectorcall_NARGS(flags) != 1 || keywords != NULL || Py_TYPE(args[0]) != &State_Type) {
        PyErr_SetString(PyExc_TypeError, "a compiled expression expects one evaluation state");
        return NULL;
    }
    return invoke(self, (State *)args[0]);
}

/* ---- leaves ------------------------------------------------------------------------------------------------- */

static PyObject *
eval_literal(Code *code, State *st)
{
    (void)st;
    return Py_NewRef(code->x);
}

/* The name code->x seen from the ad at hand. */
static PyObject *
eval_reference(Code *code, State *st)
{
    PyObject *ad = st->ad, *attrs, *binding;

    if (ad == Py_None)
        return Py_NewRef(shared.undefined);
    attrs = SLOT(ad, shared.r_attrs);
    if (attrs != NULL && PyDict_Check(attrs)) {
        binding = PyDict_GetItemWithError(attrs, code->x);
        if (binding != NULL && Py_TYPE(binding) == shared.Binding)
            return value_of(st, ad, binding, code->depth);
        if (PyErr_Occurred())
            return NULL;
    }
    return fetch(st, ad, code->x, code->depth, 1);
}

/* code->x in `owner`, where chained parents, then enclosing ads are asked. */
static PyObject *
reference_into(Code *code, State *st, PyObject *owner)
{
    PyObject *attrs = SLOT(owner, shared.r_attrs), *binding;

    if (attrs != NULL && PyDict_Check(attrs)) {
        binding = PyDict_GetItemWithError(attrs, code->x);
        if (binding != NULL && Py_TYPE(binding) == shared.Binding)
            return value_of(st, owner, binding, code->depth);
        if (PyErr_Occurred())
            return NULL;
    }
    return fetch(st, owner, code->x, code->depth, 0);
}

/* TARGET.x, straight into the other ad; code->y is the general form, code->z the key "target". */
static PyObject *
eval_target(Code *code, State *st)
{
    PyObject *ad = st->ad, *other;

    if (ad == Py_None)
        return invoke(code->y, st);
    if (ad == st->left)
        other = st->right;
    else if (ad == st->right)
        other = st->left;
    else if (st->left == Py_None && (SLOT(ad, shared.r_scope) == NULL || SLOT(ad, shared.r_scope) == Py_None))
        other = NULL; /* no match, and no ad around this one: nobody is meant */
    else
        return invoke(code->y, st);
    if (other == Py_None || find_binding(ad, code->z) != NULL)
        return invoke(code->y, st);
    if (PyErr_Occurred())
        return NULL;
    return other == NULL ? Py_NewRef(shared.undefined) : reference_into(code, st, other);
}

/* MY.x, straight into the ad at hand; code->y is the general form, code->z the key "my". */
static PyObject *
eval_my(Code *code, State *st)
{
    if (st->ad == Py_None || find_binding(st->ad, code->z) != NULL)
        return invoke(code->y, st);
    return PyErr_Occurred() ? NULL : reference_into(code, st, st->ad);
}

/* ---- operators ---------------------------------------------------------------------------------------------- */

static PyObject *
eval_unary(Code *code, State *st)
{
    PyObject *value = invoke(code->x, st), *result;

    if (value == NULL)
        return NULL;
    result = operate_unary(code->op, code->y, value);
    Py_DECREF(value);
    return result;
}

static PyObject *
eval_binary(Code *code, State *st)
{
    PyObject *left = invoke(code->x, st), *right, *result;

    if (left == NULL)
        return NULL;
    right = invoke(code->y, st);
    if (right == NULL) {
        Py_DECREF(left);
        return NULL;
    }
    result = operate(code->op, code->z, left, right);
    Py_DECREF(left);
    Py_DECREF(right);
    return result;
}

/* The value of a chain so far (stolen), which does not decide, with that of its next part (stolen). */
static PyObject *
join_values(PyObject *value, PyObject *next, PyObject *decisive)
{
    PyObject *result = NULL, *args[3] = {value, next, decisive};

    if (PyBool_Check(value) && (PyBool_Check(next) || next == shared.undefined || next == shared.error))
        result = Py_NewRef(next);
    else if (value == shared.undefined && PyBool_Check(next))
        result = Py_NewRef(next == decisive ? decisive : shared.undefined);
    else
        result = PyObject_Vectorcall(shared.join, args, 3, NULL);
    Py_DECREF(value);
    Py_DECREF(next);
    return result;
}

/* A chain of && (op 0) or || (op 1); code->x is the tuple of its parts, code->y the value that decides. */
static PyObject *
eval_chain(Code *code, State *st)
{
    PyObject *parts = code->x, *decisive = code->y, *value;

    value = invoke(PyTuple_GET_ITEM(parts, 0), st);
    for (Py_ssize_t i = 1; value != NULL && i < PyTuple_GET_SIZE(parts); i++) {
        PyObject *next;

        if (value == decisive || value == shared.error)
            return value;
        if (!PyBool_Check(value) && truth_of(value) == (decisive == Py_True)) {
            Py_DECREF(value);
            return Py_NewRef(decisive);
        }
        next = invoke(PyTuple_GET_ITEM(parts, i), st);
        if (next == NULL) {
            Py_DECREF(value);
            return NULL;
        }
        value = join_values(value, next, decisive);
    }
    return value;
}

/* Both branches are evaluated where the test is no truth value, for the limits that one of them may exceed. */
static PyObject *
choose_neither(Code *code, State *st)
{
    PyObject *yes = invoke(code->y, st), *no;

    if (yes == NULL)
        return NULL;
    Py_DECREF(yes);
    no = invoke(code->z, st);
    if (no == NULL)
        return NULL;
    Py_DECREF(no);
    return Py_NewRef(shared.error);
}

static PyObject *
eval_ternary(Code *code, State *st)
{
    PyObject *test = invoke(code->x, st);
    int truth;

    if (test == NULL || test == shared.undefined || test == shared.error)
        return test;
    truth = truth_of(test);
    Py_DECREF(test);
    if (truth < 0)
        return choose_neither(code, st);
    return invoke(truth ? code->y : code->z, st);
}

static PyObject *
eval_elvis(Code *code, State *st)
{
    PyObject *value = invoke(code->x, st);

    if (value != shared.undefined)
        return value;
    Py_DECREF(value);
    return invoke(code->y, st);
}

/* ---- functions ---------------------------------------------------------------------------------------------- */

/* code->x is the function, code->y the tuple of compiled arguments, code->z that of their trees. */
static PyObject *
eval_call(Code *code, State *st)
{
    PyObject *args[3] = {(PyObject *)st, code->y, code->z};

    return count_call(st) ? PyObject_Vectorcall(code->x, args, 3, NULL) : NULL;
}

/* A tuple of constants; takes the references. */
static PyObject *
constants(PyObject **values, Py_ssize_t count)
{
    PyObject *fns = PyTuple_New(count);

    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *fn = fns == NULL ? NULL : make(eval_literal, 0, values[i], NULL, NULL);

        Py_DECREF(values[i]);
        if (fn == NULL)
            Py_CLEAR(fns);
        else
            PyTuple_SET_ITEM(fns, i, fn);
    }
    return fns;
}

static void
release(PyObject **values, Py_ssize_t count)
{
    while (count-- > 0)
        Py_DECREF(values[count]);
}

/* As eval_call, for the function code->op of call.c; arguments that are not plain go to code->x evaluated. */
static PyObject *
eval_plain_call(Code *code, State *st)
{
    PyObject *values[MAX_PLAIN_ARGUMENTS], *result, *fns;
    Py_ssize_t count = PyTuple_GET_SIZE(code->y);

    if (!count_call(st))
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        values[i] = invoke(PyTuple_GET_ITEM(code->y, i), st);
        if (values[i] == NULL) {
            release(values, i);
            return NULL;
        }
        if (ends_at_undefined(code->op) && (values[i] == shared.undefined || values[i] == shared.error)) {
            release(values, i);
            return values[i];
        }
    }
    result = call_plain(code->op, values, count);
    if (result != NULL || PyErr_Occurred()) {
        release(values, count);
        return result;
    }
    fns = constants(values, count);
    if (fns != NULL) {
        PyObject *args[3] = {(PyObject *)st, fns, code->z};

        result = PyObject_Vectorcall(code->x, args, 3, NULL);
        Py_DECREF(fns);
    }
    return result;
}

static PyObject *
eval_if_then_else(Code *code, State *st)
{
    PyObject *test = count_call(st) ? invoke(code->x, st) : NULL;
    int truth;

    if (test == NULL || test == shared.undefined)
        return test;
    truth = truth_of(test);
    Py_DECREF(test);
    if (truth < 0)
        return Py_NewRef(shared.error);
    return invoke(truth ? code->y : code->z, st);
}

static PyObject *
eval_is_undefined(Code *code, State *st)
{
    PyObject *value = count_call(st) ? invoke(code->x, st) : NULL;
    int undefined = value == shared.undefined;

    if (value == NULL)
        return NULL;
    Py_DECREF(value);
    return PyBool_FromLong(undefined);
}

/* ---- makers, called by compile.py --------------------------------------------------------------------------- */

static PyObject *
make(EvalFn eval, int op, PyObject *x, PyObject *y, PyObject *z)
{
    Code *code = PyObject_GC_New(Code, &Code_Type);

    if (code == NULL)
        return NULL;
    code->vectorcall = code_call;
    code->eval = eval;
    code->depth = 0;
    code->op = op;
    code->x = Py_XNewRef(x);
    code->y = Py_XNewRef(y);
    code->z = Py_XNewRef(z);
    PyObject_GC_Track(code);
    return (PyObject *)code;
}

static PyObject *
literal(PyObject *self, PyObject *value)
{
    (void)self;
    return make(eval_literal, 0, value, NULL, NULL);
}

static PyObject *
make_reference(EvalFn eval, PyObject *args, const char *format, const char *owner)
{
    PyObject *key, *general = NULL, *owner_key = NULL, *code;
    long long depth;

    if (!PyArg_ParseTuple(args, format, &key, &depth, &general))
        return NULL;
    if (owner != NULL && (owner_key = PyUnicode_InternFromString(owner)) == NULL)
        return NULL;
    code = make(eval, 0, key, general, owner_key);
    Py_XDECREF(owner_key);
    if (code != NULL)
        ((Code *)code)->depth = depth;
    return code;
}

static PyObject *
reference(PyObject *self, PyObject *args)
{
    (void)self;
    return make_reference(eval_reference, args, "UL:reference", NULL);
}

static PyObject *
target_reference(PyObject *self, PyObject *args)
{
    (void)self;
    return make_reference(eval_target, args, "ULO:target_reference", "target");
}

static PyObject *
my_reference(PyObject *self, PyObject *args)
{
    (void)self;
    return make_reference(eval_my, args, "ULO:my_reference", "my");
}

static PyObject *
unary(PyObject *self, PyObject *args)
{
    PyObject *op, *inner;
    const char *text;

    (void)self;
    if (!PyArg_ParseTuple(args, "UO:unary", &op, &inner) || (text = PyUnicode_AsUTF8(op)) == NULL)
        return NULL;
    return make(eval_unary, text[0] == '!' ? OP_NOT : OP_OTHER, inner, op, NULL);
}

static PyObject *
binary(PyObject *self, PyObject *args)
{
    PyObject *op, *left, *right;
    const char *text;

    (void)self;
    if (!PyArg_ParseTuple(args, "UOO:binary", &op, &left, &right) || (text = PyUnicode_AsUTF8(op)) == NULL)
        return NULL;
    return make(eval_binary, operator_code(text), left, right, op);
}

static PyObject *
chain(PyObject *self, PyObject *args)
{
    PyObject *decisive, *parts;

    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!:chain", &PyBool_Type, &decisive, &PyTuple_Type, &parts))
        return NULL;
    if (PyTuple_GET_SIZE(parts) < 2) {
        PyErr_SetString(PyExc_ValueError, "a chain has two parts or more");
        return NULL;
    }
    return make(eval_chain, 0, parts, decisive, NULL);
}

static PyObject *
ternary(PyObject *self, PyObject *args)
{
    PyObject *test, *yes, *no;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOO:ternary", &test, &yes, &no))
        return NULL;
    return make(eval_ternary, 0, test, yes, no);
}

static PyObject *
elvis(PyObject *self, PyObject *args)
{
    PyObject *left, *right;

    (void)self;
    if (!PyArg_ParseTuple(args, "OO:elvis", &left, &right))
        return NULL;
    return make(eval_elvis, 0, left, right, NULL);
}

static PyObject *
call(PyObject *self, PyObject *args)
{
    PyObject *name, *function, *fns, *nodes;
    const char *text;
    int known;

    (void)self;
    if (!PyArg_ParseTuple(args, "UOO!O!:call", &name, &function, &PyTuple_Type, &fns, &PyTuple_Type, &nodes))
        return NULL;
    text = PyUnicode_AsUTF8(name);
    if (text == NULL)
        return NULL;
    if (PyTuple_GET_SIZE(fns) == 3 && PyOS_stricmp(text, "ifthenelse") == 0)
        return make(eval_if_then_else, 0, PyTuple_GET_ITEM(fns, 0), PyTuple_GET_ITEM(fns, 1),
                    PyTuple_GET_ITEM(fns, 2));
    if (PyTuple_GET_SIZE(fns) == 1 && PyOS_stricmp(text, "isundefined") == 0)
        return make(eval_is_undefined, 0, PyTuple_GET_ITEM(fns, 0), NULL, NULL);
    known = plain_function(text, PyTuple_GET_SIZE(fns));
    if (known >= 0)
        return make(eval_plain_call, known, function, fns, nodes);
    return make(eval_call, 0, function, fns, nodes);
}

PyMethodDef code_makers[] = {
    {"literal", literal, METH_O, "A constant."},
    {"reference", reference, METH_VARARGS, "A name."},
    {"target_reference", target_reference, METH_VARARGS, "TARGET.name, with the general form for odd cases."},
    {"my_reference", my_reference, METH_VARARGS, "MY.name, with the general form for odd cases."},
    {"unary", unary, METH_VARARGS, "A unary operator."},
    {"binary", binary, METH_VARARGS, "A binary operator on values."},
    {"chain", chain, METH_VARARGS, "A chain of && or ||."},
    {"ternary", ternary, METH_VARARGS, "test ? yes : no."},
    {"elvis", elvis, METH_VARARGS, "left ?: right."},
    {"call", call, METH_VARARGS, "A function call."},
    {NULL, NULL, 0, NULL},
};
