/*
 * Constructors of dataclasses with slots: what the __init__ does that dataclasses writes, without running Python for
 * it. making.py says which classes get one; where this module is not built they keep their own.
 *
 * A value goes to its place in the object (the offset of its slot) and not through __setattr__, which in a frozen class
 * is a call for each field. Whatever is not plain (an argument too many, one that is missing or has no such name) is
 * left to the __init__ of the class, which finds the words for it.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

enum { MOST_FIELDS = 64 };

typedef struct {
    PyObject *name;    /* interned */
    PyObject *preset;  /* what it is when it is not given; NULL: it has to be */
    Py_ssize_t offset;
    int is_factory;    /* preset is called */
} Field;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *original;
    PyTypeObject *kind;
    Py_ssize_t count;      /* fields that are arguments; those that follow only get what they are without one */
    Py_ssize_t positional; /* of the arguments */
    Py_ssize_t all;
    int has_end;           /* __post_init__ */
    Field *fields;
} Maker;

static PyObject *after_init, *init;

/* The place of an argument that is given by name; -1 for none. */
static Py_ssize_t
place_of(const Maker *maker, PyObject *name)
{
    Py_ssize_t at;

    for (at = 0; at < maker->count; at++)
        if (maker->fields[at].name == name)
            return at;
    for (at = 0; at < maker->count; at++)
        if (PyUnicode_Compare(maker->fields[at].name, name) == 0)
            return at;
    return -1;
}

/* Puts each argument at its place, borrowed; 0 where they are not as they should be. */
static int
sort_out(const Maker *maker, PyObject *const *args, Py_ssize_t given, PyObject *names, PyObject **values)
{
    Py_ssize_t at, place, named = names == NULL ? 0 : PyTuple_GET_SIZE(names);

    if (given > maker->positional)
        return 0;
    for (at = 0; at < given; at++)
        values[at] = args[at];
    for (; at < maker->all; at++)
        values[at] = NULL;
    for (at = 0; at < named; at++) {
        place = place_of(maker, PyTuple_GET_ITEM(names, at));
        if (place < 0 || values[place] != NULL)
            return 0;
        values[place] = args[given + at];
    }
    for (at = 0; at < maker->count; at++)
        if (values[at] == NULL && maker->fields[at].preset == NULL)
            return 0;
    return 1;
}

static int
fill(const Maker *maker, PyObject *made, PyObject **values)
{
    Py_ssize_t at;
    PyObject **place, *old, *value;

    for (at = 0; at < maker->all; at++) {
        const Field *field = &maker->fields[at];

        value = values[at] != NULL ? values[at] : field->preset;
        if (values[at] == NULL && field->is_factory) {
            value = PyObject_CallNoArgs(field->preset);
            if (value == NULL)
                return -1;
        } else
            Py_INCREF(value);
        place = (PyObject **)((char *)made + field->offset);
        old = *place;
        *place = value;
        Py_XDECREF(old);
    }
    return 0;
}

static PyObject *
make(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    const Maker *maker = (const Maker *)self;
    Py_ssize_t given = PyVectorcall_NARGS(flags);
    PyObject *values[MOST_FIELDS], *end;

    if (given < 1 || !PyObject_TypeCheck(args[0], maker->kind)
        || !sort_out(maker, args + 1, given - 1, names, values))
        return PyObject_Vectorcall(maker->original, args, flags, names);
    if (fill(maker, args[0], values) < 0)
        return NULL;
    if (maker->has_end) {
        end = PyObject_CallMethodNoArgs(args[0], after_init);
        if (end == NULL)
            return NULL;
        Py_DECREF(end);
    }
    Py_RETURN_NONE;
}

static PyObject *
bind(PyObject *self, PyObject *object, PyObject *kind)
{
    (void)kind;
    if (object == NULL) {
        Py_INCREF(self);
        return self;
    }
    return PyMethod_New(self, object);
}

static int
walk(PyObject *self, visitproc visit, void *arg)
{
    Maker *maker = (Maker *)self;
    Py_ssize_t at;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(maker->original);
    Py_VISIT(maker->kind);
    for (at = 0; at < maker->all; at++)
        Py_VISIT(maker->fields[at].preset);
    return 0;
}

static int
empty(PyObject *self)
{
    Maker *maker = (Maker *)self;
    Py_ssize_t at, all = maker->all;

    maker->count = maker->all = maker->positional = 0;
    for (at = 0; at < all; at++) {
        Py_CLEAR(maker->fields[at].preset);
        Py_CLEAR(maker->fields[at].name);
    }
    PyMem_Free(maker->fields);
    maker->fields = NULL;
    Py_CLEAR(maker->original);
    Py_CLEAR(maker->kind);
    return 0;
}

static void
forget(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    empty(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Maker, vectorcall), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(Maker, original), READONLY, "the __init__ that dataclasses has written"},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_descr_get, bind},
    {Py_tp_traverse, walk},
    {Py_tp_clear, empty},
    {Py_tp_dealloc, forget},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "condor_py.model._making.Maker",
    .basicsize = sizeof(Maker),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR
             | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

static PyTypeObject *maker_type;

/* Where a class keeps a field; -1 with TypeError where that is no slot that may hold anything. */
static Py_ssize_t
offset_of(PyTypeObject *kind, PyObject *name)
{
    PyObject *slot = PyObject_GetAttr((PyObject *)kind, name);
    Py_ssize_t offset = -1;

    if (slot == NULL)
        return -1;
    if (Py_TYPE(slot) == &PyMemberDescr_Type) {
        PyMemberDescrObject *found = (PyMemberDescrObject *)slot;

        if (found->d_member->type == T_OBJECT_EX && !(found->d_member->flags & READONLY)
            && PyType_IsSubtype(kind, PyDescr_TYPE(found)))
            offset = found->d_member->offset;
    }
    Py_DECREF(slot);
    if (offset <= 0)
        PyErr_Format(PyExc_TypeError, "%U is no slot of %s", name, kind->tp_name);
    return offset <= 0 ? -1 : offset;
}

static int
take_field(Maker *maker, PyObject *told)
{
    Field *field = &maker->fields[maker->all];
    PyObject *name, *preset;
    int has_preset, is_factory;

    if (!PyTuple_Check(told)) {
        PyErr_SetString(PyExc_TypeError, "a field is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(told, "UpOp", &name, &has_preset, &preset, &is_factory))
        return -1;
    field->offset = offset_of(maker->kind, name);
    if (field->offset < 0)
        return -1;
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    field->name = name;
    field->preset = NULL;
    if (has_preset) {
        Py_INCREF(preset);
        field->preset = preset;
    }
    field->is_factory = is_factory;
    maker->all++;
    return 0;
}

/* maker(kind, __init__, fields, how many are arguments, how many of those by position, whether __post_init__ follows);
 * a field is (name, whether there is a preset, preset, whether it is called). */
static PyObject *
maker_of(PyObject *module, PyObject *args)
{
    PyObject *kind, *original, *fields;
    Py_ssize_t count, positional, at;
    int has_end;
    Maker *maker;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!OO!nnp", &PyType_Type, &kind, &original, &PyTuple_Type, &fields, &count, &positional,
                          &has_end))
        return NULL;
    if (PyTuple_GET_SIZE(fields) > MOST_FIELDS || positional < 0 || positional > count
        || count > PyTuple_GET_SIZE(fields)) {
        PyErr_SetString(PyExc_ValueError, "too many fields");
        return NULL;
    }
    maker = (Maker *)maker_type->tp_alloc(maker_type, 0);
    if (maker == NULL)
        return NULL;
    Py_INCREF(kind);
    maker->kind = (PyTypeObject *)kind;
    Py_INCREF(original);
    maker->original = original;
    maker->has_end = has_end;
    maker->vectorcall = make;
    maker->fields = PyMem_Calloc((size_t)PyTuple_GET_SIZE(fields) + 1, sizeof(Field));
    if (maker->fields == NULL) {
        Py_DECREF(maker);
        return PyErr_NoMemory();
    }
    for (at = 0; at < PyTuple_GET_SIZE(fields); at++)
        if (take_field(maker, PyTuple_GET_ITEM(fields, at)) < 0) {
            Py_DECREF(maker);
            return NULL;
        }
    maker->count = count;
    maker->positional = positional;
    return (PyObject *)maker;
}

/* but(object, changes): another of its class with other values of some fields; None where that has to be made by its
 * constructor. */
static PyObject *
but(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    PyObject *made, *value, *other, *written;
    const Maker *maker;
    Py_ssize_t at, seen = 0;

    (void)module;
    if (given != 2 || !PyDict_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "but(object, changes)");
        return NULL;
    }
    written = PyObject_GetAttr((PyObject *)Py_TYPE(args[0]), init);
    if (written == NULL)
        return NULL;
    maker = (const Maker *)written;
    if (Py_TYPE(written) != maker_type || maker->kind != Py_TYPE(args[0]) || maker->has_end
        || maker->all != maker->count) {
        Py_DECREF(written);
        Py_RETURN_NONE;
    }
    made = maker->kind->tp_alloc(maker->kind, 0);
    for (at = 0; made != NULL && at < maker->all; at++) {
        value = *(PyObject **)((char *)args[0] + maker->fields[at].offset);
        other = PyDict_GetItemWithError(args[1], maker->fields[at].name);
        seen += other != NULL;
        if (other != NULL)
            value = other;
        if (value == NULL || PyErr_Occurred()) {
            Py_CLEAR(made);
            break;
        }
        Py_INCREF(value);
        *(PyObject **)((char *)made + maker->fields[at].offset) = value;
    }
    Py_DECREF(written);
    if (made != NULL && seen != PyDict_GET_SIZE(args[1]))
        Py_CLEAR(made);
    if (made != NULL || PyErr_Occurred())
        return made;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"but", (PyCFunction)(void (*)(void))but, METH_FASTCALL, "A copy with other values of some fields, or None."},
    {"maker", maker_of, METH_VARARGS, "An __init__ for a dataclass with slots."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "condor_py.model._making", .m_size = -1, .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__making(void)
{
    after_init = PyUnicode_InternFromString("__post_init__");
    init = PyUnicode_InternFromString("__init__");
    maker_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return after_init == NULL || init == NULL || maker_type == NULL ? NULL : PyModule_Create(&module);
}
