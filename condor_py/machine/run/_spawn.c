/*
 * Starting a program without copying the starter: the new process borrows our memory until it executes. spawning.py
 * says what is done in which order, and does the same with a fork where this module is not built.
 *
 * Between clone and exec the child shares all memory with us, and only the calling thread stands still. So it makes
 * system calls and nothing else: the functions of the C library that change identities would tell our other threads.
 *
 * A program is born in its control group wherever that can be, because moving a process makes the kernel wait. In
 * version 2, clone3 does that. In version 1 a thread of ours has been in the group since the starter began (a thread may
 * be elsewhere than its process), and what it starts is there. The thread runs none of Python: it waits for an order,
 * carries it out, and tells so, while the main thread stands still.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "_spawn_namespaces.h"

#define STACK_SIZE (64 * 1024)
#define MAX_GROUPS 65536

static const char *const step_names[] = {"clone",     "streams",    "group",  "identity",
                                         "directory", "namespaces", "execute"};

/* What the first letter of a path in ``join`` says. */
enum { MUST = '!', MUST_VERSION_2 = '*' };

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
join_groups(const Order *order)
{
    for (char *const *paths = order->join; *paths != NULL; paths++) {
        if (order->born && **paths == MUST_VERSION_2)
            continue;
        int fd = open(*paths + 1, O_WRONLY | O_CLOEXEC);
        int good = fd >= 0 && write(fd, "0", 1) == 1;

        if (!good && (**paths == MUST || **paths == MUST_VERSION_2)) {
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

    order->begun = 1;
    reset_signals();
    setsid();
    if (place_streams(order) != 0)
        fail(order, STEP_STREAMS);
    close_others();
    if (order->mask >= 0)
        umask((mode_t)order->mask);
    if (join_groups(order) != 0)
        fail(order, STEP_GROUP);
    if (see(order) != 0)
        fail(order, STEP_NAMESPACES);
    if (become(order) != 0)
        fail(order, STEP_IDENTITY);
    if (*order->directory && chdir(order->directory) != 0)
        fail(order, STEP_DIRECTORY);
    limit(order);
    sigprocmask(SIG_SETMASK, &order->signals, NULL);
    if (order->stops && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        fail(order, STEP_EXECUTE);
    execve(order->program, order->argv, order->envp);
    fail(order, STEP_EXECUTE);
    return 127;
}

/* ---- starting it -------------------------------------------------------------------------------------------------- */

/* The group of version 2 does not take newborn processes: they join it. (A kernel that has killed a group by its file
 * kills what is born into it from elsewhere, from then on.) A starter has one group. */
static int born_refused;

#if defined(__x86_64__) && defined(SYS_clone3)
#define INTO_CGROUP 0x200000000ULL

typedef struct { /* struct clone_args of the kernel, as far as we use it */
    unsigned long long flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size;
    unsigned long long cgroup;
} CloneArguments;

/* clone3 with the child calling ``child`` on its own stack, for which the C library has no function. -errno. */
static long
clone_into(char *stack, int group, Order *order)
{
    CloneArguments arguments = {
        .flags = CLONE_VM | CLONE_VFORK | INTO_CGROUP | (unsigned)kinds_at_birth(order),
        .exit_signal = SIGCHLD,
        .stack = (unsigned long long)stack,
        .stack_size = STACK_SIZE,
        .cgroup = (unsigned long long)group,
    };
    register int (*function)(void *) __asm__("r8") = child;
    register void *argument __asm__("r9") = order;
    long answer;

    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "movq %%r9, %%rdi\n\t"
                     "callq *%%r8\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(answer)
                     : "0"((long)SYS_clone3), "D"(&arguments), "S"(sizeof arguments), "r"(function), "r"(argument)
                     : "rcx", "r11", "memory", "cc");
    return answer;
}

/* As launch, in the group of version 2 from birth; 0 where that cannot be. */
static long
launch_inside(Order *order, char *stack)
{
    char path[4096];
    long pid = -ENOENT;

    for (char *const *paths = order->join; *paths != NULL && !born_refused; paths++) {
        const char *end = strrchr(*paths, '/');
        int group;

        if (**paths != MUST_VERSION_2 || end == NULL || end - *paths > (long)sizeof path)
            continue;
        memcpy(path, *paths + 1, (size_t)(end - *paths - 1));
        path[end - *paths - 1] = 0;
        group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (group < 0)
            break;
        order->born = 1;
        pid = clone_into(stack, group, order);
        close(group);
        break;
    }
    if (pid > 0 && order->begun)
        return pid;
    order->born = 0;
    if (pid > 0) { /* killed before its first step */
        while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
            ;
        born_refused = 1;
    }
    return 0;
}
#else
static long
launch_inside(Order *order, char *stack)
{
    (void)order, (void)stack, (void)born_refused;
    return 0;
}
#endif

/* A program that we trace waits for us at its first instruction. We let it go, stopped as by SIGSTOP. */
static int
stop_at_start(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (WIFSTOPPED(status))
        return ptrace(PTRACE_DETACH, pid, NULL, (void *)SIGSTOP) == 0 ? 0 : -1;
    errno = ECHILD; /* somebody was quicker and killed it */
    return -1;
}

/* What new processes have as their stack until they execute. One is enough, as we stand still meanwhile; to give it back
 * would make the kernel interrupt the processor of our other thread. NULL when there is no memory, with errno. */
static char *
child_stack(void)
{
    static char *stack;

    if (stack == NULL) {
        void *made = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

        if (made != MAP_FAILED)
            stack = made;
    }
    return stack;
}

/* The process id of the new process, already executing; -1 with order->step and order->error when that failed. The
 * caller has blocked all signals. */
static long
launch(Order *order)
{
    char *stack = child_stack();
    long pid;

    order->step = STEP_NONE;
    order->error = 0;
    if (stack == NULL) {
        order->error = errno;
        return -1;
    }
    pid = launch_inside(order, stack);
    if (pid == 0)
        pid = clone(child, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD | kinds_at_birth(order), order);
    if (pid < 0)
        order->error = errno;
    if (pid > 0 && order->error) {
        while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
            ;
        pid = -1;
    }
    if (pid > 0 && order->stops && stop_at_start((pid_t)pid) != 0) {
        order->step = STEP_EXECUTE;
        order->error = errno;
        kill((pid_t)pid, SIGKILL);
        waitpid((pid_t)pid, NULL, 0);
        pid = -1;
    }
    return pid;
}

/* ---- in a namespace of processes ------------------------------------------------------------------------------------ */

static char *const nothing[] = {NULL};

/* In a copy of us, the first process of the namespace. It collects nothing before it is told to go on: the other
 * side wants to know the program. */
static void
begin_first(Order *order, int tell)
{
    Beginning told = {STEP_NONE, 0};
    long program = -1;
    char known;

    if (join_groups(order) != 0)
        told = (Beginning){STEP_GROUP, errno};
    else if (see(order) != 0)
        told = (Beginning){STEP_NAMESPACES, errno};
    else {
        order->join = order->covers = nothing; /* that is done */
        order->own = 0;
        program = launch(order);
        if (program < 0)
            told = (Beginning){order->step, order->error};
    }
    if (write(tell, &told, sizeof told) == (ssize_t)sizeof told && program > 0 && read(tell, &known, 1) == 1)
        live_first((pid_t)program, tell);
    _exit(1);
}

/* The only child of a process, as we see it; -1 with errno. */
static long
only_child(long pid)
{
    char path[64], text[32];
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = 0;
    if (length > 0)
        return strtol(text, NULL, 10);
    errno = ESRCH;
    return -1;
}

/* As launch, in a namespace of processes: order->first is its first process, which tells at order->told how the program
 * ended. */
static long
launch_apart(Order *order)
{
    Beginning told = {STEP_NONE, EAGAIN};
    ssize_t length;
    int ends[2];
    long first, program = -1;

    order->step = STEP_NONE;
    order->error = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        order->error = errno;
        return -1;
    }
    first = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD | kinds_at_birth(order), 0, NULL, NULL, 0);
    if (first == 0) {
        close(ends[0]);
        begin_first(order, ends[1]);
    }
    if (first < 0)
        told.error = errno;
    close(ends[1]);
    while (first > 0 && (length = read(ends[0], &told, sizeof told)) < 0 && errno == EINTR)
        ;
    if (first > 0 && told.error == 0) {
        program = only_child(first);
        if (program > 0) {
            order->first = (pid_t)first;
            order->told = ends[0];
            return program;
        }
        told.error = errno;
    }
    close(ends[0]); /* the first process ends of that */
    order->step = (int)told.step;
    order->error = (int)told.error;
    while (first > 0 && waitpid((pid_t)first, NULL, 0) < 0 && errno == EINTR)
        ;
    return -1;
}

static long
launch_any(Order *order)
{
    return order->own & HAS_PROCESSES ? launch_apart(order) : launch(order);
}

/* ---- the thread in the group ------------------------------------------------------------------------------------- */

typedef enum { ENTERING, INSIDE, REFUSED } State;

typedef struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    pid_t owner, number; /* our process, and the thread's number in the kernel */
    char **files;        /* that take thread ids */
    PyObject *kept;      /* what has their names */
    State state;
    Order *order; /* to be carried out; NULL when it is */
    long pid;     /* what came of it */
    int leaving;
} Inhabitant;

static int
enter_groups(char *const *files)
{
    for (; *files != NULL; files++) {
        int fd = open(*files, O_WRONLY | O_CLOEXEC);
        int good = fd >= 0 && write(fd, "0", 1) == 1;

        if (fd >= 0)
            close(fd);
        if (!good)
            return -1;
    }
    return 0;
}

static void *
inhabit(void *argument)
{
    Inhabitant *self = argument;
    State state = enter_groups(self->files) == 0 ? INSIDE : REFUSED;

    pthread_mutex_lock(&self->lock);
    self->number = (pid_t)syscall(SYS_gettid);
    self->state = state;
    pthread_cond_broadcast(&self->change);
    while (!self->leaving && state == INSIDE) {
        if (self->order == NULL) {
            pthread_cond_wait(&self->change, &self->lock);
            continue;
        }
        self->pid = launch_any(self->order);
        self->order = NULL;
        pthread_cond_broadcast(&self->change);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static long
launch_there(Inhabitant *self, Order *order)
{
    long pid;

    pthread_mutex_lock(&self->lock);
    self->order = order;
    pthread_cond_broadcast(&self->change);
    while (self->order != NULL)
        pthread_cond_wait(&self->change, &self->lock);
    pid = self->pid;
    pthread_mutex_unlock(&self->lock);
    return pid;
}

/* Whether it is in the group: it says so once. */
static int
is_inside(Inhabitant *self)
{
    State state;

    pthread_mutex_lock(&self->lock);
    while (self->state == ENTERING)
        pthread_cond_wait(&self->change, &self->lock);
    state = self->state;
    pthread_mutex_unlock(&self->lock);
    return state == INSIDE;
}

/* Ends the thread. The group cannot be removed before the kernel has forgotten it, a moment after it has ended. */
static void
end(Inhabitant *self)
{
    char path[64];

    if (self->leaving || self->owner != getpid()) /* a forked child has no such thread */
        return;
    pthread_mutex_lock(&self->lock);
    self->leaving = 1;
    pthread_cond_broadcast(&self->change);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)self->number);
    while (access(path, F_OK) == 0)
        sched_yield();
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

#define INHABITANT "condor_py.machine.run._spawn.inhabitant"

static void
forget(PyObject *capsule)
{
    Inhabitant *self = PyCapsule_GetPointer(capsule, INHABITANT);

    if (self == NULL) {
        PyErr_Clear();
        return;
    }
    end(self);
    if (self->owner != getpid())
        return;
    PyMem_Free(self->files);
    Py_DECREF(self->kept);
    pthread_cond_destroy(&self->change);
    pthread_mutex_destroy(&self->lock);
    PyMem_Free(self);
}

static const char enter_doc[] =
    "enter(files)\n--\n\n"
    "A new thread of ours that goes into control groups of version 1: ``files`` are paths (bytes) of their tasks files.\n"
    "An object for inside, leave and spawn. OSError when there can be no thread.";

static PyObject *
enter(PyObject *module, PyObject *files)
{
    Inhabitant *self;
    PyObject *capsule;
    sigset_t all, before;
    int error;

    (void)module;
    if (!PyTuple_Check(files)) {
        PyErr_SetString(PyExc_TypeError, "files must be a tuple");
        return NULL;
    }
    self = PyMem_Calloc(1, sizeof *self);
    if (self == NULL)
        return PyErr_NoMemory();
    self->files = strings_of(files);
    if (self->files == NULL) {
        PyMem_Free(self);
        return NULL;
    }
    self->kept = Py_NewRef(files);
    self->owner = getpid();
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->change, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&self->thread, NULL, inhabit, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        PyMem_Free(self->files);
        Py_DECREF(self->kept);
        PyMem_Free(self);
        errno = error;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    capsule = PyCapsule_New(self, INHABITANT, forget);
    if (capsule == NULL) {
        end(self);
        PyMem_Free(self->files);
        Py_DECREF(self->kept);
        PyMem_Free(self);
    }
    return capsule;
}

static const char inside_doc[] = "inside(thread)\n--\n\nWhether the thread is in its groups; waits until that is known.";

static PyObject *
inside(PyObject *module, PyObject *thread)
{
    Inhabitant *self = PyCapsule_GetPointer(thread, INHABITANT);

    (void)module;
    return self == NULL ? NULL : PyBool_FromLong(self->owner == getpid() && is_inside(self));
}

static const char leave_doc[] = "leave(thread)\n--\n\nEnds the thread; its groups may be removed then.";

static PyObject *
leave(PyObject *module, PyObject *thread)
{
    Inhabitant *self = PyCapsule_GetPointer(thread, INHABITANT);

    (void)module;
    if (self == NULL)
        return NULL;
    end(self);
    Py_RETURN_NONE;
}

static const char spawn_doc[] =
    "spawn(program, argv, environment, streams, directory, umask, account, join, nice, address_space, thread,\n"
    "own, covers, stops)\n--\n\n"
    "Starts a program in a session of its own. Texts are bytes; streams three descriptors; umask -1 for ours; account\n"
    "None or (uid, gid, groups); join paths of cgroup.procs files, each behind a \"!\" or, in version 2, a \"*\" (must\n"
    "be taken) or a blank; thread one of enter that is inside, or None; own the bits of namespaces.py; covers a\n"
    "directory, the place in which it is seen, the next directory, and so on; stops whether the program is to be\n"
    "stopped at its first instruction. Returns (pid, \"\", 0, first, told),\n"
    "or (-1, step, errno, 0, -1); with processes among what it has of its own, first is the first of them, and told a\n"
    "socket on which it tells how the program ended.";

static PyObject *
spawn(PyObject *module, PyObject *arguments)
{
    Order order = {.become = 0, .told = -1};
    PyObject *argv, *environment, *account, *join, *thread, *covers, *groups = NULL, *answer = NULL;
    char **argv_list = NULL, **environment_list = NULL, **join_list = NULL, **covers_list = NULL;
    Inhabitant *there = NULL;
    sigset_t all;
    long pid;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "yO!O!(iii)yiOO!iKOiO!p:spawn", &order.program, &PyTuple_Type, &argv, &PyTuple_Type,
                          &environment, &order.streams[0], &order.streams[1], &order.streams[2], &order.directory,
                          &order.mask, &account, &PyTuple_Type, &join, &order.nice, &order.address_space, &thread,
                          &order.own, &PyTuple_Type, &covers, &order.stops))
        return NULL;
    if (PyTuple_GET_SIZE(covers) % 2 != 0) {
        PyErr_SetString(PyExc_ValueError, "covers must be pairs");
        return NULL;
    }
    if (thread != Py_None) {
        there = PyCapsule_GetPointer(thread, INHABITANT);
        if (there == NULL)
            return NULL;
        if (there->owner != getpid() || there->leaving || !is_inside(there)) {
            PyErr_SetString(PyExc_ValueError, "the thread is in no group");
            return NULL;
        }
    }
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
    covers_list = join_list ? strings_of(covers) : NULL;
    if (covers_list == NULL)
        goto out;
    snprintf(order.uid_map, sizeof order.uid_map, "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(order.gid_map, sizeof order.gid_map, "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    order.argv = argv_list;
    order.envp = environment_list;
    order.join = join_list;
    order.covers = covers_list;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &order.signals);
    pid = there == NULL ? launch_any(&order) : launch_there(there, &order);
    pthread_sigmask(SIG_SETMASK, &order.signals, NULL);
    answer = Py_BuildValue("lsiii", pid, pid > 0 ? "" : step_names[order.step], pid > 0 ? 0 : order.error, order.first,
                           order.told);
out:
    PyMem_Free(order.groups);
    PyMem_Free(argv_list);
    PyMem_Free(environment_list);
    PyMem_Free(join_list);
    PyMem_Free(covers_list);
    return answer;
}

static PyMethodDef methods[] = {
    {"spawn", spawn, METH_VARARGS, spawn_doc},
    {"enter", enter, METH_O, enter_doc},
    {"inside", inside, METH_O, inside_doc},
    {"leave", leave, METH_O, leave_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_spawn", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit__spawn(void)
{
    return PyModule_Create(&definition);
}
