/* Some attributes of many ads, out of their lines: nothing is made of what nobody asks for.
   4 to 6 times as fast as reading the ads (tests/bench/bench_compiled.py), and no ad is made. */

#include "_logreader.h"

int
next_line(const char **at, const char *end, Line *line)
{
    const char *p = *at, *nl, *sp;

    if (p >= end)
        return 0;
    if ((nl = find(p, end, '\n')) == NULL)
        return -1;
    *at = nl + 1;
    line->set = 1;
    line->name = p;
    if (*p == HEAD) {
        sp = nl - p < 6 ? NULL : find(p + 4, nl, ' ');
        if (sp == NULL)
            return -1;
        line->set = p[2] == '3';
        line->name = sp + 1;
    }
    line->name_end = line->value = line->value_end = nl;
    if (!line->set)
        return 1;
    sp = find(line->name, nl, ' ');
    if (sp == NULL || sp + 1 >= nl)
        return -1;
    line->name_end = sp;
    line->value = sp + 1;
    return 1;
}

static int
same_name(const Line *line, const char *key, Py_ssize_t n)
{
    return line->name_end - line->name == n && same_folded(line->name, key, (size_t)n);
}

void
forget_answers(Question *q)
{
    memset(q->values, 0, (size_t)q->count * sizeof *q->values);
    memset(q->deleted, 0, (size_t)q->count);
}

int
ask_lines(Question *q, const char *p, const char *end)
{
    Line line;
    int more;

    while ((more = next_line(&p, end, &line)) > 0) {
        uint64_t bit = line.name_end == line.name ? 0 : name_bit(line.name, (size_t)(line.name_end - line.name));

        if (!(q->bits & bit))
            continue;
        for (Py_ssize_t i = q->first[bit_number(bit)]; i >= 0; i = q->next[i])
            if (same_name(&line, q->keys[i], q->sizes[i])) {
                q->values[i] = line.set ? line.value : NULL;
                q->deleted[i] = !line.set;
                q->ends[i] = line.value_end;
                break;
            }
    }
    if (more < 0)
        malformed();
    return more;
}

PyObject *
answer(Question *q, Py_ssize_t i)
{
    PyObject *before = q->latest[i], *text;
    size_t n = (size_t)(q->ends[i] - q->values[i]);

    if (before != NULL && (size_t)PyUnicode_GET_LENGTH(before) == n && PyUnicode_IS_ASCII(before)
        && memcmp(PyUnicode_1BYTE_DATA(before), q->values[i], n) == 0)
        return Py_NewRef(before);
    if ((text = text_of(q->values[i], n)) != NULL)
        Py_XSETREF(q->latest[i], Py_NewRef(text));
    return text;
}

int
add_answers(Question *q)
{
    for (Py_ssize_t i = 0; i < q->count; i++) {
        PyObject *text = q->values[i] != NULL ? answer(q, i) : Py_NewRef(q->deleted[i] ? q->gone : Py_None);
        int failed = text == NULL ? -1 : PyList_Append(PyList_GET_ITEM(q->columns, i), text);

        Py_XDECREF(text);
        if (failed)
            return -1;
    }
    return 0;
}

/* The first of equal names is the one that is answered. */
static void
sort_names(Question *q)
{
    for (int bit = 0; bit < MANY_NAMES; bit++)
        q->first[bit] = -1;
    for (Py_ssize_t i = q->count - 1; i >= 0; i--)
        if (q->sizes[i] > 0) {
            unsigned bit = bit_number(name_bit(q->keys[i], (size_t)q->sizes[i]));

            q->next[i] = q->first[bit];
            q->first[bit] = i;
        }
}

static int
take_names(Question *q, PyObject *names)
{
    q->count = PyTuple_GET_SIZE(names);
    if (q->count > MAX_KEYS) {
        PyErr_Format(PyExc_ValueError, "at most %d names", MAX_KEYS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < q->count; i++) {
        q->names[i] = PyTuple_GET_ITEM(names, i);
        if (!PyUnicode_Check(q->names[i])) {
            PyErr_SetString(PyExc_TypeError, "names are strings");
            return -1;
        }
        if ((q->keys[i] = PyUnicode_AsUTF8AndSize(q->names[i], &q->sizes[i])) == NULL)
            return -1;
        if (q->sizes[i] > 0)
            q->bits |= name_bit(q->keys[i], (size_t)q->sizes[i]);
    }
    sort_names(q);
    return 0;
}

int
begin_question(Question *q, PyObject *names, PyObject *gone)
{
    memset(q, 0, sizeof *q);
    q->gone = gone;
    if (take_names(q, names) < 0 || (q->columns = PyList_New(q->count)) == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < q->count; i++) {
        PyObject *column = PyList_New(0);

        if (column == NULL) {
            end_question(q);
            return -1;
        }
        PyList_SET_ITEM(q->columns, i, column);
    }
    return 0;
}

void
end_question(Question *q)
{
    Py_CLEAR(q->columns);
    for (Py_ssize_t i = 0; i < MAX_KEYS; i++)
        Py_CLEAR(q->latest[i]);
}

/* ---- of ads in memory ---------------------------------------------------------------------------------------------- */

/* What an ad that was read says: a new reference, None for nothing. */
static PyObject *
ask_attrs(PyObject *attrs, PyObject *name)
{
    PyObject *binding = PyDict_GetItemWithError(attrs, name), *raw;

    if (binding == NULL)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    Py_INCREF(binding);
    raw = PyObject_GetAttrString(binding, "raw");
    if (raw == Py_None)
        Py_SETREF(raw, PyObject_GetAttrString(binding, "text"));
    Py_DECREF(binding);
    return raw;
}

/* The attributes of an ad that was read: a new reference. */
static PyObject *
attrs_of(PyObject *ad)
{
    PyObject *attrs = PyObject_GetAttrString(ad, "attrs");

    if (attrs != NULL && !PyDict_Check(attrs)) {
        Py_CLEAR(attrs);
        PyErr_SetString(PyExc_TypeError, "not an ad");
    }
    return attrs;
}

static int
ask_read_ad(Question *q, PyObject *ad)
{
    PyObject *attrs = attrs_of(ad);
    int failed = 0;

    if (attrs == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < q->count && !failed; i++) {
        PyObject *text = ask_attrs(attrs, q->names[i]);

        failed = text == NULL ? -1 : PyList_Append(PyList_GET_ITEM(q->columns, i), text);
        Py_XDECREF(text);
    }
    Py_DECREF(attrs);
    return failed;
}

/* What the lines of an ad that nobody has read say, instead of the answers of the ad before. */
static int
ask_unread(Question *q, PyObject *lines)
{
    if (!PyBytes_Check(lines)) {
        malformed();
        return -1;
    }
    forget_answers(q);
    return ask_lines(q, PyBytes_AS_STRING(lines), PyBytes_AS_STRING(lines) + PyBytes_GET_SIZE(lines));
}

static int
ask_ad(Question *q, PyObject *ad)
{
    PyObject *lines = unread_lines(ad);

    if (lines == NULL)
        return ask_read_ad(q, ad);
    return ask_unread(q, lines) < 0 ? -1 : add_answers(q);
}

const char own_texts_doc[] =
    "own_texts(ads, keys, gone) -> list[list[str | None]]\n\n"
    "For each of the different lower-case ASCII names in the tuple `keys`: what each ad itself, not its parent, says.\n"
    "Nothing is made of an ad's lines; `gone` is told of what they delete.";

PyObject *
reader_own_texts(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *ads, *names, *gone, *columns = NULL;
    Question question;
    int failed = 0;

    if (!PyArg_ParseTuple(args, "O!O!O:own_texts", &PyList_Type, &ads, &PyTuple_Type, &names, &gone) || !is_ready()
        || begin_question(&question, names, gone) < 0)
        return NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(ads) && !failed; i++) {
        PyObject *ad = Py_NewRef(PyList_GET_ITEM(ads, i));

        failed = ask_ad(&question, ad);
        Py_DECREF(ad);
    }
    if (!failed)
        columns = Py_NewRef(question.columns);
    end_question(&question);
    return columns;
}

/* ---- ads that say the same ----------------------------------------------------------------------------------------- */

/* The latest answers as bytes that are the same for the same answers: which name, how long (-1: deleted), what. */
static int
write_down(const Question *q, Bytes *said)
{
    said->size = 0;
    for (Py_ssize_t i = 0; i < q->count; i++) {
        const char *value = q->values[i];
        int32_t told[2] = {(int32_t)i, value != NULL ? (int32_t)(q->ends[i] - value) : -1};

        if (value == NULL && !q->deleted[i])
            continue;
        if (put_bytes(said, told, sizeof told) < 0
            || (value != NULL && put_bytes(said, value, (size_t)told[1]) < 0))
            return -1;
    }
    return 0;
}

/* The same of an ad that was read: which bindings it has, as many ads share those that say the same. */
static int
write_down_read(const Question *q, PyObject *ad, Bytes *said)
{
    PyObject *attrs = attrs_of(ad);
    int failed = attrs == NULL;

    said->size = 0;
    for (Py_ssize_t i = 0; i < q->count && !failed; i++) {
        PyObject *binding = PyDict_GetItemWithError(attrs, q->names[i]);

        failed = (binding == NULL && PyErr_Occurred()) || put_bytes(said, &binding, sizeof binding) < 0;
    }
    Py_XDECREF(attrs);
    return failed ? -1 : 0;
}

/* The list of the places of ads that say the same as `ad`, borrowed. Ads that were read are no equals of others. */
static PyObject *
places_of(Question *q, PyObject *ad, Bytes *said, PyObject *known[2], PyObject *kinds)
{
    PyObject *lines = unread_lines(ad), *key, *places = NULL;

    if (lines == NULL ? write_down_read(q, ad, said) < 0 : ask_unread(q, lines) < 0 || write_down(q, said) < 0)
        return NULL;
    if ((key = PyBytes_FromStringAndSize(said->data, (Py_ssize_t)said->size)) != NULL)
        places = PyDict_GetItemWithError(known[lines != NULL], key);
    if (key != NULL && places == NULL && !PyErr_Occurred() && (places = PyList_New(0)) != NULL) {
        int failed = PyList_Append(kinds, places) < 0 || PyDict_SetItem(known[lines != NULL], key, places) < 0;

        Py_DECREF(places); /* the list of kinds keeps it */
        if (failed)
            places = NULL;
    }
    Py_XDECREF(key);
    return places;
}

const char kinds_doc[] =
    "kinds(ads, keys) -> list[list[int]]\n\n"
    "The places of ads in the list that say the same themselves, not their parents, of all of the lower-case ASCII names\n"
    "in the tuple `keys`, in the order of the first of each. An ad that was read is in no group with one that was not.";

PyObject *
reader_kinds(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *ads, *names, *known[2] = {NULL, NULL}, *kinds = NULL;
    Question question;
    Bytes said = {NULL, 0, 0};
    int failed = 0;

    if (!PyArg_ParseTuple(args, "O!O!:kinds", &PyList_Type, &ads, &PyTuple_Type, &names) || !is_ready()
        || begin_question(&question, names, Py_None) < 0)
        return NULL;
    failed = (known[0] = PyDict_New()) == NULL || (known[1] = PyDict_New()) == NULL || (kinds = PyList_New(0)) == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(ads); i++) {
        PyObject *places = places_of(&question, PyList_GET_ITEM(ads, i), &said, known, kinds), *place;

        place = places == NULL ? NULL : PyLong_FromSsize_t(i);
        failed = place == NULL || PyList_Append(places, place) < 0;
        Py_XDECREF(place);
    }
    PyMem_Free(said.data);
    Py_XDECREF(known[0]);
    Py_XDECREF(known[1]);
    end_question(&question);
    if (failed)
        Py_CLEAR(kinds);
    return kinds;
}
