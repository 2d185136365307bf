/*
 * Records of a ClassAd log, (op, key, name, value), on their way into ads and into lines: changes.py and store/adlog.py
 * have the twins.
 * 13 times as fast as the twins (tests/bench/bench_compiled.py): 60 records of each job.
 */

#include "writer.h"

enum { NEW_AD = 101, DESTROY_AD, SET, DELETE, FIELDS = 4, LONGEST_NUMBER = 18 };

/* The fields of a record, borrowed; its op, or -1 with an exception. */
static long
fields_of(PyObject *record, PyObject **key, PyObject **name, PyObject **value)
{
    if (!PyTuple_Check(record) || PyTuple_GET_SIZE(record) != FIELDS || !PyLong_Check(PyTuple_GET_ITEM(record, 0))) {
        PyErr_SetString(PyExc_TypeError, "a record is a tuple of op, key, name and value");
        return -1;
    }
    *key = PyTuple_GET_ITEM(record, 1);
    *name = PyTuple_GET_ITEM(record, 2);
    *value = PyTuple_GET_ITEM(record, 3);
    return PyLong_AsLong(PyTuple_GET_ITEM(record, 0));
}

static int
delete_one(PyObject *ad, PyObject *attrs, PyObject *name)
{
    PyObject *parent = SLOT(ad, shared.r_parent), *key, *undefined;
    int known, result = 0;

    if (!PyUnicode_CheckExact(name)) {
        PyErr_SetString(PyExc_TypeError, "the name of an attribute is a string");
        return -1;
    }
    key = lower_key(name);
    if (key == NULL)
        return -1;
    known = PyDict_Contains(attrs, key);
    if (known < 0 || (known && PyDict_DelItem(attrs, key) < 0))
        result = -1;
    if (result == 0 && parent != NULL && parent != Py_None && is_record(parent)) {
        PyObject *above = attributes_of(parent);

        known = above == NULL ? -1 : PyDict_Contains(above, key);
        if (known > 0) { /* hidden here from now on */
            undefined = PyUnicode_FromString("undefined");
            result = undefined == NULL ? -1 : set_one(attrs, name, undefined);
            Py_XDECREF(undefined);
        } else if (known < 0)
            result = -1;
    }
    Py_DECREF(key);
    return result;
}

/* Plays one record on an ad: 1, 0 where the record neither sets nor deletes, -1 with an exception. */
static int
play_one(PyObject *ad, PyObject *attrs, long op, PyObject *name, PyObject *value)
{
    if (op == SET)
        return set_one(attrs, name, value) < 0 ? -1 : 1;
    if (op == DELETE)
        return delete_one(ad, attrs, name) < 0 ? -1 : 1;
    return 0;
}

/* apply(ad, changes): does to one ad what sets and deletes attributes. All changes, as a list. What makes them one by one
   may read the ad: it has those before. */
PyObject *
native_apply(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *each, *done, *change, *key, *name, *value;
    int good = 1;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || !is_record(args[0])) {
        PyErr_SetString(PyExc_TypeError, "apply(ad, changes)");
        return NULL;
    }
    each = PyObject_GetIter(args[1]);
    done = each == NULL ? NULL : PyList_New(0);
    while (done != NULL && good && (change = PyIter_Next(each)) != NULL) {
        long op = fields_of(change, &key, &name, &value);
        PyObject *attrs = op < 0 ? NULL : attributes_of(args[0]);

        good = attrs != NULL && play_one(args[0], attrs, op, name, value) >= 0 && PyList_Append(done, change) == 0;
        Py_DECREF(change);
    }
    Py_XDECREF(each);
    if (PyErr_Occurred())
        Py_CLEAR(done);
    return done;
}

/* Digits as numbers of jobs are written, up to `after`; what follows that, NULL for anything else. */
static const char *
plain_number(const char *p, const char *end, char after, long long *value)
{
    const char *begin = p;

    for (*value = 0; p < end && *p >= '0' && *p <= '9' && p - begin < LONGEST_NUMBER; p++)
        *value = *value * 10 + (*p - '0');
    if (p == begin || (*begin == '0' && p - begin > 1))
        return NULL;
    return p < end && *p == after ? p + 1 : p == end && after == 0 ? p : NULL;
}

static PyObject *
item_of(PyObject *dict, long long number)
{
    PyObject *key = PyLong_FromLongLong(number), *found = key == NULL ? NULL : PyDict_GetItemWithError(dict, key);

    Py_XDECREF(key);
    return found;
}

/* The ad of a key, borrowed; NULL where there is none, or with an exception. `jobs` is None or has those of keys like
   7.0, by cluster and proc: who is not there may be among the ads. */
static PyObject *
ad_of_key(PyObject *ads, PyObject *jobs, PyObject *key)
{
    PyObject *found;
    long long cluster, proc;
    const char *p, *end;

    if (jobs == Py_None || !PyUnicode_CheckExact(key) || !PyUnicode_IS_COMPACT_ASCII(key))
        return PyDict_GetItemWithError(ads, key);
    p = (const char *)PyUnicode_1BYTE_DATA(key);
    end = p + PyUnicode_GET_LENGTH(key);
    p = plain_number(p, end, '.', &cluster);
    if (p == NULL || cluster == 0 || plain_number(p, end, 0, &proc) == NULL)
        return PyDict_GetItemWithError(ads, key);
    found = item_of(jobs, cluster);
    found = found != NULL && PyDict_CheckExact(found) ? item_of(found, proc) : NULL;
    return found != NULL || PyErr_Occurred() ? found : PyDict_GetItemWithError(ads, key);
}

/* play(ads, records, other, jobs=None): sets and deletes attributes of the ads by key; `other` gets the records that do
   not. */
PyObject *
native_play(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *records, *last = NULL, *ad = NULL, *key, *name, *value;
    int good = 1;

    (void)self;
    if (!require_connected())
        return NULL;
    PyObject *jobs = count == 4 ? args[3] : Py_None;

    if (count < 3 || count > 4 || !PyDict_CheckExact(args[0]) || (jobs != Py_None && !PyDict_CheckExact(jobs))) {
        PyErr_SetString(PyExc_TypeError, "play(ads, records, other, jobs)");
        return NULL;
    }
    records = PySequence_Fast(args[1], "records are a sequence");
    if (records == NULL)
        return NULL;
    for (Py_ssize_t i = 0; good && i < PySequence_Fast_GET_SIZE(records); i++) {
        PyObject *record = PySequence_Fast_GET_ITEM(records, i), *attrs;
        long op = fields_of(record, &key, &name, &value);

        if (op != SET && op != DELETE) {
            PyObject *done = op < 0 ? NULL : PyObject_CallFunctionObjArgs(args[2], record, NULL);

            good = done != NULL;
            Py_XDECREF(done);
            last = NULL; /* the ad of this key may be another one now */
            continue;
        }
        if (key != last) {
            ad = ad_of_key(args[0], jobs, key);
            good = !PyErr_Occurred();
            last = key; /* borrowed: the record keeps it */
        }
        if (!good || ad == NULL)
            continue;
        attrs = is_record(ad) ? attributes_of(ad) : NULL;
        if (attrs == NULL && !PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a table holds ads");
        good = attrs != NULL && play_one(ad, attrs, op, name, value) >= 0;
    }
    Py_DECREF(records);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

enum { KEY, NAME, VALUE };

/* Has every record of a log such a part? See store/adlog.py. */
static int
is_part(const char *p, Py_ssize_t length, int part)
{
    if (part == VALUE)
        return p[0] > ' ' && memchr(p, '\n', (size_t)length) == NULL && memchr(p, 0, (size_t)length) == NULL;
    for (Py_ssize_t i = 0; i < length; i++)
        if (part == NAME ? !(Py_ISALPHA(p[i]) || p[i] == '_' || (i > 0 && Py_ISDIGIT(p[i])))
                         : p[i] <= ' ' || p[i] > '~')
            return 0;
    return 1;
}

/* Adds an ASCII text that fits its place: 1; 0 for any other text, or with an exception. */
static int
add_part(Text *out, PyObject *text, int part, char after)
{
    const char *from;
    Py_ssize_t length;

    if (!PyUnicode_CheckExact(text) || !PyUnicode_IS_COMPACT_ASCII(text) || PyUnicode_GET_LENGTH(text) == 0)
        return 0;
    from = (const char *)PyUnicode_1BYTE_DATA(text);
    length = PyUnicode_GET_LENGTH(text);
    return is_part(from, length, part) && add(out, from, length) && add_char(out, after);
}

/* Adds a type of an ad, which may be empty or a star: 1; 0 for any other text, or with an exception. */
static int
add_type(Text *out, PyObject *text, char after)
{
    if (PyUnicode_CheckExact(text) && PyUnicode_GET_LENGTH(text) == 0)
        return add(out, "(empty)", 7) && add_char(out, after);
    if (PyUnicode_CheckExact(text) && PyUnicode_CompareWithASCIIString(text, "*") == 0)
        return add_char(out, '*') && add_char(out, after);
    return add_part(out, text, NAME, after);
}

/* 1; 0 for a record that is not for us, or with an exception. */
static int
add_line(Text *out, PyObject *record)
{
    PyObject *key, *name, *value;
    long op = fields_of(record, &key, &name, &value);

    if (op == SET)
        return add(out, "103 ", 4) && add_part(out, key, KEY, ' ') && add_part(out, name, NAME, ' ')
               && add_part(out, value, VALUE, '\n');
    if (op == NEW_AD)
        return add(out, "101 ", 4) && add_part(out, key, KEY, ' ') && add_type(out, name, ' ')
               && add_type(out, value, '\n');
    if (op == DESTROY_AD)
        return add(out, "102 ", 4) && add_part(out, key, KEY, '\n');
    return op == DELETE && add(out, "104 ", 4) && add_part(out, key, KEY, ' ') && add_part(out, name, NAME, '\n');
}

/* format_changes(records): their lines; None where one of them is none of an ad, or would not read back. */
PyObject *
native_format_changes(PyObject *self, PyObject *given)
{
    PyObject *records = PySequence_Fast(given, "records are a sequence"), *result = NULL;
    Text out = {0};
    int good = 1;

    (void)self;
    for (Py_ssize_t i = 0; records != NULL && good && i < PySequence_Fast_GET_SIZE(records); i++)
        good = add_line(&out, PySequence_Fast_GET_ITEM(records, i));
    if (!PyErr_Occurred())
        result = good ? PyBytes_FromStringAndSize(out.data, out.length) : Py_NewRef(Py_None);
    PyMem_Free(out.data);
    Py_XDECREF(records);
    return result;
}

/* ---- one that sets an attribute of a job: some fifty of each run --------------------------------------------- */

static PyTypeObject *change_type;

PyObject *
native_take_change(PyObject *self, PyObject *type)
{
    (void)self;
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type)) {
        PyErr_SetString(PyExc_TypeError, "changes are tuples");
        return NULL;
    }
    Py_XSETREF(change_type, (PyTypeObject *)Py_NewRef(type));
    Py_RETURN_NONE;
}

/* The key of a job, borrowed: that of the last is known. */
static PyObject *
key_of(PyObject *job)
{
    static PyObject *last, *key;
    PyObject *fresh;

    if (job == last)
        return key;
    if (!PyTuple_Check(job) || PyTuple_GET_SIZE(job) != 2) {
        PyErr_SetString(PyExc_TypeError, "a job is a tuple of cluster and proc");
        return NULL;
    }
    fresh = PyUnicode_FromFormat("%S.%S", PyTuple_GET_ITEM(job, 0), PyTuple_GET_ITEM(job, 1));
    if (fresh == NULL)
        return NULL;
    Py_XSETREF(key, fresh);
    Py_XSETREF(last, Py_NewRef(job));
    return key;
}

/* set_text(job, name, text) of core/jobs/actions.py, which is the twin. */
PyObject *
native_set_text(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *change, *key, *op;

    (void)self;
    if (count != 3 || change_type == NULL) {
        PyErr_SetString(PyExc_TypeError, "set_text(job, name, text)");
        return NULL;
    }
    key = key_of(args[0]);
    op = key == NULL ? NULL : PyLong_FromLong(SET); /* one of those that Python keeps */
    change = op == NULL ? NULL : change_type->tp_alloc(change_type, FIELDS);
    if (change == NULL) {
        Py_XDECREF(op);
        return NULL;
    }
    PyTuple_SET_ITEM(change, 0, op);
    PyTuple_SET_ITEM(change, 1, Py_NewRef(key));
    PyTuple_SET_ITEM(change, 2, Py_NewRef(args[1]));
    PyTuple_SET_ITEM(change, 3, Py_NewRef(args[2]));
    return change;
}
