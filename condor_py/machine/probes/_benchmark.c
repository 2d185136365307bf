/* Two small benchmarks of one core: integers and strings, and floating point. In C because they measure the processor and
   not Python: there is no twin. See benchmark.py. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* -- Integers: one round copies a record and compares its text, indexes arrays, multiplies and divides. */

typedef struct {
    int kind, amount;
    char text[32];
} record;

static record first = {0, 0, "A TEXT OF THIRTY LETTERS, FIRST"}, second;
static volatile int table[50];
static volatile int sink;

static __attribute__((noinline)) int copied(record *to, const record *from, int amount)
{
    *to = *from;
    to->text[26] = 'O';
    to->amount = amount;
    return strcmp(to->text, from->text) > 0 ? to->amount + 7 : to->kind;
}

static __attribute__((noinline)) int one_round(int number)
{
    int sum = copied(&second, &first, number & 15);
    for (int place = sum; place < sum + 3; place++)
        table[place] = table[place + 20] + place;
    sum = 5 * sum - table[sum];
    return 7 * (number - sum) / ((number & 7) + 1);
}

/* rounds(seconds) -> rounds a second */
static PyObject *rounds(PyObject *self, PyObject *args)
{
    double wanted, used;
    long done = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "d", &wanted))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    double start = seconds();
    do {
        for (int number = 0; number < 100000; number++)
            sink = one_round(number);
        done += 100000;
        used = seconds() - start;
    } while (used < wanted);
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble((double)done / used);
}

/* -- Floating point: a system of linear equations, solved by elimination with row exchanges. */

#define N 200

static double system_[N][N + 1];

static void make_system(void)
{
    unsigned seed = 1325;
    for (int row = 0; row < N; row++) {
        double sum = 0.0;
        for (int column = 0; column < N; column++) {
            seed = (3125u * seed) % 65536u;
            system_[row][column] = ((double)seed - 32768.0) / 16384.0;
            sum += system_[row][column];
        }
        system_[row][N] = sum; /* the solution is 1 everywhere */
    }
}

static __attribute__((noinline)) double solve(void)
{
    for (int step = 0; step < N; step++) {
        int best = step;
        for (int row = step + 1; row < N; row++)
            if ((system_[row][step] < 0 ? -system_[row][step] : system_[row][step]) >
                (system_[best][step] < 0 ? -system_[best][step] : system_[best][step]))
                best = row;
        if (best != step)
            for (int column = step; column <= N; column++) {
                double kept = system_[step][column];
                system_[step][column] = system_[best][column];
                system_[best][column] = kept;
            }
        for (int row = step + 1; row < N; row++) {
            double factor = system_[row][step] / system_[step][step];
            for (int column = step + 1; column <= N; column++)
                system_[row][column] -= factor * system_[step][column];
        }
    }
    double worst = 0.0;
    for (int row = N - 1; row >= 0; row--) {
        double value = system_[row][N];
        for (int column = row + 1; column < N; column++)
            value -= system_[row][column] * system_[column][N];
        value /= system_[row][row];
        system_[row][N] = value;
        double wrong = value < 1.0 ? 1.0 - value : value - 1.0;
        if (wrong > worst)
            worst = wrong;
    }
    return worst;
}

/* flops(seconds) -> (floating point operations a second, error of the solution) */
static PyObject *flops(PyObject *self, PyObject *args)
{
    double wanted, used = 0.0, worst = 0.0;
    long done = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "d", &wanted))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    do {
        make_system();
        double start = seconds();
        worst = solve();
        used += seconds() - start;
        done++;
    } while (used < wanted);
    Py_END_ALLOW_THREADS
    double operations = 2.0 * N * N * N / 3.0 + 2.0 * N * N;
    return Py_BuildValue("(dd)", operations * (double)done / used, worst);
}

static PyMethodDef methods[] = {
    {"rounds", rounds, METH_VARARGS, "rounds(seconds): rounds of the integer benchmark a second."},
    {"flops", flops, METH_VARARGS, "flops(seconds): operations a second, and the error of the solution."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_benchmark", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__benchmark(void)
{
    return PyModule_Create(&module);
}
