/*
 * Names and limits: the evaluation state, the look-up of names through chained and enclosing ads and the other ad of a
 * match, and the entry points that evaluate an expression, an attribute or a match. evaluate.py is the twin.
 * With code.c, operate.c and call.c 14 times as fast as the twins (tests/bench/bench_compiled.py): negotiation consists
 * of it.
 */

#define _GNU_SOURCE
#include "native.h"

#include <pthread.h>

#define MAX_DEPTH 400
#define MAX_STEPS 4000000LL
#define NO_ALLOWANCE LLONG_MAX
#define MAX_CHAIN 100000 /* links of a chain of ads; no more than a guard against a chain that ends in itself */
#define STACK_RESERVE (512 * 1024)

/* ---- limits ------------------------------------------------------------------------------------------------- */

__thread char *stack_floor;

/* Finds where the stack of this thread ends, less a reserve. */
char *
find_stack_floor(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) != 0)
            lowest = NULL;
        pthread_attr_destroy(&attributes);
    }
    if (lowest == NULL || size > ((size_t)1 << 30))
        return (char *)__builtin_frame_address(0) - 4 * 1024 * 1024; /* unknown or unlimited: count from here */
    if (size < 2 * STACK_RESERVE)
        return (char *)lowest + size / 2;
    return (char *)lowest + STACK_RESERVE;
}

PyObject *
fail_too_deep(void)
{
    PyErr_SetString(shared.EvaluationError, "expression is nested too deeply to be evaluated");
    return NULL;
}

static PyObject *
fail_too_long(void)
{
    PyErr_SetString(shared.EvaluationError, "expression needs too many steps to be evaluated");
    return NULL;
}

int
count_call(State *st)
{
    st->steps -= CALL_STEPS;
    return st->steps >= 0 || fail_too_long() != NULL;
}

/* Steps that several evaluations may take together, see allowance.py: what one leaves, the next may use. */
static long long left = NO_ALLOWANCE;

static long long
allowed_steps(void)
{
    return left >= MAX_STEPS ? MAX_STEPS : left > 0 ? left : 0;
}

static void
spend_steps(long long steps)
{
    if (left != NO_ALLOWANCE)
        left -= steps;
}

/* allowance([steps]): what is left (NO_ALLOWANCE without a limit); `steps` replaces it. */
PyObject *
native_allowance(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long before = left, wanted;

    (void)self;
    if (count > 1) {
        PyErr_SetString(PyExc_TypeError, "allowance(steps=None)");
        return NULL;
    }
    if (count == 1) {
        wanted = PyLong_AsLongLong(args[0]);
        if (wanted == -1 && PyErr_Occurred())
            return NULL;
        left = wanted;
    }
    return PyLong_FromLongLong(before);
}

/* ---- the state ---------------------------------------------------------------------------------------------- */

/* Evaluation looks into the slots of an ad and its parents: those of the store that nobody has looked at are read first
   (store/stored_ad.py). 0 with an exception. */
static int
is_read(PyObject *ad)
{
    for (int i = 0; i < MAX_CHAIN && ad != NULL && ad != Py_None && is_record(ad); i++) {
        if (SLOT(ad, shared.r_attrs) == NULL && attributes_of(ad) == NULL)
            return 0;
        ad = SLOT(ad, shared.r_parent);
    }
    return 1;
}

static void
fill_state(State *st, PyObject *ad, PyObject *target)
{
    PyObject *root = ad;

    st->ad = Py_NewRef(ad);
    if (target == Py_None || target == ad || ad == Py_None) {
        st->left = Py_NewRef(Py_None);
        st->right = Py_NewRef(Py_None);
    }
    else {
        st->left = Py_NewRef(ad);
        st->right = Py_NewRef(target);
    }
    for (int i = 0; i < MAX_CHAIN && root != Py_None; i++) {
        PyObject *scope = SLOT(root, shared.r_scope);

        if (scope == NULL || !is_record(scope))
            break;
        root = scope;
    }
    st->root = Py_NewRef(root);
    st->outer = Py_NewRef(Py_None);
    st->nested = Py_NewRef(Py_None);
    st->loose = Py_NewRef(shared.nothing);
    st->rem = MAX_DEPTH;
    st->steps = st->given = allowed_steps();
    st->marks = NULL;
}

/* The state of an evaluation that has ended, for the next one; its fields are empty. */
static State *spare;

static State *
new_state(PyObject *ad, PyObject *target)
{
    State *st;

    if (!is_read(ad) || !is_read(target))
        return NULL;
    st = spare != NULL ? spare : (State *)State_Type.tp_alloc(&State_Type, 0);
    spare = NULL;
    if (st != NULL)
        fill_state(st, ad, target);
    return st;
}

static int
check_ads(PyObject *ad, PyObject *target)
{
    if ((ad == Py_None || is_record(ad)) && (target == Py_None || is_record(target)))
        return 1;
    PyErr_SetString(PyExc_TypeError, "expected an ad or None");
    return 0;
}

static PyObject *
state_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *ad, *target = Py_None;
    static char *names[] = {"ad", "target", NULL};
    State *st;

    if (!require_connected() || !PyArg_ParseTupleAndKeywords(args, keywords, "O|O", names, &ad, &target))
        return NULL;
    if (!check_ads(ad, target) || !is_read(ad) || !is_read(target) || (st = (State *)type->tp_alloc(type, 0)) == NULL)
        return NULL;
    fill_state(st, ad, target);
    return (PyObject *)st;
}

static int
state_traverse(State *st, visitproc visit, void *arg)
{
    Py_VISIT(st->ad);
    Py_VISIT(st->left);
    Py_VISIT(st->right);
    Py_VISIT(st->root);
    Py_VISIT(st->outer);
    Py_VISIT(st->nested);
    Py_VISIT(st->loose);
    return 0;
}

static int
state_clear(State *st)
{
    Py_CLEAR(st->ad);
    Py_CLEAR(st->left);
    Py_CLEAR(st->right);
    Py_CLEAR(st->root);
    Py_CLEAR(st->outer);
    Py_CLEAR(st->nested);
    Py_CLEAR(st->loose);
    return 0;
}

/* Ends an evaluation: a state that nobody else holds is kept for the next. */
static void
leave_state(State *st)
{
    if (Py_REFCNT(st) != 1) {
        Py_DECREF(st);
        return;
    }
    state_clear(st);
    if (spare == NULL)
        spare = st;
    else
        Py_DECREF(st);
}

static void
state_dealloc(State *st)
{
    PyObject_GC_UnTrack(st);
    state_clear(st);
    Py_TYPE(st)->tp_free((PyObject *)st);
}

static PyObject *
state_get(State *st, void *offset)
{
    PyObject *value = SLOT(st, (Py_ssize_t)offset);

    return Py_NewRef(value == NULL ? Py_None : value);
}

/* Sets an ad (a Record or None). */
static int
state_set_ad(State *st, PyObject *value, void *offset)
{
    PyObject *before = SLOT(st, (Py_ssize_t)offset);

    if (value == NULL || (value != Py_None && !is_record(value))) {
        PyErr_SetString(PyExc_TypeError, "expected an ad or None");
        return -1;
    }
    SLOT(st, (Py_ssize_t)offset) = Py_NewRef(value);
    Py_XDECREF(before);
    return 0;
}

static int
state_set(State *st, PyObject *value, void *offset)
{
    PyObject *before = SLOT(st, (Py_ssize_t)offset);

    SLOT(st, (Py_ssize_t)offset) = Py_NewRef(value == NULL ? Py_None : value);
    Py_XDECREF(before);
    return 0;
}

#define FIELD(name) (void *)offsetof(State, name)
static PyGetSetDef state_fields[] = {
    {"ad", (getter)state_get, (setter)state_set_ad, NULL, FIELD(ad)},
    {"left", (getter)state_get, (setter)state_set_ad, NULL, FIELD(left)},
    {"right", (getter)state_get, (setter)state_set_ad, NULL, FIELD(right)},
    {"root", (getter)state_get, (setter)state_set_ad, NULL, FIELD(root)},
    {"outer", (getter)state_get, (setter)state_set, NULL, FIELD(outer)},
    {"nested", (getter)state_get, (setter)state_set, NULL, FIELD(nested)},
    {"loose", (getter)state_get, (setter)state_set, NULL, FIELD(loose)},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef state_numbers[] = {
    {"rem", T_LONGLONG, offsetof(State, rem), 0, NULL},
    {"steps", T_LONGLONG, offsetof(State, steps), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject State_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "condor_py.lang.classad._native.State",
    .tp_doc = "One evaluation: the ad at hand, the two ads of a match, and what is left of the limits.",
    .tp_basicsize = sizeof(State),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = state_new,
    .tp_dealloc = (destructor)state_dealloc,
    .tp_traverse = (traverseproc)state_traverse,
    .tp_clear = (inquiry)state_clear,
    .tp_getset = state_fields,
    .tp_members = state_numbers,
};

/* ---- names -------------------------------------------------------------------------------------------------- */

PyObject *
find_binding(PyObject *ad, PyObject *key)
{
    for (int i = 0; i < MAX_CHAIN && ad != NULL && ad != Py_None && is_record(ad); i++) {
        PyObject *attrs = SLOT(ad, shared.r_attrs);

        if (attrs != NULL && PyDict_Check(attrs)) {
            PyObject *binding = PyDict_GetItemWithError(attrs, key);

            if (binding != NULL)
                return Py_TYPE(binding) == shared.Binding ? binding : NULL;
            if (PyErr_Occurred())
                return NULL;
        }
        ad = SLOT(ad, shared.r_parent);
    }
    return NULL;
}

/* The value of a binding when it is known without evaluation, borrowed; else NULL. */
static inline PyObject *
known_value(PyObject *binding)
{
    PyObject *value = SLOT(binding, shared.b_value);

    return value == shared.computed ? NULL : value;
}

/* The tree of a binding (new reference), parsed where that has not happened. */
static PyObject *
node_of(PyObject *binding)
{
    PyObject *node = SLOT(binding, shared.b_node);

    if (node == NULL || node == Py_None)
        node = PyObject_GetAttrString(binding, "node");
    else
        Py_INCREF(node);
    if (node != NULL && !PyObject_TypeCheck(node, shared.Node)) {
        Py_DECREF(node);
        PyErr_SetString(PyExc_TypeError, "expected the tree of an expression");
        return NULL;
    }
    return node;
}

static long long
number_slot(PyObject *node, Py_ssize_t offset)
{
    PyObject *number = SLOT(node, offset);
    int overflow;
    long long value;

    if (number == NULL || !PyLong_Check(number))
        return 0;
    value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow ? MAX_STEPS + 1 : value;
}

/* The compiled form of a tree (new reference). */
static PyObject *
compiled_of(PyObject *node)
{
    PyObject *fn = SLOT(node, shared.n_fn);

    if (fn != NULL)
        return Py_NewRef(fn);
    return PyObject_CallOneArg(shared.compiled, node);
}

static PyObject *
invoke_node(PyObject *node, State *st)
{
    PyObject *fn = compiled_of(node), *value;

    if (fn == NULL)
        return NULL;
    value = invoke(fn, st);
    Py_DECREF(fn);
    return value;
}

/* Evaluates an attribute's tree (the caller holds binding and node) with `rem` left for nesting; ad and limits are restored afterwards. */
static PyObject *
evaluate_in(State *st, PyObject *ad, PyObject *binding, PyObject *node, long long rem)
{
    Mark mark = {ad, binding, st->marks};
    long long before_rem = st->rem;
    PyObject *before_ad = st->ad, *value;

    st->rem = rem;
    st->ad = Py_NewRef(ad);
    st->marks = &mark;
    value = invoke_node(node, st);
    st->marks = mark.below;
    Py_SETREF(st->ad, before_ad);
    st->rem = before_rem;
    return value;
}

PyObject *
value_of(State *st, PyObject *ad, PyObject *binding, long long depth)
{
    PyObject *value = SLOT(binding, shared.b_value), *node;
    long long rem = st->rem - depth - 1;

    if (value != shared.computed)
        return Py_NewRef(value);
    for (Mark *mark = st->marks; mark != NULL; mark = mark->below)
        if (mark->binding == binding && mark->ad == ad)
            return Py_NewRef(shared.undefined);
    Py_INCREF(binding); /* the ad may lose it while Python code runs */
    node = node_of(binding);
    if (node == NULL)
        value = NULL;
    else if ((value = known_value(binding)) != NULL)
        Py_INCREF(value);
    else if (rem < 0 || rem < number_slot(node, shared.n_height))
        value = fail_too_deep();
    else {
        st->steps -= number_slot(node, shared.n_size);
        value = st->steps < 0 ? fail_too_long() : evaluate_in(st, ad, binding, node, rem);
    }
    Py_XDECREF(node);
    Py_DECREF(binding);
    return value;
}

static PyObject *
call_with_ad(PyObject *function, State *st, PyObject *ad, PyObject *key)
{
    PyObject *args[3] = {(PyObject *)st, ad, key};

    return PyObject_Vectorcall(function, args, 3, NULL);
}

/* Whether a name without a scope is never looked up in the other ad of a match (STRICT_CLASSAD_EVALUATION). */
static int is_strict = 0;

/* strict(flag): replaces it, and returns what it was. */
PyObject *
native_strict(PyObject *self, PyObject *flag)
{
    int before = is_strict, wanted = PyObject_IsTrue(flag);

    (void)self;
    if (wanted < 0)
        return NULL;
    is_strict = wanted;
    return PyBool_FromLong(before);
}

/* The name in the other ad of a match; undefined where there is none. */
static PyObject *
fetch_from_other(State *st, PyObject *start, PyObject *key, long long depth)
{
    if (is_strict || start == Py_None || st->left == Py_None)
        return Py_NewRef(shared.undefined);
    if (start == st->left)
        return fetch(st, st->right, key, depth, 0);
    if (start == st->right)
        return fetch(st, st->left, key, depth, 0);
    if (PyTuple_Check(st->outer) && PyTuple_GET_SIZE(st->outer) == 2 && PyTuple_GET_ITEM(st->outer, 0) == start)
        return fetch(st, PyTuple_GET_ITEM(st->outer, 1), key, depth, 0);
    return Py_NewRef(shared.undefined);
}

PyObject *
fetch(State *st, PyObject *start, PyObject *key, long long depth, int alternate)
{
    PyObject *ad = start;

    for (int i = 0; i < MAX_CHAIN && ad != NULL && ad != Py_None && is_record(ad); i++) {
        PyObject *binding = find_binding(ad, key), *scope;
        int special;

        if (binding != NULL)
            return value_of(st, ad, binding, depth);
        if (PyErr_Occurred())
            return NULL;
        special = PySet_Contains(shared.current_names, key);
        if (special != 0)
            return special < 0 ? NULL : call_with_ad(shared.current_name, st, ad, key);
        scope = SLOT(ad, shared.r_scope);
        if (scope == NULL || scope == Py_None || ad == st->left || ad == st->right) {
            if (ad == st->left || ad == st->right) {
                special = PySet_Contains(shared.match_names, key);
                if (special != 0)
                    return special < 0 ? NULL : call_with_ad(shared.match_name, st, ad, key);
            }
            break;
        }
        ad = scope;
    }
    return alternate ? fetch_from_other(st, start, key, depth) : Py_NewRef(shared.undefined);
}

/* ---- entry points ------------------------------------------------------------------------------------------- */

/* After a RecursionError: once more, in Python, with room for deeper recursion. */
static PyObject *
again_deeper(PyObject *what, PyObject *ad, PyObject *target)
{
    PyObject *args[3] = {what, ad, target};

    if (!PyErr_ExceptionMatches(PyExc_RecursionError))
        return NULL;
    PyErr_Clear();
    return PyObject_Vectorcall(shared.deep_run, args, 3, NULL);
}

static PyObject *
run_once(PyObject *node, PyObject *ad, PyObject *target)
{
    State *st = new_state(ad, target);
    PyObject *value;

    if (st == NULL)
        return NULL;
    value = invoke_node(node, st);
    spend_steps(st->given - st->steps + number_slot(node, shared.n_size));
    leave_state(st);
    return value;
}

/* A top-level attribute: as its expression, which may refer to the attribute once. */
static PyObject *
run_binding_once(PyObject *binding, PyObject *ad, PyObject *target)
{
    PyObject *value = known_value(binding), *node;

    if (value != NULL)
        return Py_NewRef(value);
    node = node_of(binding);
    if (node == NULL)
        return NULL;
    value = known_value(binding);
    if (value != NULL) {
        Py_DECREF(node);
        return Py_NewRef(value);
    }
    value = number_slot(node, shared.n_height) > MAX_DEPTH ? fail_too_deep() : run_once(node, ad, target);
    Py_DECREF(node);
    return value;
}

static PyObject *
run_binding(PyObject *binding, PyObject *ad, PyObject *target)
{
    PyObject *value = run_binding_once(binding, ad, target);

    return value != NULL ? value : again_deeper(binding, ad, target);
}

/* run(node, ad, target[, once]): `once` leaves RecursionError to the caller. */
PyObject *
native_run(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *value, *target = count > 2 ? args[2] : Py_None;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count < 2 || count > 4 || !PyObject_TypeCheck(args[0], shared.Node)) {
        PyErr_SetString(PyExc_TypeError, "run(node, ad, target=None) expects a tree and two ads or None");
        return NULL;
    }
    if (!check_ads(args[1], target))
        return NULL;
    value = run_once(args[0], args[1], target);
    return value != NULL || count == 4 ? value : again_deeper(args[0], args[1], target);
}

PyObject *
native_run_binding(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *target = count > 2 ? args[2] : Py_None;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count < 2 || count > 4 || Py_TYPE(args[0]) != shared.Binding || !is_record(args[1])) {
        PyErr_SetString(PyExc_TypeError, "run_binding(binding, ad, target=None) expects a binding and ads");
        return NULL;
    }
    if (!check_ads(args[1], target))
        return NULL;
    if (count == 4)
        return run_binding_once(args[0], args[1], target);
    return run_binding(args[0], args[1], target);
}

PyObject *
native_value_of(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long depth;

    (void)self;
    if (count != 4 || Py_TYPE(args[0]) != &State_Type || !is_record(args[1]) || Py_TYPE(args[2]) != shared.Binding) {
        PyErr_SetString(PyExc_TypeError, "value_of(state, ad, binding, depth)");
        return NULL;
    }
    depth = PyLong_AsLongLong(args[3]);
    if (depth == -1 && PyErr_Occurred())
        return NULL;
    return value_of((State *)args[0], args[1], args[2], depth);
}

PyObject *
native_fetch(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long depth;
    int alternate;

    (void)self;
    if (count != 5 || Py_TYPE(args[0]) != &State_Type || !PyUnicode_CheckExact(args[2])) {
        PyErr_SetString(PyExc_TypeError, "fetch(state, ad, key, depth, alternate)");
        return NULL;
    }
    depth = PyLong_AsLongLong(args[3]);
    if (depth == -1 && PyErr_Occurred())
        return NULL;
    alternate = PyObject_IsTrue(args[4]);
    return alternate < 0 ? NULL : fetch((State *)args[0], args[1], args[2], depth, alternate);
}

/* Whether a value of Requirements accepts: true, and numbers and durations other than 0; -1 with an exception. */
static int
is_accepting(PyObject *value)
{
    PyObject *seconds;
    int result;

    if (Py_TYPE(value) != shared.RelTime)
        return truth_of(value) == 1;
    seconds = PyObject_GetAttrString(value, "secs");
    result = seconds == NULL ? -1 : PyObject_IsTrue(seconds);
    Py_XDECREF(seconds);
    return result;
}

/* Whether the Requirements of `left` accept `right`: 1 or 0; -1 with an exception. */
static int
accepts(PyObject *left, PyObject *right)
{
    static PyObject *key;
    PyObject *binding, *value;
    int result;

    if (key == NULL && (key = PyUnicode_InternFromString("requirements")) == NULL)
        return -1;
    binding = find_binding(left, key);
    if (binding == NULL)
        return PyErr_Occurred() ? -1 : 0;
    Py_INCREF(binding);
    value = run_binding(binding, left, right);
    Py_DECREF(binding);
    if (value == NULL) {
        if (!PyErr_ExceptionMatches(shared.EvaluationError))
            return -1;
        PyErr_Clear();
        return 0;
    }
    result = is_accepting(value);
    Py_DECREF(value);
    return result;
}

static int
check_pair(PyObject *const *args, Py_ssize_t count)
{
    if (!require_connected())
        return 0;
    if (count == 2 && is_record(args[0]) && is_record(args[1]))
        return 1;
    PyErr_SetString(PyExc_TypeError, "expected two ads");
    return 0;
}

PyObject *
native_requirements_match(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    int result;

    (void)self;
    if (!check_pair(args, count))
        return NULL;
    result = accepts(args[0], args[1]);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

PyObject *
native_symmetric_match(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    int result;

    (void)self;
    if (!check_pair(args, count))
        return NULL;
    result = accepts(args[0], args[1]);
    if (result == 1)
        result = accepts(args[1], args[0]);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

/* What `one` makes of each of the ads, in a list (new reference); NULL with an exception. */
static PyObject *
of_each(PyObject *given, PyObject *(*one)(PyObject *ad, PyObject *const *args), PyObject *const *args)
{
    PyObject *ads = PySequence_Tuple(given); /* ours: functions in Python may run meanwhile */
    Py_ssize_t length = ads == NULL ? 0 : PyTuple_GET_SIZE(ads);
    PyObject *found = ads == NULL ? NULL : PyList_New(length);

    for (Py_ssize_t i = 0; found != NULL && i < length; i++) {
        PyObject *ad = PyTuple_GET_ITEM(ads, i), *value = NULL;

        if (is_record(ad))
            value = one(ad, args);
        else
            PyErr_SetString(PyExc_TypeError, "expected a sequence of ads");
        if (value == NULL)
            Py_CLEAR(found);
        else
            PyList_SET_ITEM(found, i, value);
    }
    Py_XDECREF(ads);
    return found;
}

static PyObject *
matched(PyObject *other, PyObject *const *args)
{
    int result = accepts(args[0], other);

    if (result == 1)
        result = accepts(other, args[0]);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

/* symmetric_matches(ad, others): symmetric_match of the ad with each of the others. */
PyObject *
native_symmetric_matches(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || !is_record(args[0])) {
        PyErr_SetString(PyExc_TypeError, "symmetric_matches(ad, others)");
        return NULL;
    }
    return of_each(args[1], matched, args);
}

static PyObject *
value_in(PyObject *ad, PyObject *const *args)
{
    PyObject *value = run_once(args[0], ad, args[2]);

    if (value == NULL)
        value = again_deeper(args[0], ad, args[2]);
    if (value == NULL && PyErr_ExceptionMatches(shared.EvaluationError)) {
        PyErr_Clear();
        value = Py_NewRef(shared.error);
    }
    return value;
}

/* run_each(node, ads, target): the value of the tree in each of the ads, error where that is beyond the limits. */
PyObject *
native_run_each(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 3 || !PyObject_TypeCheck(args[0], shared.Node) || !is_record(args[2])) {
        PyErr_SetString(PyExc_TypeError, "run_each(node, ads, target)");
        return NULL;
    }
    return of_each(args[1], value_in, args);
}
