/*
 * Starting a program without copying the starter: the new process borrows our memory until it executes. spawning.py
 * says what is done in which order, and does the same with a fork where this module is not built.
 *
 * Between clone and exec the child shares all memory with us, and only the calling thread stands still. So it makes
 * system calls and nothing else: the functions of the C library that change identities would tell our other threads.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_SIZE (64 * 1024)
#define MAX_GROUPS 65536

/* Steps of the new process, as spawning.py names them in its errors. */
enum { STEP_NONE, STEP_STREAMS, STEP_GROUP, STEP_IDENTITY, STEP_DIRECTORY, STEP_EXECUTE };
static const char *const step_names[] = {"clone", "streams", "group", "identity", "directory", "execute"};

typedef struct {
    const char *program, *directory;
    char *const *argv, *const *envp, *const *join;
    int streams[3];
    int become; /* whether the next three count */
    uid_t uid;
    gid_t gid;
    size_t group_count;
    gid_t *groups;
    int mask, nice;
    unsigned long long address_space;
    sigset_t signals; /* as they were before we blocked them all */
    volatile int step, error;
} Order;

static int
fail(Order *order, int step)
{
    order->error = errno;
    order->step = step;
    _exit(127);
}

/* Nothing that we catch may run in the child: it would run on our memory. */
static void
reset_signals(void)
{
    struct sigaction action;

    for (int number = 1; number < NSIG; number++) {
        if (number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &action) != 0)
            continue;
        if ((action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) && number != SIGPIPE && number != SIGXFSZ)
            continue;
        action.sa_handler = SIG_DFL;
        action.sa_flags = 0;
        sigemptyset(&action.sa_mask);
        sigaction(number, &action, NULL);
    }
}

static int
place_streams(const Order *order)
{
    int held[3];

    for (int i = 0; i < 3; i++) { /* out of the way of one another first */
        held[i] = fcntl(order->streams[i], F_DUPFD_CLOEXEC, 3);
        if (held[i] < 0)
            return -1;
    }
    for (int i = 0; i < 3; i++)
        if (dup2(held[i], i) < 0)
            return -1;
    return 0;
}

/* Every descriptor but the three streams is closed by the execution. */
static void
close_others(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) == 0)
        return;
#endif
    for (long fd = 3, end = sysconf(_SC_OPEN_MAX); fd < end; fd++)
        fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

/* Groups that the process is not born in: each a path of a file that takes process ids. */
static int
join_groups(char *const *paths)
{
    for (; *paths != NULL; paths++) {
        int fd = open(*paths + 1, O_WRONLY | O_CLOEXEC);
        int good = fd >= 0 && write(fd, "0", 1) == 1;

        if (!good && **paths == '!') {
            errno = EAGAIN;
            return -1;
        }
        if (fd >= 0)
            close(fd);
    }
    return 0;
}

static void
limit(const Order *order)
{
    if (order->nice > 0)
        setpriority(PRIO_PROCESS, 0, order->nice);
    if (order->address_space > 0) {
        struct rlimit size = {order->address_space, order->address_space};

        setrlimit(RLIMIT_AS, &size);
    }
}

static int
become(const Order *order)
{
    if (!order->become)
        return 0;
    if (syscall(SYS_setresuid, -1, 0, -1) != 0) /* who works as somebody else for a while is root again first */
        return -1;
    if (syscall(SYS_setgroups, order->group_count, order->groups) != 0)
        return -1;
    if (syscall(SYS_setresgid, order->gid, order->gid, order->gid) != 0)
        return -1;
    return (int)syscall(SYS_setresuid, order->uid, order->uid, order->uid);
}

static int
child(void *argument)
{
    Order *order = argument;

    reset_signals();
    setsid();
    if (place_streams(order) != 0)
        fail(order, STEP_STREAMS);
    close_others();
    if (order->mask >= 0)
        umask((mode_t)order->mask);
    if (join_groups(order->join) != 0)
        fail(order, STEP_GROUP);
    if (become(order) != 0)
        fail(order, STEP_IDENTITY);
    if (*order->directory && chdir(order->directory) != 0)
        fail(order, STEP_DIRECTORY);
    limit(order);
    sigprocmask(SIG_SETMASK, &order->signals, NULL);
    execve(order->program, order->argv, order->envp);
    fail(order, STEP_EXECUTE);
    return 127;
}

/* The process id of the new process, already executing; -1 with order->step and order->error when that failed. */
static long
launch(Order *order)
{
    char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    sigset_t all;
    long pid;

    order->step = STEP_NONE;
    order->error = 0;
    if (stack == MAP_FAILED) {
        order->error = errno;
        return -1;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &order->signals);
    pid = clone(child, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, order);
    if (pid < 0)
        order->error = errno;
    pthread_sigmask(SIG_SETMASK, &order->signals, NULL);
    munmap(stack, STACK_SIZE);
    if (pid > 0 && order->error) {
        while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
            ;
        pid = -1;
    }
    return pid;
}

/* ---- what Python hands in ---------------------------------------------------------------------------------------- */

/* A NULL-terminated array of the bytes objects in a tuple, which keeps them; NULL with an exception set. */
static char **
strings_of(PyObject *tuple)
{
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    char **found = PyMem_Calloc((size_t)count + 1, sizeof *found);

    if (found == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (PyBytes_AsStringAndSize(PyTuple_GET_ITEM(tuple, i), &found[i], NULL) < 0) { /* refuses a NUL byte */
            PyMem_Free(found);
            return NULL;
        }
    return found;
}

static int
read_groups(PyObject *tuple, Order *order)
{
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);

    if (count > MAX_GROUPS) {
        PyErr_SetString(PyExc_ValueError, "too many groups");
        return -1;
    }
    order->groups = PyMem_Calloc((size_t)count + 1, sizeof *order->groups);
    if (order->groups == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    order->group_count = (size_t)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        unsigned long group = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(tuple, i));

        if (group == (unsigned long)-1 && PyErr_Occurred())
            return -1;
        order->groups[i] = (gid_t)group;
    }
    return 0;
}

static const char spawn_doc[] =
    "spawn(program, argv, environment, streams, directory, umask, account, join, nice, address_space)\n--\n\n"
    "Starts a program in a session of its own. Texts are bytes; streams three descriptors; umask -1 for ours; account\n"
    "None or (uid, gid, groups); join paths of cgroup.procs files, each behind a \"!\" (must be taken) or a blank.\n"
    "Returns (pid, \"\", 0), or (-1, step, errno).";

static PyObject *
spawn(PyObject *module, PyObject *arguments)
{
    Order order = {.become = 0};
    PyObject *argv, *environment, *account, *join, *groups = NULL, *answer = NULL;
    char **argv_list = NULL, **environment_list = NULL, **join_list = NULL;
    long pid;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "yO!O!(iii)yiOO!iK:spawn", &order.program, &PyTuple_Type, &argv, &PyTuple_Type,
                          &environment, &order.streams[0], &order.streams[1], &order.streams[2], &order.directory,
                          &order.mask, &account, &PyTuple_Type, &join, &order.nice, &order.address_space))
        return NULL;
    if (account != Py_None) {
        if (!PyArg_ParseTuple(account, "IIO!:account", &order.uid, &order.gid, &PyTuple_Type, &groups))
            return NULL;
        order.become = 1;
        if (read_groups(groups, &order) < 0)
            goto out;
    }
    argv_list = strings_of(argv);
    environment_list = argv_list ? strings_of(environment) : NULL;
    join_list = environment_list ? strings_of(join) : NULL;
    if (join_list == NULL)
        goto out;
    order.argv = argv_list;
    order.envp = environment_list;
    order.join = join_list;
    pid = launch(&order);
    answer = Py_BuildValue("lsi", pid, pid > 0 ? "" : step_names[order.step], pid > 0 ? 0 : order.error);
out:
    PyMem_Free(order.groups);
    PyMem_Free(argv_list);
    PyMem_Free(environment_list);
    PyMem_Free(join_list);
    return answer;
}

static PyMethodDef methods[] = {{"spawn", spawn, METH_VARARGS, spawn_doc}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_spawn", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit__spawn(void)
{
    return PyModule_Create(&definition);
}
