/*
 * All that the lines of ads say that nobody has looked at: changed, so that the lines are written anew, and printed with what
 * the ads' parent says. No object is made of it.
 * 3 times as fast as by ads that are read and put away (tests/bench/bench_compiled.py), without their memory.
 */

#include "_logsheet.h"

#define MOST_CHANGES 64

typedef struct {
    Said said; /* without a value: it is deleted */
    PyObject *key;
    int in_parent;
} Wanted;

typedef struct {
    Wanted wanted[MOST_CHANGES];
    int count;
    PyObject *asked; /* the parent that in_parent is about; borrowed */
} Changes;

static const char undefined[] = "undefined";
static const char of_every_submit[] = "JobPreparingTasks"; /* what a submit deletes of every job, and no cluster has */

Said *
said_of(Sheet *sheet, const char *name, size_t n)
{
    if (!(sheet->names & name_bit(name, n)))
        return NULL;
    for (int i = sheet->count; i-- > 0;) {
        Said *said = &sheet->said[i];

        if (said->name_size == n && folded(said->name[0]) == folded(name[0]) && said->value != NULL
            && same_folded(said->name, name, n))
            return said;
    }
    return NULL;
}

/* 0 where there is no room. */
static int
say(Sheet *sheet, const Said *new)
{
    Said *before = said_of(sheet, new->name, new->name_size);

    if (before != NULL) { /* the spelling of the first name stays */
        before->value = new->value;
        before->value_size = new->value_size;
        return 1;
    }
    if (sheet->count == MOST_ATTRIBUTES)
        return 0;
    sheet->said[sheet->count++] = *new;
    sheet->names |= name_bit(new->name, new->name_size);
    return 1;
}

static void
unsay(Sheet *sheet, const Said *gone)
{
    Said *before = said_of(sheet, gone->name, gone->name_size);

    if (before != NULL)
        before->value = NULL;
}

static int
say_undefined(Sheet *sheet, const Said *name)
{
    return say(sheet, &(Said){name->name, undefined, name->name_size, sizeof undefined - 1});
}

/* Takes the lines of an ad in: 0 where they are none that are understood here. */
static int
read_lines(Sheet *sheet, PyObject *lines)
{
    const char *p = PyBytes_AS_STRING(lines), *end = p + PyBytes_GET_SIZE(lines);
    Line line;
    int more;

    sheet->count = sheet->gone_count = 0;
    sheet->names = 0;
    while ((more = next_line(&p, end, &line)) > 0) {
        Said said = {line.name, line.value, (size_t)(line.name_end - line.name), (size_t)(line.value_end - line.value)};

        if (!is_plain_name(said.name, said.name_size))
            return 0;
        if (line.set) {
            if (!say(sheet, &said))
                return 0;
            continue;
        }
        unsay(sheet, &said);
        if (said.name_size == sizeof of_every_submit - 1 && memcmp(said.name, of_every_submit, said.name_size) == 0)
            continue;
        if (sheet->gone_count == MOST_ATTRIBUTES)
            return 0;
        sheet->gone[sheet->gone_count++] = said;
    }
    return more == 0;
}

/* ---- the parent ---------------------------------------------------------------------------------------------------- */

static void
take_parent(Parent *parent, PyObject *ad)
{
    if (ad != parent->ad)
        Py_CLEAR(parent->attrs);
    parent->ad = ad;
}

int
parent_has(Parent *parent, PyObject *key)
{
    if (parent->ad == NULL || parent->ad == Py_None)
        return 0;
    if (parent->attrs == NULL && (parent->attrs = PyObject_GetAttrString(parent->ad, "attrs")) == NULL)
        return -1;
    if (PyDict_Check(parent->attrs))
        return PyDict_Contains(parent->attrs, key);
    Py_CLEAR(parent->attrs);
    PyErr_SetString(PyExc_TypeError, "not an ad");
    return -1;
}

/* The lower-case name, a new reference; NULL without an exception for one that is too long. */
static PyObject *
key_of(const Said *said)
{
    char lower[256];

    if (said->name_size > sizeof lower)
        return NULL;
    for (size_t i = 0; i < said->name_size; i++)
        lower[i] = folded(said->name[i]);
    return PyUnicode_FromStringAndSize(lower, (Py_ssize_t)said->name_size);
}

/* What the lines deleted of what the parent has hides that: 1, 0 where there is no room, -1 with an exception. */
static int
hide(Sheet *sheet, Parent *parent)
{
    for (int i = 0; i < sheet->gone_count; i++) {
        const Said *gone = &sheet->gone[i];
        PyObject *key;
        int has;

        if (said_of(sheet, gone->name, gone->name_size) != NULL)
            continue;
        if ((key = key_of(gone)) == NULL)
            return PyErr_Occurred() ? -1 : 0;
        has = parent_has(parent, key);
        Py_DECREF(key);
        if (has < 0 || (has && !say_undefined(sheet, gone)))
            return has < 0 ? -1 : 0;
    }
    return 1;
}

int
sheet_read(Sheet *sheet, Parent *parent, PyObject *ad)
{
    PyObject *lines = unread_lines(ad);

    if (lines == NULL || !PyBytes_Check(lines) || !read_lines(sheet, lines))
        return 0;
    take_parent(parent, parent_of_ad(ad));
    return hide(sheet, parent);
}

/* ---- changes ------------------------------------------------------------------------------------------------------- */

int
plain_text(PyObject *text, const char **p, size_t *n)
{
    if (!PyUnicode_Check(text) || !PyUnicode_IS_COMPACT_ASCII(text) || PyUnicode_GET_LENGTH(text) == 0)
        return 0;
    *p = (const char *)PyUnicode_1BYTE_DATA(text);
    *n = (size_t)PyUnicode_GET_LENGTH(text);
    return memchr(*p, '\n', *n) == NULL && memchr(*p, 0, *n) == NULL;
}

/* 1; 0 where one of them is none that a line can hold; -1 with an exception. */
static int
take_changes(Changes *changes, PyObject *given)
{
    if (PyTuple_GET_SIZE(given) > MOST_CHANGES)
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); i++) {
        PyObject *change = PyTuple_GET_ITEM(given, i);
        Wanted *wanted = &changes->wanted[changes->count];
        long op;

        memset(wanted, 0, sizeof *wanted);
        if (!PyTuple_Check(change) || PyTuple_GET_SIZE(change) != 4 || !PyLong_Check(PyTuple_GET_ITEM(change, 0)))
            return 0;
        op = PyLong_AsLong(PyTuple_GET_ITEM(change, 0));
        if ((op != 103 && op != 104) || !plain_text(PyTuple_GET_ITEM(change, 2), &wanted->said.name, &wanted->said.name_size)
            || !is_plain_name(wanted->said.name, wanted->said.name_size))
            return 0;
        if (op == 103 && !plain_text(PyTuple_GET_ITEM(change, 3), &wanted->said.value, &wanted->said.value_size))
            return 0;
        if ((wanted->key = key_of(&wanted->said)) == NULL)
            return PyErr_Occurred() ? -1 : 0;
        changes->count++;
    }
    return 1;
}

/* The lines of what is said now: a new reference. */
static PyObject *
new_lines(const Sheet *sheet)
{
    size_t size = 0;
    PyObject *lines;
    char *to;

    for (int i = 0; i < sheet->count; i++)
        if (sheet->said[i].value != NULL)
            size += sheet->said[i].name_size + 1 + sheet->said[i].value_size + 1;
    if ((lines = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size)) == NULL)
        return NULL;
    to = PyBytes_AS_STRING(lines);
    for (int i = 0; i < sheet->count; i++) {
        const Said *said = &sheet->said[i];

        if (said->value == NULL)
            continue;
        memcpy(to, said->name, said->name_size);
        to += said->name_size;
        *to++ = ' ';
        memcpy(to, said->value, said->value_size);
        to += said->value_size;
        *to++ = '\n';
    }
    return lines;
}

/* Which of what is to be deleted the parent has; one that is asked nothing is not read. */
static int
ask_parent(Changes *changes, Parent *parent)
{
    if (changes->asked == parent->ad)
        return 0;
    changes->asked = parent->ad;
    for (int i = 0; i < changes->count; i++) {
        Wanted *wanted = &changes->wanted[i];

        if (wanted->said.value == NULL && (wanted->in_parent = parent_has(parent, wanted->key)) < 0)
            return -1;
    }
    return 0;
}

/* 1 done, 0 not for us, -1 with an exception. */
static int
change_ad(Sheet *sheet, Parent *parent, Changes *changes, PyObject *ad)
{
    PyObject *lines;
    int good = sheet_read(sheet, parent, ad);

    if (good <= 0 || ask_parent(changes, parent) < 0)
        return good <= 0 ? good : -1;
    for (int i = 0; i < changes->count; i++) {
        const Wanted *wanted = &changes->wanted[i];

        if (wanted->said.value == NULL)
            unsay(sheet, &wanted->said);
        if (wanted->said.value != NULL ? !say(sheet, &wanted->said) : wanted->in_parent && !say_undefined(sheet, &wanted->said))
            return 0;
    }
    if ((lines = new_lines(sheet)) == NULL)
        return -1;
    set_unread_lines(ad, lines);
    return 1;
}

const char change_doc[] =
    "change(ads, changes) -> list\n\n"
    "Sets (103) and deletes (104) attributes of ads that nobody has looked at, as it would be done if they were read first\n"
    "and became lines again. The ads for which that could not be done, untouched.";

PyObject *
reader_change(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *ads, *given, *left;
    Changes changes;
    Parent parent = {NULL, NULL};
    Sheet sheet;
    int good;

    if (!PyArg_ParseTuple(args, "O!O!:change", &PyList_Type, &ads, &PyTuple_Type, &given) || !is_ready())
        return NULL;
    if ((left = PyList_New(0)) == NULL)
        return NULL;
    changes.count = 0;
    changes.asked = NULL;
    good = take_changes(&changes, given);
    for (Py_ssize_t i = 0; good >= 0 && i < PyList_GET_SIZE(ads); i++) {
        PyObject *ad = PyList_GET_ITEM(ads, i);
        int done = good ? change_ad(&sheet, &parent, &changes, ad) : 0;

        if (done < 0 || (done == 0 && PyList_Append(left, ad) < 0))
            good = -1;
    }
    for (int i = 0; i < changes.count; i++)
        Py_DECREF(changes.wanted[i].key);
    Py_XDECREF(parent.attrs);
    if (good < 0)
        Py_CLEAR(left);
    return left;
}
