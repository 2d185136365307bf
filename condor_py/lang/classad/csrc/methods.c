/*
 * What everybody asks an ad all the time: the methods of Record and ClassAd that look up and set attributes. ad.py and
 * record.py are the twins; `take_methods` puts these in their places.
 * With faces.c 5 times as fast as the twins (tests/bench/bench_compiled.py): a job asks its ads 300 times.
 */

#include "native.h"

#include <math.h>

/* The dictionary of an ad (borrowed). An ad of the store has none before somebody looks (store/stored_ad.py). */
PyObject *
attributes_of(PyObject *ad)
{
    PyObject *attrs = SLOT(ad, shared.r_attrs);

    if (attrs == NULL) {
        PyObject *made = PyObject_GetAttrString(ad, "attrs");

        if (made == NULL)
            return NULL;
        Py_DECREF(made);
        attrs = SLOT(ad, shared.r_attrs);
    }
    if (attrs != NULL && PyDict_CheckExact(attrs))
        return attrs;
    PyErr_SetString(PyExc_TypeError, "an ad without a dictionary of attributes");
    return NULL;
}

PyObject *
binding_of_key(PyObject *ad, PyObject *key)
{
    while (ad != NULL && ad != Py_None && is_record(ad)) {
        PyObject *attrs = attributes_of(ad), *binding = attrs == NULL ? NULL : PyDict_GetItemWithError(attrs, key);

        if (binding != NULL && Py_TYPE(binding) != shared.Binding) {
            PyErr_SetString(PyExc_TypeError, "an attribute that is no binding");
            return NULL;
        }
        if (binding != NULL || PyErr_Occurred())
            return binding;
        ad = SLOT(ad, shared.r_parent);
    }
    return NULL;
}

PyObject *
binding_named(PyObject *ad, PyObject *name)
{
    PyObject *key, *binding;

    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "the name of an attribute is a string");
        return NULL;
    }
    key = lower_key(name);
    if (key == NULL)
        return NULL;
    binding = binding_of_key(ad, key);
    Py_DECREF(key);
    return binding;
}

static PyObject *
none_unless_failed(void)
{
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* The text of a binding; the property of the twin unparses what has none yet. */
PyObject *
text_of_binding(PyObject *binding)
{
    PyObject *text = SLOT(binding, shared.b_text);

    if (text != NULL && text != Py_None)
        return Py_NewRef(text);
    return PyObject_GetAttrString(binding, "text");
}

/* The value of an attribute; error beyond the limits, undefined when it is missing. */
PyObject *
value_named(PyObject *ad, PyObject *name, PyObject *target)
{
    PyObject *binding = binding_named(ad, name), *value;

    if (binding == NULL)
        return PyErr_Occurred() ? NULL : Py_NewRef(shared.undefined);
    value = SLOT(binding, shared.b_value);
    if (value != shared.computed && value != NULL)
        return Py_NewRef(value);
    Py_INCREF(binding);
    value = native_run_binding(NULL, (PyObject *const[]){binding, ad, target}, 3);
    Py_DECREF(binding);
    if (value == NULL && PyErr_ExceptionMatches(shared.EvaluationError)) {
        PyErr_Clear();
        value = Py_NewRef(shared.error);
    }
    return value;
}

/* ---- arguments ---------------------------------------------------------------------------------------------- */

/* Puts what was given by place and by name into `found`, None for what was not; whether that was possible. */
int
place_arguments(const char *const *names, Py_ssize_t most, PyObject *const *args, Py_ssize_t count, PyObject *named_ones,
                PyObject **found)
{
    Py_ssize_t more = named_ones == NULL ? 0 : PyTuple_GET_SIZE(named_ones);

    for (Py_ssize_t i = 0; i < most; i++)
        found[i] = i < count ? args[i] : Py_None;
    for (Py_ssize_t i = 0; i < more; i++) {
        Py_ssize_t place = count < most ? count : most;

        while (place < most && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(named_ones, i), names[place]) != 0)
            place++;
        if (place == most)
            count = most + 1;
        else
            found[place] = args[count + i];
    }
    if (count <= most)
        return 1;
    PyErr_Format(PyExc_TypeError, "expected at most %zd arguments, first of them %s", most, names[0]);
    return 0;
}

/* As place_arguments, for methods whose first argument is needed. */
static int
take_arguments(const char *const *names, Py_ssize_t most, PyObject *const *args, Py_ssize_t count, PyObject *named_ones,
               PyObject **found)
{
    Py_ssize_t more = named_ones == NULL ? 0 : PyTuple_GET_SIZE(named_ones);
    int first = count > 0;

    for (Py_ssize_t i = 0; i < more; i++)
        first |= PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(named_ones, i), names[0]) == 0;
    if (first)
        return place_arguments(names, most, args, count, named_ones, found);
    PyErr_Format(PyExc_TypeError, "expected %s", names[0]);
    return 0;
}

static const char *const ASKED[] = {"name", "default", "target"};

/* The value that a question (name, default, target) is about, and its default (borrowed). */
static PyObject *
asked_value(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **otherwise)
{
    PyObject *found[3];

    if (!take_arguments(ASKED, 3, args, count, names, found))
        return NULL;
    *otherwise = found[1];
    return value_named(self, found[0], found[2]);
}

/* `value`, or where it is not wanted (steals it) the default. */
static PyObject *
wanted_or(PyObject *value, int wanted, PyObject *otherwise)
{
    if (wanted)
        return value;
    Py_DECREF(value);
    return Py_NewRef(otherwise);
}

/* ---- questions ---------------------------------------------------------------------------------------------- */

static PyObject *
ad_raw(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    static const char *const words[] = {"expr", "target"};
    PyObject *found[2];

    if (!take_arguments(words, 2, args, count, names, found))
        return NULL;
    if (!PyUnicode_Check(found[0]))
        return PyObject_CallFunctionObjArgs(shared.raw_twin, self, found[0], found[1], NULL);
    return value_named(self, found[0], found[1]);
}

static PyObject *
ad_eval_int(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *otherwise, *value = asked_value(self, args, count, names, &otherwise), *whole;

    if (value == NULL || PyLong_CheckExact(value))
        return value;
    if (PyBool_Check(value))
        whole = PyLong_FromLong(value == Py_True);
    else if (PyFloat_CheckExact(value))
        whole = PyObject_CallOneArg(shared.real_to_int, value);
    else
        return wanted_or(value, 0, otherwise);
    Py_DECREF(value);
    return whole;
}

static PyObject *
ad_eval_real(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *otherwise, *value = asked_value(self, args, count, names, &otherwise), *number;

    if (value == NULL || (PyFloat_CheckExact(value) && isfinite(PyFloat_AS_DOUBLE(value))))
        return value;
    if (value == shared.undefined)
        return wanted_or(value, 0, otherwise);
    if (PyLong_CheckExact(value)) {
        double exact = PyLong_AsDouble(value);

        Py_DECREF(value);
        return exact == -1.0 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(exact);
    }
    number = PyObject_CallOneArg(shared.finite, value);
    Py_DECREF(value);
    if (number == NULL)
        return NULL;
    if (number == Py_None)
        return wanted_or(number, 0, otherwise);
    value = PyNumber_Float(number);
    Py_DECREF(number);
    return value;
}

static PyObject *
ad_eval_bool(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *otherwise, *value = asked_value(self, args, count, names, &otherwise);
    int truth;

    if (value == NULL || PyBool_Check(value))
        return value;
    if (!PyLong_CheckExact(value) && !PyFloat_CheckExact(value))
        return wanted_or(value, 0, otherwise);
    truth = PyObject_IsTrue(value);
    Py_DECREF(value);
    return truth < 0 ? NULL : PyBool_FromLong(truth);
}

static PyObject *
ad_eval_str(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *otherwise, *value = asked_value(self, args, count, names, &otherwise);

    return value == NULL ? NULL : wanted_or(value, PyUnicode_CheckExact(value), otherwise);
}

static PyObject *
ad_text(PyObject *self, PyObject *name)
{
    PyObject *binding = binding_named(self, name);

    return binding == NULL ? none_unless_failed() : text_of_binding(binding);
}

/* The key of an own attribute (a new reference), and its binding (borrowed; NULL when it is missing, or with an
 * exception). */
static PyObject *
own(PyObject *attrs, PyObject *name, PyObject **binding)
{
    PyObject *key = NULL;

    *binding = NULL;
    if (attrs == NULL)
        return NULL;
    if (!PyUnicode_Check(name))
        PyErr_SetString(PyExc_TypeError, "the name of an attribute is a string");
    else
        key = lower_key(name);
    if (key == NULL)
        return NULL;
    *binding = PyDict_GetItemWithError(attrs, key);
    if (*binding != NULL && Py_TYPE(*binding) != shared.Binding) {
        PyErr_SetString(PyExc_TypeError, "an attribute that is no binding");
        *binding = NULL;
    }
    return key;
}

static PyObject *
ad_local_text(PyObject *self, PyObject *name)
{
    PyObject *binding, *key = own(attributes_of(self), name, &binding);

    Py_XDECREF(key);
    return binding == NULL ? none_unless_failed() : text_of_binding(binding);
}

static PyObject *
ad_remove(PyObject *self, PyObject *name)
{
    PyObject *attrs = attributes_of(self), *binding, *key = own(attrs, name, &binding);

    if (binding != NULL)
        PyDict_DelItem(attrs, key);
    Py_XDECREF(key);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(binding != NULL);
}

static PyObject *
ad_has(PyObject *self, PyObject *name)
{
    PyObject *binding = binding_named(self, name);

    return binding == NULL && PyErr_Occurred() ? NULL : PyBool_FromLong(binding != NULL);
}

static PyObject *
record_find(PyObject *self, PyObject *key)
{
    PyObject *binding = binding_of_key(self, key);

    return binding == NULL ? none_unless_failed() : Py_NewRef(binding);
}

/* ---- changes, and all attributes at once -------------------------------------------------------------------- */

int
set_one(PyObject *attrs, PyObject *name, PyObject *text)
{
    PyObject *binding;

    if (!PyUnicode_CheckExact(name) || !PyUnicode_CheckExact(text)) {
        PyErr_SetString(PyExc_TypeError, "set_text(name, text) expects two strings");
        return -1;
    }
    binding = bind_pair(name, text);
    return binding == NULL ? -1 : put_binding(attrs, binding);
}

static PyObject *
ad_set_text(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    static const char *const words[] = {"name", "text"};
    PyObject *found[2], *attrs = attributes_of(self);

    if (attrs == NULL || !take_arguments(words, 2, args, count, names, found))
        return NULL;
    return set_one(attrs, found[0], found[1]) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
ad_set_texts(PyObject *self, PyObject *pairs)
{
    PyObject *attrs = attributes_of(self), *each = attrs == NULL ? NULL : PyObject_GetIter(pairs), *item;
    int good = each != NULL;

    Py_XINCREF(attrs);
    while (good && (item = PyIter_Next(each)) != NULL) {
        PyObject *pair = PySequence_Fast(item, "set_texts() expects pairs of name and text");

        good = pair != NULL && PySequence_Fast_GET_SIZE(pair) == 2;
        if (pair != NULL && !good)
            PyErr_SetString(PyExc_ValueError, "set_texts() expects pairs of name and text");
        good = good && set_one(attrs, PySequence_Fast_GET_ITEM(pair, 0), PySequence_Fast_GET_ITEM(pair, 1)) == 0;
        Py_XDECREF(pair);
        Py_DECREF(item);
    }
    Py_XDECREF(each);
    Py_XDECREF(attrs);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* Own and inherited attributes, in a new dictionary. */
static PyObject *
merged_of(PyObject *record, int depth)
{
    PyObject *attrs = attributes_of(record), *parent = SLOT(record, shared.r_parent), *every, *key, *binding;
    Py_ssize_t place = 0;

    if (attrs == NULL)
        return NULL;
    if (parent == NULL || parent == Py_None || !is_record(parent))
        return PyDict_Copy(attrs);
    if (depth == 0) {
        PyErr_SetString(PyExc_RecursionError, "ads chained too deeply");
        return NULL;
    }
    every = merged_of(parent, depth - 1);
    while (every != NULL && PyDict_Next(attrs, &place, &key, &binding))
        if (put_binding(every, Py_NewRef(binding)) < 0)
            Py_CLEAR(every);
    return every;
}

static PyObject *
record_merged(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return merged_of(self, 1000);
}

/* The attributes of a dictionary of bindings as (name, text), in its order. */
static PyObject *
pairs_of(PyObject *attrs)
{
    PyObject *bindings = PyDict_Values(attrs), *pairs = bindings == NULL ? NULL : PyList_New(PyList_GET_SIZE(bindings));

    for (Py_ssize_t i = 0; pairs != NULL && i < PyList_GET_SIZE(bindings); i++) {
        PyObject *binding = PyList_GET_ITEM(bindings, i), *text = text_of_binding(binding), *pair;

        pair = text == NULL ? NULL : PyTuple_Pack(2, SLOT(binding, shared.b_name), text);
        Py_XDECREF(text);
        if (pair == NULL)
            Py_CLEAR(pairs);
        else
            PyList_SET_ITEM(pairs, i, pair);
    }
    Py_XDECREF(bindings);
    return pairs;
}

static PyObject *
ad_local_items(PyObject *self, PyObject *nothing)
{
    PyObject *attrs = attributes_of(self), *pairs = attrs == NULL ? NULL : pairs_of(attrs), *each;

    (void)nothing;
    if (pairs == NULL)
        return NULL;
    each = PyObject_GetIter(pairs);
    Py_DECREF(pairs);
    return each;
}

static PyObject *
ad_pairs(PyObject *self, PyObject *nothing)
{
    PyObject *every = merged_of(self, 1000), *pairs = every == NULL ? NULL : pairs_of(every);

    (void)nothing;
    Py_XDECREF(every);
    return pairs;
}

/* ---- their places ------------------------------------------------------------------------------------------- */

#define WITH_NAMES(name, function) {name, (PyCFunction)(void (*)(void))function, METH_FASTCALL | METH_KEYWORDS, NULL}
static PyMethodDef of_records[] = {
    {"find", record_find, METH_O, NULL},
    {"merged", record_merged, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef of_ads[] = {
    WITH_NAMES("raw", ad_raw),
    WITH_NAMES("eval_int", ad_eval_int),
    WITH_NAMES("eval_real", ad_eval_real),
    WITH_NAMES("eval_bool", ad_eval_bool),
    WITH_NAMES("eval_str", ad_eval_str),
    WITH_NAMES("set_text", ad_set_text),
    {"set_texts", ad_set_texts, METH_O, NULL},
    {"text", ad_text, METH_O, NULL},
    {"local_text", ad_local_text, METH_O, NULL},
    {"has", ad_has, METH_O, NULL},
    {"remove", ad_remove, METH_O, NULL},
    {"pairs", ad_pairs, METH_NOARGS, NULL},
    {"local_items", ad_local_items, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int
put_methods(PyTypeObject *type, PyMethodDef *methods)
{
    for (; methods->ml_name != NULL; methods++) {
        PyObject *method = PyDescr_NewMethod(type, methods);
        int result = method == NULL ? -1 : PyObject_SetAttrString((PyObject *)type, methods->ml_name, method);

        Py_XDECREF(method);
        if (result < 0)
            return 0;
    }
    return 1;
}

PyObject *
native_take_methods(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || !PyType_Check(args[0]) || !PyType_IsSubtype((PyTypeObject *)args[0], shared.Record) ||
        !PyType_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "take_methods(ad, tree) expects the classes of ads and of expressions");
        return NULL;
    }
    if (!put_methods(shared.Record, of_records) || !put_methods((PyTypeObject *)args[0], of_ads) ||
        !put_faces((PyTypeObject *)args[0], (PyTypeObject *)args[1]))
        return NULL;
    Py_RETURN_NONE;
}
