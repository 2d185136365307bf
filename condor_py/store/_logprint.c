/* Records of the history of ads that nobody has looked at, out of their lines: no object is made of what they say.
   19 times as fast as printing ads (tests/bench/bench_compiled.py): condor_rm of many jobs. */

#include "_logsheet.h"

#define MOST_SHARED 400

/* Values that are printed otherwise than they stand, which many ads have in common: as many as this. */
#define KNOWN_TEXTS 64

/* An attribute of the parent: its lower-case name (borrowed), and where its line begins in Common.lines. */
typedef struct {
    const char *key;
    size_t key_size, line;
} Shared;

/* What the parent says, its lines one behind the other. */
typedef struct {
    Shared shared[MOST_SHARED + 1]; /* behind the last one stands where it ends */
    int count;
    char *lines;
} Common;

/* The text (held) of a value, which is borrowed from the lines of an ad. */
typedef struct {
    const char *value;
    size_t size;
    PyObject *text;
} Known;

/* Storage order: shorter names first, then by their lower-case letters. */
static int
by_name(const char *a, size_t a_size, const char *b, size_t b_size)
{
    if (a_size != b_size)
        return a_size < b_size ? -1 : 1;
    for (size_t i = 0; i < a_size; i++)
        if (folded(a[i]) != folded(b[i]))
            return (unsigned char)folded(a[i]) < (unsigned char)folded(b[i]) ? -1 : 1;
    return 0;
}

/* What is said, in storage order: how many. */
static int
sorted(const Sheet *sheet, const Said **order)
{
    int count = 0;

    for (int i = 0; i < sheet->count; i++) {
        const Said *said = &sheet->said[i];
        int at = count;

        if (said->value == NULL)
            continue;
        for (; at > 0 && by_name(said->name, said->name_size, order[at - 1]->name, order[at - 1]->name_size) < 0; at--)
            order[at] = order[at - 1];
        order[at] = said;
        count++;
    }
    return count;
}

/* How a value is printed that is no literal: borrowed. */
static PyObject *
text_in(Known *known, const Said *said)
{
    Known *slot = &known[mix(0, said->value, said->value_size) % KNOWN_TEXTS];
    PyObject *text;

    if (slot->text != NULL && slot->size == said->value_size && memcmp(slot->value, said->value, slot->size) == 0)
        return slot->text;
    Py_CLEAR(slot->text);
    if ((text = text_of_value(said->name, said->name_size, said->value, said->value_size)) == NULL)
        return NULL;
    *slot = (Known){said->value, said->value_size, PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape")};
    Py_DECREF(text);
    return slot->text;
}

/* Two small numbers and what is done with them, as everybody writes it? That is printed as it stands, too. */
static int
is_simple_operation(const char *value, size_t n)
{
    const char *middle = find(value, value + n, ' ');
    size_t first = middle == NULL ? 0 : (size_t)(middle - value);

    return middle != NULL && n > first + 3 && memchr("+-*/%", middle[1], 5) != NULL && middle[2] == ' ' && value[0] != '-'
           && middle[3] != '-' && is_integer(value, first) && is_integer(middle + 3, n - first - 3);
}

static int
print_said(Bytes *out, const char *name, const Said *said, Known *known)
{
    const char *value = said->value;
    size_t size = said->value_size;

    if (!is_literal(value, size) && !is_simple_operation(value, size)) {
        PyObject *text = text_in(known, said);

        if (text == NULL)
            return -1;
        value = PyBytes_AS_STRING(text);
        size = (size_t)PyBytes_GET_SIZE(text);
    }
    if (put_bytes(out, name, said->name_size) < 0 || put_bytes(out, " = ", 3) < 0 || put_bytes(out, value, size) < 0)
        return -1;
    return put_bytes(out, "\n", 1);
}

/* Own attributes and those of the parent, which has the say how a name is spelled. */
static int
print_merged(Bytes *out, const Sheet *sheet, const Common *common, Known *known)
{
    const Said *order[MOST_ATTRIBUTES];
    const Shared *shared = common->shared, *end = shared + common->count;
    int count = sorted(sheet, order), failed = 0;

    for (int i = 0; i < count && !failed; i++) {
        const Said *said = order[i];
        const char *name = said->name;
        const Shared *from = shared;
        int place = -1;

        while (shared < end && (place = by_name(shared->key, shared->key_size, said->name, said->name_size)) < 0)
            shared++;
        failed = put_bytes(out, common->lines + from->line, shared->line - from->line);
        if (shared < end && place == 0)
            name = common->lines + shared++->line;
        failed = failed || print_said(out, name, said, known) < 0;
    }
    return failed ? -1 : put_bytes(out, common->lines + shared->line, end->line - shared->line);
}

/* 1; 0 where there are too many; -1 with an exception. */
static int
take_shared(PyObject *given, Common *common, Bytes *lines)
{
    if (PyList_GET_SIZE(given) > MOST_SHARED)
        return 0;
    for (; common->count < PyList_GET_SIZE(given); common->count++) {
        PyObject *pair = PyList_GET_ITEM(given, common->count), *key, *line;

        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "SS", &key, &line))
            return -1;
        if (PyBytes_GET_SIZE(line) < PyBytes_GET_SIZE(key))
            return 0;
        common->shared[common->count] = (Shared){PyBytes_AS_STRING(key), (size_t)PyBytes_GET_SIZE(key), lines->size};
        if (put_bytes(lines, PyBytes_AS_STRING(line), (size_t)PyBytes_GET_SIZE(line)) < 0)
            return -1;
    }
    common->shared[common->count].line = lines->size;
    common->lines = lines->data;
    return 1;
}

/* ---- records of the history ---------------------------------------------------------------------------------------- */

/* What a banner tells, unless the ad says it itself. */
enum { IN_OWNER, IN_CLUSTER, IN_PROC, IN_COMPLETED, TOLD };
static const char *const told_names[TOLD] = {"owner", "clusterid", "procid", "completiondate"};

typedef struct {
    const char *text;
    size_t size;
} Text;

/* Is that a name in quotes that needs no escape? */
static int
is_quoted_name(const char *p, size_t n)
{
    if (n < 3 || p[0] != '"' || p[n - 1] != '"')
        return 0;
    for (size_t i = 1; i < n - 1; i++)
        if (!(folded(p[i]) >= 'a' && folded(p[i]) <= 'z') && !(p[i] >= '0' && p[i] <= '9'))
            return 0;
    return 1;
}

/* Takes what the ad says itself: 0 where that is nothing plain. */
static int
take_told(Sheet *sheet, Text *told)
{
    for (int i = 0; i < TOLD; i++) {
        const Said *said = said_of(sheet, told_names[i], strlen(told_names[i]));

        if (said == NULL)
            continue;
        if (i == IN_OWNER ? !is_quoted_name(said->value, said->value_size)
                       : said->value[0] == '-' || !is_integer(said->value, said->value_size))
            return 0;
        told[i] = (Text){said->value + (i == IN_OWNER), said->value_size - 2 * (i == IN_OWNER)};
    }
    return 1;
}

static int
print_banner(Bytes *out, const Text *told, long long last, long long now)
{
    static const char *const before[TOLD] = {" Owner = \"", " ClusterId = ", " ProcId = ", "\" CompletionDate = "};
    static const int order[TOLD] = {IN_CLUSTER, IN_PROC, IN_OWNER, IN_COMPLETED};
    char number[64];

    snprintf(number, sizeof number, "*** Offset = %lld", last);
    if (put_bytes(out, number, strlen(number)) < 0)
        return -1;
    for (int i = 0; i < TOLD; i++)
        if (put_bytes(out, before[order[i]], strlen(before[order[i]])) < 0
            || put_bytes(out, told[order[i]].text, told[order[i]].size) < 0)
            return -1;
    snprintf(number, sizeof number, " CurrentTime = %lld\n", now);
    return put_bytes(out, number, strlen(number));
}

/* Leaves out the lines of the environment from `begin` on. */
static void
leave_out_environment(Bytes *out, size_t begin)
{
    static const char *const names[] = {"Env = ", "Environment = "};
    const char *end = out->data + out->size;
    char *to = out->data + begin;

    for (const char *p = to, *next; p < end; p = next) {
        int kept = 1;

        next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1; /* each line has its newline */
        for (int i = 0; i < 2; i++)
            kept = kept && ((size_t)(next - p) < strlen(names[i]) || memcmp(p, names[i], strlen(names[i])) != 0);
        if (kept) {
            memmove(to, p, (size_t)(next - p));
            to += next - p;
        }
    }
    out->size = (size_t)(to - out->data);
}

/* Where records go, and what all of them have in common. */
typedef struct {
    Common common;
    Known known[KNOWN_TEXTS];
    Parent parent;
    Text told[TOLD];
    Bytes out, lines;
    long long last, end, limit, now;
    int environment;
} History;

/* The next record: 1; 0 where that is not for us, or the file is full; -1 with an exception. */
static int
add_record(History *history, Sheet *sheet, PyObject *ad)
{
    Bytes *out = &history->out;
    size_t begin = out->size;
    Text told[TOLD];
    long long body;
    int good = sheet_read(sheet, &history->parent, ad);

    memcpy(told, history->told, sizeof told);
    if (good <= 0 || !take_told(sheet, told))
        return good < 0 ? -1 : 0;
    if (print_merged(out, sheet, &history->common, history->known) < 0)
        return -1;
    if (!history->environment)
        leave_out_environment(out, begin);
    body = (long long)(out->size - begin);
    if (history->limit && history->end && history->end + body > history->limit) {
        out->size = begin;
        return 0;
    }
    if (print_banner(out, told, history->last, history->now) < 0)
        return -1;
    history->last = history->end + body;
    history->end += (long long)(out->size - begin);
    return 1;
}

const char records_doc[] =
    "records(ads, begin, shared, told, environment, place, limit, now) -> (bytes, int, (int, int))\n\n"
    "Records of the history, with their banners, of ads that nobody has looked at, from ads[begin] on: the bytes, how many, and\n"
    "the place where the next goes. `shared` has, in storage order, the lower-case name and the printed line of each attribute\n"
    "of their common parent, `told` what the banner tells of owner, cluster, proc and completion where an ad does not say it.\n"
    "A place is where the last banner begins and where the records end in a file that may have `limit` bytes (0: any number).\n"
    "Ends before an ad that has to be printed otherwise, or for which there is no room.";

PyObject *
reader_records(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *ads, *shared, *found = NULL;
    History history;
    Sheet sheet;
    Py_ssize_t begin, at, sizes[TOLD];
    int good;

    memset(&history, 0, sizeof history);
    if (!PyArg_ParseTuple(args, "O!nO!(y#y#y#y#)p(LL)LL:records", &PyList_Type, &ads, &begin, &PyList_Type, &shared,
                          &history.told[IN_OWNER].text, &sizes[IN_OWNER], &history.told[IN_CLUSTER].text, &sizes[IN_CLUSTER],
                          &history.told[IN_PROC].text, &sizes[IN_PROC], &history.told[IN_COMPLETED].text, &sizes[IN_COMPLETED],
                          &history.environment, &history.last, &history.end, &history.limit, &history.now)
        || !is_ready())
        return NULL;
    for (int i = 0; i < TOLD; i++)
        history.told[i].size = (size_t)sizes[i];
    good = take_shared(shared, &history.common, &history.lines);
    for (at = begin; good > 0 && at < PyList_GET_SIZE(ads); at += good > 0)
        good = add_record(&history, &sheet, PyList_GET_ITEM(ads, at));
    if (good >= 0)
        found = Py_BuildValue("y#n(LL)", history.out.size ? history.out.data : "", (Py_ssize_t)history.out.size, at - begin,
                              history.last, history.end);
    for (int i = 0; i < KNOWN_TEXTS; i++)
        Py_XDECREF(history.known[i].text);
    Py_XDECREF(history.parent.attrs);
    PyMem_Free(history.out.data);
    PyMem_Free(history.lines.data);
    return found;
}
