/*
 * The arithmetic of user priorities over contiguous arrays; kernel_py.py is its twin, line for line.
 *
 * Every function takes objects with the buffer protocol (array.array): "d" for reals, "q" for 64 bit
 * integers, "B" for flags, all of one length. Naming, records and text stay in Python.
 *
 * The results agree with the twin to the last bit: IEEE doubles, no fused multiply-add (the build says
 * -ffp-contract=off), sums taken from the left. tests/bench/bench_priority.py times it beside memory copies.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#define MIN_PRIORITY 0.5
#define MICRO 1e6
#define ROUND_MAGIC 6755399441055744.0 /* 1.5 * 2^52: adding and subtracting it rounds to an integer, ties to even */
#define ROUND_LIMIT 2.0e9              /* beyond this a double has no more than six decimals worth rounding */
#define MAX_BUFFERS 8

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_WIDE_REGISTERS 1
#endif

enum { CHANGED_PRIORITY = 1, CHANGED_USAGE = 2, CHANGED_WEIGHTED = 4, IN_USE = 8, HAD_UNCHARGED = 16 };

typedef struct {
    Py_buffer views[MAX_BUFFERS];
    int taken;
} Buffers;

static void
release_buffers(Buffers *buffers)
{
    while (buffers->taken > 0)
        PyBuffer_Release(&buffers->views[--buffers->taken]);
}

/* The data of obj, whose format must be `format`; NULL with an exception set, and everything released. */
static void *
take_buffer(Buffers *buffers, PyObject *obj, char format, int writable, Py_ssize_t *length)
{
    Py_buffer *view = &buffers->views[buffers->taken];
    int flags = PyBUF_ND | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    Py_ssize_t count;

    if (PyObject_GetBuffer(obj, view, flags) < 0) {
        release_buffers(buffers);
        return NULL;
    }
    buffers->taken++;
    if (view->format == NULL || view->format[0] != format || view->format[1] != '\0' || view->ndim != 1) {
        PyErr_Format(PyExc_TypeError, "expected a one-dimensional array of type '%c'", format);
        release_buffers(buffers);
        return NULL;
    }
    count = view->shape[0];
    if (*length < 0)
        *length = count;
    if (count != *length) {
        PyErr_Format(PyExc_ValueError, "arrays differ in length: %zd and %zd", *length, count);
        release_buffers(buffers);
        return NULL;
    }
    return view->buf;
}

/* x with six decimals, as the accountant log stores it. The quotient is made of all alike: without a branch the compiler
 * does several at once. */
static ALWAYS_INLINE double
six_decimals(double x)
{
    double rounded = ((x * MICRO + ROUND_MAGIC) - ROUND_MAGIC) / MICRO;

    return fabs(x) < ROUND_LIMIT ? rounded : x;
}

typedef struct {
    double *priority, *uncharged, *accumulated, *held_accumulated;
    const double *use;
    const int64_t *held;
    int64_t *held_uncharged;
    unsigned char *changed;
} DecayArrays;

/* A flag while it is collected: compilers compare two doubles at once where the answer is a double, too. */
#define FLAG(flag) ((double)(flag))

/* Records that are worked on together: little enough to stay in the processor's nearest cache. */
#define BLOCK 256

/* The arithmetic of `n` records, at most BLOCK, from `first` on; each loop does one thing, to several records at once. */
static ALWAYS_INLINE Py_ssize_t
decay_block(const DecayArrays *a, Py_ssize_t first, int n, double beta, double dt)
{
    double *restrict priority = a->priority + first, *restrict uncharged = a->uncharged + first;
    double *restrict accumulated = a->accumulated + first, *restrict held_accumulated = a->held_accumulated + first;
    const double *restrict use = a->use + first;
    const int64_t *restrict held = a->held + first;
    int64_t *restrict held_uncharged = a->held_uncharged + first;
    unsigned char *restrict changed = a->changed + first;
    double slots[BLOCK], slots_uncharged[BLOCK], flags[BLOCK], rest = 1.0 - beta;
    int64_t bits, pending = 0;
    Py_ssize_t count = 0;

    for (int i = 0; i < n; i++) {
        slots[i] = (double)held[i];
        slots_uncharged[i] = (double)held_uncharged[i];
        memcpy(&bits, &uncharged[i], sizeof bits);
        pending |= bits | held_uncharged[i];
    }
    for (int i = 0; i < n; i++) {
        double recent = use[i] + uncharged[i] / dt, before = priority[i];
        double now = before * beta + recent * rest;

        now = six_decimals(now > MIN_PRIORITY ? now : MIN_PRIORITY);
        flags[i] = (now != before ? FLAG(CHANGED_PRIORITY) : 0.0)
                   + (recent > 0.0 ? FLAG(IN_USE) : slots[i] > 0.0 ? FLAG(IN_USE) : 0.0)
                   + (uncharged[i] != 0.0 ? FLAG(HAD_UNCHARGED) : slots_uncharged[i] != 0.0 ? FLAG(HAD_UNCHARGED) : 0.0);
        priority[i] = now;
    }
    for (int i = 0; i < n; i++) {
        double before = accumulated[i], now = six_decimals(before + (use[i] * dt + uncharged[i]));

        flags[i] += now != before ? FLAG(CHANGED_WEIGHTED) : 0.0;
        accumulated[i] = now;
    }
    for (int i = 0; i < n; i++) {
        double before = held_accumulated[i], now = six_decimals(before + (slots[i] * dt + slots_uncharged[i]));

        flags[i] += now != before ? FLAG(CHANGED_USAGE) : 0.0;
        held_accumulated[i] = now;
    }
    for (int i = 0; i < n; i++) {
        changed[i] = (unsigned char)(int)flags[i];
        count += changed[i] != 0;
    }
    if (pending) { /* what is nothing already is not written: memory is what takes longest here */
        memset(uncharged, 0, (size_t)n * sizeof *uncharged);
        memset(held_uncharged, 0, (size_t)n * sizeof *held_uncharged);
    }
    return count;
}

static ALWAYS_INLINE Py_ssize_t
decay_blocks(const DecayArrays *a, Py_ssize_t n, double beta, double dt)
{
    Py_ssize_t count = 0;

    for (Py_ssize_t first = 0; first < n; first += BLOCK)
        count += decay_block(a, first, n - first < BLOCK ? (int)(n - first) : BLOCK, beta, dt);
    return count;
}

#ifdef HAS_WIDE_REGISTERS
/* The same, compiled for processors that do four or eight records at once; the results are the same bits. */
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))) static Py_ssize_t
decay_by_eight(const DecayArrays *a, Py_ssize_t n, double beta, double dt)
{
    return decay_blocks(a, n, beta, dt);
}

__attribute__((target("avx2"))) static Py_ssize_t
decay_by_four(const DecayArrays *a, Py_ssize_t n, double beta, double dt)
{
    return decay_blocks(a, n, beta, dt);
}
#endif

static Py_ssize_t
decay_all(const DecayArrays *a, Py_ssize_t n, double beta, double dt)
{
#ifdef HAS_WIDE_REGISTERS
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return decay_by_eight(a, n, beta, dt);
    if (__builtin_cpu_supports("avx2"))
        return decay_by_four(a, n, beta, dt);
#endif
    return decay_blocks(a, n, beta, dt);
}

PyDoc_STRVAR(decay_doc,
"decay(beta, dt, priority, use, uncharged, accumulated, held, held_uncharged, held_accumulated, changed) -> int\n\n"
"One update of every record in place; returns how many records have a flag in `changed`.");

static PyObject *
kernel_decay(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *o[8];
    double beta, dt;
    Buffers b = {.taken = 0};
    Py_ssize_t n = -1, count;
    DecayArrays a;

    if (!PyArg_ParseTuple(args, "ddOOOOOOOO:decay", &beta, &dt, &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6], &o[7]))
        return NULL;
    if (!(dt > 0.0)) {
        PyErr_SetString(PyExc_ValueError, "dt must be positive");
        return NULL;
    }
    if ((a.priority = take_buffer(&b, o[0], 'd', 1, &n)) == NULL
        || (a.use = take_buffer(&b, o[1], 'd', 0, &n)) == NULL
        || (a.uncharged = take_buffer(&b, o[2], 'd', 1, &n)) == NULL
        || (a.accumulated = take_buffer(&b, o[3], 'd', 1, &n)) == NULL
        || (a.held = take_buffer(&b, o[4], 'q', 0, &n)) == NULL
        || (a.held_uncharged = take_buffer(&b, o[5], 'q', 1, &n)) == NULL
        || (a.held_accumulated = take_buffer(&b, o[6], 'd', 1, &n)) == NULL
        || (a.changed = take_buffer(&b, o[7], 'B', 1, &n)) == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    count = decay_all(&a, n, beta, dt);
    Py_END_ALLOW_THREADS
    release_buffers(&b);
    return PyLong_FromSsize_t(count);
}

PyDoc_STRVAR(effective_doc,
"effective(priority, factor, out) -> None\n\nEffective priorities: the real priority, at least 0.5, times the factor.");

static PyObject *
kernel_effective(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *o[3];
    Buffers b = {.taken = 0};
    Py_ssize_t n = -1;
    const double *priority, *factor;
    double *out;

    if (!PyArg_ParseTuple(args, "OOO:effective", &o[0], &o[1], &o[2]))
        return NULL;
    if ((priority = take_buffer(&b, o[0], 'd', 0, &n)) == NULL
        || (factor = take_buffer(&b, o[1], 'd', 0, &n)) == NULL
        || (out = take_buffer(&b, o[2], 'd', 1, &n)) == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++)
        out[i] = (priority[i] > MIN_PRIORITY ? priority[i] : MIN_PRIORITY) * factor[i];
    release_buffers(&b);
    Py_RETURN_NONE;
}

#define LANES 8

/* The largest of all values, at least 0. Lanes that do not wait for one another: one comparison after the other would
 * take as long as copying the values. */
static double
largest(const double *values, Py_ssize_t n)
{
    double lanes[LANES] = {0.0}, result = 0.0;
    Py_ssize_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] = values[i + lane] > lanes[lane] ? values[i + lane] : lanes[lane];
    for (; i < n; i++)
        lanes[0] = values[i] > lanes[0] ? values[i] : lanes[0];
    for (int lane = 0; lane < LANES; lane++)
        result = lanes[lane] > result ? lanes[lane] : result;
    return result;
}

PyDoc_STRVAR(shares_doc,
"shares(eup, out) -> (worst, normal)\n\n"
"Shares by inverse effective priority: worst is the largest, normal the sum of worst / eup, out = worst / (eup * normal).");

static PyObject *
kernel_shares(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *o[2];
    Buffers b = {.taken = 0};
    Py_ssize_t n = -1;
    const double *eup;
    double *out, worst = 0.0, normal = 0.0;

    if (!PyArg_ParseTuple(args, "OO:shares", &o[0], &o[1]))
        return NULL;
    if ((eup = take_buffer(&b, o[0], 'd', 0, &n)) == NULL
        || (out = take_buffer(&b, o[1], 'd', 1, &n)) == NULL)
        return NULL;
    worst = largest(eup, n);
    for (Py_ssize_t i = 0; i < n; i++)
        normal += worst / eup[i];
    for (Py_ssize_t i = 0; i < n; i++)
        out[i] = worst / (eup[i] * normal);
    release_buffers(&b);
    return Py_BuildValue("dd", worst, normal);
}

PyDoc_STRVAR(limits_doc,
"limits(share, use, pie, out) -> float\n\nWhat each may still take of the pie, max(0, share * pie - use); returns the sum.");

static PyObject *
kernel_limits(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *o[3];
    Buffers b = {.taken = 0};
    Py_ssize_t n = -1;
    const double *share, *use;
    double *out, pie, left = 0.0;

    if (!PyArg_ParseTuple(args, "OOdO:limits", &o[0], &o[1], &pie, &o[2]))
        return NULL;
    if ((share = take_buffer(&b, o[0], 'd', 0, &n)) == NULL
        || (use = take_buffer(&b, o[1], 'd', 0, &n)) == NULL
        || (out = take_buffer(&b, o[2], 'd', 1, &n)) == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        double limit = share[i] * pie - use[i];
        out[i] = limit > 0.0 ? limit : 0.0;
        left += out[i];
    }
    release_buffers(&b);
    return PyFloat_FromDouble(left);
}

/* The bits of a double as an unsigned number with the same order; -0.0 counts as 0.0. */
static inline uint64_t
order_bits(double x)
{
    uint64_t bits;

    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return (bits >> 63) ? ~bits : bits | UINT64_C(0x8000000000000000);
}

#define DIGIT_BITS 11
#define DIGITS 3        /* that cover the 32 bits of a level */
#define SMALL_RUN 32    /* up to here insertion is faster than counting */
#define LEVELS 4        /* upper and lower half of eup, then of starved */

typedef struct {
    uint32_t key; /* the 32 bits of the level */
    uint32_t index;
} Item;

typedef struct {
    const double *eup, *starved;
    Item *items, *spare;
} Sorting;

static inline uint32_t
level_key(const Sorting *s, int level, uint32_t index)
{
    uint64_t bits = order_bits((level < 2 ? s->eup : s->starved)[index]);

    return (uint32_t)(level & 1 ? bits : bits >> 32);
}

static void
insertion_sort(Item *items, Py_ssize_t n)
{
    for (Py_ssize_t i = 1; i < n; i++) {
        Item item = items[i];
        Py_ssize_t at = i;

        for (; at > 0 && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Stable radix sort by key; digits in which all agree cost nothing. */
static void
radix_sort(Item *items, Item *spare, Py_ssize_t n)
{
    uint32_t counts[DIGITS][1 << DIGIT_BITS];
    const uint32_t mask = (1 << DIGIT_BITS) - 1;
    Item *from = items, *to = spare;

    memset(counts, 0, sizeof counts);
    for (Py_ssize_t i = 0; i < n; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            counts[digit][(items[i].key >> (DIGIT_BITS * digit)) & mask]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        uint32_t *count = counts[digit], start = 0;
        int shift = DIGIT_BITS * digit;
        Item *sorted = to;

        if (count[(from[0].key >> shift) & mask] == (uint32_t)n)
            continue;
        for (uint32_t value = 0; value <= mask; value++) {
            uint32_t here = count[value];
            count[value] = start;
            start += here;
        }
        for (Py_ssize_t i = 0; i < n; i++)
            to[count[(from[i].key >> shift) & mask]++] = from[i];
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, (size_t)n * sizeof *items);
}

/* Sorts items[first..end) by what begins at `level`; those that agree there by the levels after it. */
static void
sort_run(const Sorting *s, int level, Py_ssize_t first, Py_ssize_t end)
{
    for (Py_ssize_t i = first; i < end; i++)
        s->items[i].key = level_key(s, level, s->items[i].index);
    if (end - first <= SMALL_RUN)
        insertion_sort(s->items + first, end - first);
    else
        radix_sort(s->items + first, s->spare, end - first);
    if (level + 1 == LEVELS)
        return;
    while (first < end) {
        Py_ssize_t next = first + 1;

        while (next < end && s->items[next].key == s->items[first].key)
            next++;
        if (next - first > 1)
            sort_run(s, level + 1, first, next);
        first = next;
    }
}

static int
order_all(const double *eup, const double *starved, int64_t *out, Py_ssize_t n)
{
    Item *items = PyMem_RawMalloc(2 * (size_t)n * sizeof *items);
    Sorting s = {eup, starved, items, items + n};

    if (items == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++)
        items[i].index = (uint32_t)i;
    sort_run(&s, 0, 0, n);
    for (Py_ssize_t i = 0; i < n; i++)
        out[i] = items[i].index;
    PyMem_RawFree(items);
    return 0;
}

PyDoc_STRVAR(order_doc,
"order(eup, starved, out) -> None\n\n"
"Indices in the order of negotiation: smaller eup, then smaller `starved`, then as they stood.");

static PyObject *
kernel_order(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *o[3];
    Buffers b = {.taken = 0};
    Py_ssize_t n = -1;
    const double *eup, *starved;
    int64_t *out;
    int failed = 0;

    if (!PyArg_ParseTuple(args, "OOO:order", &o[0], &o[1], &o[2]))
        return NULL;
    if ((eup = take_buffer(&b, o[0], 'd', 0, &n)) == NULL
        || (starved = take_buffer(&b, o[1], 'd', 0, &n)) == NULL
        || (out = take_buffer(&b, o[2], 'q', 1, &n)) == NULL)
        return NULL;
    if (n > UINT32_MAX) {
        release_buffers(&b);
        PyErr_SetString(PyExc_ValueError, "more records than 32 bits count");
        return NULL;
    }
    if (n > 0) {
        Py_BEGIN_ALLOW_THREADS
        failed = order_all(eup, starved, out, n);
        Py_END_ALLOW_THREADS
    }
    release_buffers(&b);
    if (failed)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"decay", kernel_decay, METH_VARARGS, decay_doc},
    {"effective", kernel_effective, METH_VARARGS, effective_doc},
    {"shares", kernel_shares, METH_VARARGS, shares_doc},
    {"limits", kernel_limits, METH_VARARGS, limits_doc},
    {"order", kernel_order, METH_VARARGS, order_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "condor_py.core.accounts._kernel", "Priority arithmetic over contiguous arrays.", 0, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__kernel(void)
{
    return PyModule_Create(&module);
}
