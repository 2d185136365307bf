/*
 * What programs ask of ads and expressions (the face of classad2): ExprTree.eval, ClassAd.eval and ad[name] where the
 * answer is a plain value. exprtree.py and ad.py are the twins, which answer everything else.
 * Gain: see methods.c.
 */

#include "native.h"

/* Whether a value stands for nothing else: see values.PLAIN. */
static inline int
is_plain(PyObject *value)
{
    return PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
           PyBool_Check(value) || value == shared.undefined || value == shared.error;
}

static int
check_ad(PyObject *ad, const char *what)
{
    if (ad == Py_None || is_record(ad))
        return 1;
    PyErr_Format(PyExc_TypeError, "%s must be a ClassAd", what);
    return 0;
}

/* ExprTree.eval(scope=None, target=None); `target` counts only together with `scope`. */
static PyObject *
tree_eval(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    static const char *const words[] = {"scope", "target"};
    PyObject *found[3], *value, *python;

    if (!place_arguments(words, 2, args, count, names, found + 1) || !check_ad(found[1], words[0]) ||
        !check_ad(found[2], words[1]))
        return NULL;
    found[0] = SLOT(self, shared.tree_node);
    if (found[0] == NULL)
        return PyErr_Format(PyExc_AttributeError, "node");
    if (found[1] == Py_None)
        found[2] = Py_None;
    value = native_run(NULL, found, 3);
    if (value == NULL || is_plain(value))
        return value;
    python = PyObject_CallOneArg(shared.to_python, value);
    Py_DECREF(value);
    return python;
}

/* ClassAd.eval(attr); the twin gets the value found where more has to be asked. */
static PyObject *
ad_eval(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    static const char *const words[] = {"attr"};
    PyObject *name, *value, *python;

    if (!place_arguments(words, 1, args, count, names, &name))
        return NULL;
    value = PyUnicode_Check(name) ? value_named(self, name, Py_None) : Py_NewRef(shared.error);
    if (value == NULL || (is_plain(value) && value != shared.undefined && value != shared.error))
        return value;
    if (value == shared.undefined && binding_named(self, name) != NULL)
        return value;
    if (PyErr_Occurred()) {
        Py_DECREF(value);
        return NULL;
    }
    python = PyObject_CallFunctionObjArgs(shared.eval_rest, self, name, value, NULL);
    Py_DECREF(value);
    return python;
}

/* ad[name]: the value of an own attribute whose name was met before, else what the twin says. */
static PyObject *
ad_item(PyObject *self, PyObject *name)
{
    PyObject *key = PyUnicode_CheckExact(name) ? PyDict_GetItemWithError(shared.keys, name) : NULL, *attrs, *binding;

    if (key != NULL && (attrs = SLOT(self, shared.r_attrs)) != NULL && PyDict_CheckExact(attrs)) {
        binding = PyDict_GetItemWithError(attrs, key);
        if (binding != NULL && Py_TYPE(binding) == shared.Binding) {
            PyObject *value = SLOT(binding, shared.b_value);

            if (value != NULL && is_plain(value))
                return Py_NewRef(value);
        }
    }
    return PyErr_Occurred() ? NULL : PyObject_CallFunctionObjArgs(shared.item_twin, self, name, NULL);
}

/* Puts ad_item into the place of ClassAd.__getitem__, in the form that classes written in C have, so that Python calls
 * it without a look-up. */
static int
put_item(PyTypeObject *type)
{
    PyObject *known = PyObject_GetAttrString((PyObject *)&PyDictProxy_Type, "__getitem__"), *method;
    int result;

    if (known == NULL)
        return 0;
    if (Py_TYPE(known) != &PyWrapperDescr_Type) {
        Py_DECREF(known);
        return 1; /* the twin stays */
    }
    method = PyDescr_NewWrapper(type, ((PyWrapperDescrObject *)known)->d_base, (void *)ad_item);
    Py_DECREF(known);
    result = method == NULL ? -1 : PyObject_SetAttrString((PyObject *)type, "__getitem__", method);
    Py_XDECREF(method);
    return result == 0;
}

static PyMethodDef of_ads[] = {
    {"eval", (PyCFunction)(void (*)(void))ad_eval, METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef of_trees[] = {
    {"eval", (PyCFunction)(void (*)(void))tree_eval, METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};

int
put_faces(PyTypeObject *ad, PyTypeObject *tree)
{
    return take_offset(tree, "node", &shared.tree_node) && put_methods(ad, of_ads) && put_methods(tree, of_trees) &&
           put_item(ad);
}
