/*
 * The module condor_py.lang.classad._native: its table of functions, and `connect`, which takes the classes of the room.
 */

#include "bindings.h"
#include "native.h"

Shared shared;

int
require_connected(void)
{
    if (!shared.connected)
        PyErr_SetString(PyExc_RuntimeError, "the extension is not connected to condor_py.lang.classad");
    return shared.connected;
}

static PyObject *
item(PyObject *table, const char *name)
{
    PyObject *value = PyDict_GetItemString(table, name);

    if (value == NULL)
        PyErr_Format(PyExc_KeyError, "connect() lacks %s", name);
    return value;
}

static int
take_object(PyObject *table, const char *name, PyObject **target)
{
    PyObject *value = item(table, name);

    if (value == NULL)
        return 0;
    Py_XSETREF(*target, Py_NewRef(value));
    return 1;
}

static int
take_class(PyObject *table, const char *name, PyTypeObject **target)
{
    PyObject *value = item(table, name);

    if (value == NULL)
        return 0;
    if (!PyType_Check(value)) {
        PyErr_Format(PyExc_TypeError, "connect(): %s is not a class", name);
        return 0;
    }
    Py_XSETREF(*(PyObject **)target, Py_NewRef(value));
    return 1;
}

int
take_offset(PyTypeObject *type, const char *name, Py_ssize_t *target)
{
    PyObject *descriptor = PyDict_GetItemString(type->tp_dict, name);
    PyMemberDef *member;

    if (descriptor == NULL || Py_TYPE(descriptor) != &PyMemberDescr_Type) {
        PyErr_Format(PyExc_TypeError, "connect(): %s has no slot %s", type->tp_name, name);
        return 0;
    }
    member = ((PyMemberDescrObject *)descriptor)->d_member;
    if (member->type != T_OBJECT_EX) {
        PyErr_Format(PyExc_TypeError, "connect(): %s.%s is no slot", type->tp_name, name);
        return 0;
    }
    *target = member->offset;
    return 1;
}

static int
take_classes(PyObject *table)
{
    struct {
        const char *name;
        PyTypeObject **target;
    } classes[] = {
        {"Node", &shared.Node}, {"Literal", &shared.Literal}, {"Attr", &shared.Attr}, {"Paren", &shared.Paren},
        {"Unary", &shared.Unary}, {"Binary", &shared.Binary}, {"Ternary", &shared.Ternary}, {"Call", &shared.Call},
        {"ListNode", &shared.ListNode}, {"AdNode", &shared.AdNode}, {"Binding", &shared.Binding},
        {"Record", &shared.Record}, {"RelTime", &shared.RelTime},
    };

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!take_class(table, classes[i].name, classes[i].target))
            return 0;
    return 1;
}

static int
take_objects(PyObject *table)
{
    struct {
        const char *name;
        PyObject **target;
    } objects[] = {
        {"undefined", &shared.undefined}, {"error", &shared.error}, {"computed", &shared.computed},
        {"nothing", &shared.nothing}, {"EvaluationError", &shared.EvaluationError},
        {"ParseError", &shared.ParseError}, {"apply", &shared.apply}, {"unary", &shared.unary},
        {"join", &shared.join}, {"compiled", &shared.compiled}, {"current_name", &shared.current_name},
        {"match_name", &shared.match_name}, {"deep_run", &shared.deep_run}, {"make_ad_node", &shared.make_ad_node},
        {"check_binding", &shared.check_binding}, {"renamed", &shared.renamed},
        {"value_text", &shared.value_text}, {"name_text", &shared.name_text}, {"lower", &shared.lower},
        {"raw_twin", &shared.raw_twin}, {"real_to_int", &shared.real_to_int}, {"finite", &shared.finite},
        {"to_python", &shared.to_python}, {"item_twin", &shared.item_twin}, {"eval_rest", &shared.eval_rest},
        {"current_names", &shared.current_names}, {"match_names", &shared.match_names}, {"keys", &shared.keys},
    };

    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (!take_object(table, objects[i].name, objects[i].target))
            return 0;
    if (!PyDict_Check(shared.keys) || !PyAnySet_Check(shared.current_names) || !PyAnySet_Check(shared.match_names)) {
        PyErr_SetString(PyExc_TypeError, "connect(): keys is a dict, current_names and match_names are sets");
        return 0;
    }
    return 1;
}

static int
take_offsets(void)
{
    struct {
        PyTypeObject *type;
        const char *name;
        Py_ssize_t *target;
    } slots[] = {
        {shared.Node, "fn", &shared.n_fn}, {shared.Node, "height", &shared.n_height},
        {shared.Node, "size", &shared.n_size}, {shared.Literal, "value", &shared.literal_value},
        {shared.Attr, "absolute", &shared.attr_absolute}, {shared.Attr, "key", &shared.attr_key},
        {shared.Attr, "name", &shared.attr_name}, {shared.Attr, "scope", &shared.attr_scope},
        {shared.Paren, "inner", &shared.paren_inner}, {shared.Unary, "inner", &shared.unary_inner},
        {shared.Unary, "op", &shared.unary_op}, {shared.Binary, "left", &shared.binary_left},
        {shared.Binary, "op", &shared.binary_op}, {shared.Binary, "right", &shared.binary_right},
        {shared.Ternary, "no", &shared.ternary_no}, {shared.Ternary, "test", &shared.ternary_test},
        {shared.Ternary, "yes", &shared.ternary_yes}, {shared.Call, "args", &shared.call_args},
        {shared.Call, "name", &shared.call_name}, {shared.ListNode, "items", &shared.list_items},
        {shared.AdNode, "items", &shared.ad_items}, {shared.Binding, "_node", &shared.b_node},
        {shared.Binding, "_text", &shared.b_text}, {shared.Binding, "key", &shared.b_key},
        {shared.Binding, "name", &shared.b_name}, {shared.Binding, "raw", &shared.b_raw},
        {shared.Binding, "value", &shared.b_value}, {shared.Record, "attrs", &shared.r_attrs},
        {shared.Record, "parent", &shared.r_parent}, {shared.Record, "scope", &shared.r_scope},
    };

    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (!take_offset(slots[i].type, slots[i].name, slots[i].target))
            return 0;
    return 1;
}

PyObject *
connect_classes(PyObject *module, PyObject *table)
{
    (void)module;
    if (!PyDict_Check(table)) {
        PyErr_SetString(PyExc_TypeError, "connect() expects a dict");
        return NULL;
    }
    shared.connected = 0;
    if (!take_classes(table) || !take_objects(table) || !take_offsets())
        return NULL;
    shared.connected = 1;
    Py_RETURN_NONE;
}

#define FAST(name, function, text) {name, (PyCFunction)(void (*)(void))function, METH_FASTCALL, text}
static PyMethodDef methods[] = {
    {"connect", connect_classes, METH_O, "Takes the classes, values and functions of the room, by name."},
    FAST("take_methods", native_take_methods, "Gives the classes of ads, records and expressions their fast methods."),
    {"strict", native_strict, METH_O, "Whether names without a scope are of the ad at hand alone; what it was."},
    FAST("allowance", native_allowance, "Steps left to all evaluations together; another number replaces it."),
    FAST("run", native_run, "The value of a tree in an ad, matched with another."),
    FAST("run_binding", native_run_binding, "The value of an attribute of an ad, matched with another."),
    FAST("value_of", native_value_of, "The value of an attribute reached by a reference."),
    FAST("fetch", native_fetch, "The value of a name seen from an ad."),
    FAST("requirements_match", native_requirements_match, "Whether the Requirements of an ad accept another."),
    FAST("symmetric_match", native_symmetric_match, "Whether the Requirements of two ads accept each other."),
    FAST("symmetric_matches", native_symmetric_matches, "The same of an ad and each of many others, in a list."),
    FAST("run_each", native_run_each, "The value of a tree in each of many ads, matched with one, in a list."),
    FAST("parse_node", native_parse_node, "The tree of an expression, or None where the twin has to read it."),
    FAST("parse_attrs", native_parse_attrs, "Bindings and end of an ad in new format, or None."),
    {"know", native_know, METH_O, "How many pairs bind shares at most before it forgets the oldest half."},
    {"forget", native_forget, METH_NOARGS, "Forgets the pairs that bind shares."},
    FAST("bind", native_bind, "The shared binding of a name to old-format text."),
    FAST("next_old", native_next_old, "Bindings and end of an ad in old format, or None."),
    FAST("computed", native_computed, "The bindings of a key in many ads whose values have to be evaluated."),
    FAST("columns", native_columns, "The bindings of some keys in each of many ads."),
    FAST("apply", native_apply, "Changes that set and delete attributes, done to an ad."),
    FAST("play", native_play, "Records of a log played on the ads of a table."),
    {"format_changes", native_format_changes, METH_O, "The lines of records of ads, or None."},
    {"take_change", native_take_change, METH_O, "The class of changes of a log."},
    FAST("set_text", native_set_text, "The change that sets an attribute of a job."),
    {"read_texts", native_read_texts, METH_O, "Bindings of an object of texts in JSON, or None."},
    {"write_texts", native_write_texts, METH_O, "The object of the texts of bindings, or None."},
    FAST("unparse", native_unparse, "The text of a tree, or None where the twin has to write it."),
    {"print_old", native_print_old, METH_O, "The lines of the attributes of an ad in storage order, or None."},
    {"print_new", native_print_new, METH_O, "An ad in new format on one line, or None."},
    {"print_spread", native_print_spread, METH_O, "An ad in new format spread over lines, or None."},
    {"print_json", native_print_json, METH_O, "The attributes of an ad as JSON in storage order, or None."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "condor_py.lang.classad._native", "The fast half of the ClassAd language.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__native(void)
{
    PyObject *module, *capsule;

    if (PyType_Ready(&State_Type) < 0 || PyType_Ready(&Code_Type) < 0)
        return NULL;
    module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    capsule = PyCapsule_New((void *)&bindings, BINDINGS, NULL);
    if (PyModule_AddFunctions(module, code_makers) < 0 || PyModule_AddIntConstant(module, "REVISION", REVISION) < 0 ||
        PyModule_AddObjectRef(module, "State", (PyObject *)&State_Type) < 0 ||
        PyModule_AddObjectRef(module, "Code", (PyObject *)&Code_Type) < 0 ||
        PyModule_AddObjectRef(module, "bindings", capsule) < 0) {
        Py_CLEAR(module);
    }
    Py_XDECREF(capsule);
    return module;
}
