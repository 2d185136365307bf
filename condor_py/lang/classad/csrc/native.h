/*
 * What the files of condor_py.lang.classad._native share.
 *
 * The classes (nodes, bindings, records, values) live in Python; `connect` hands them over once, and the C code reads
 * and writes their slots at the offsets that their descriptors name. Whatever is rare or intricate is left to the
 * Python twin: a C function either does a thing exactly as the twin or hands it on.
 */

#ifndef CONDOR_PY_CLASSAD_NATIVE_H
#define CONDOR_PY_CLASSAD_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <limits.h>
#include <structmember.h>

/* Names shared between the files stay inside the module: libc has an advance(), others may have an add(). */
#pragma GCC visibility push(hidden)

#define REVISION 14 /* see kernel.py */

/* The slot of an object at an offset taken from its class; NULL when never set. */
#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))

typedef struct {
    /* Classes. */
    PyTypeObject *Node, *Literal, *Attr, *Paren, *Unary, *Binary, *Ternary, *Call, *ListNode, *AdNode;
    PyTypeObject *Binding, *Record, *RelTime;
    /* Values. */
    PyObject *undefined, *error, *computed, *nothing; /* nothing: an empty frozenset */
    /* Exceptions. */
    PyObject *EvaluationError, *ParseError;
    /* Functions of the twin. */
    PyObject *apply, *unary, *join, *compiled, *current_name, *match_name, *deep_run;
    PyObject *parse_node, *check_binding, *renamed, *value_text, *name_text, *put_line, *make_ad_node;
    PyObject *lower, *raw_twin, *real_to_int, *finite, *to_python, *item_twin, *eval_rest;
    /* Containers: names that every ad knows, names of the ads of a match, name -> lower-case name. */
    PyObject *current_names, *match_names, *keys;
    /* Offsets of slots. */
    Py_ssize_t n_fn, n_height, n_size;
    Py_ssize_t literal_value;
    Py_ssize_t attr_absolute, attr_key, attr_name, attr_scope;
    Py_ssize_t paren_inner;
    Py_ssize_t unary_inner, unary_op;
    Py_ssize_t binary_left, binary_op, binary_right;
    Py_ssize_t ternary_no, ternary_test, ternary_yes;
    Py_ssize_t call_args, call_name;
    Py_ssize_t list_items, ad_items;
    Py_ssize_t b_node, b_text, b_key, b_name, b_raw, b_value;
    Py_ssize_t r_attrs, r_parent, r_scope;
    Py_ssize_t tree_node;
    int connected;
} Shared;

extern Shared shared;

static inline int
is_record(PyObject *object)
{
    return PyObject_TypeCheck(object, shared.Record);
}

static inline int
is_literal_node(PyObject *object)
{
    return Py_TYPE(object) == shared.Literal;
}

/* module.c */
int require_connected(void);
int take_offset(PyTypeObject *type, const char *name, Py_ssize_t *target); /* where its objects keep a slot */
PyObject *connect_classes(PyObject *module, PyObject *table);

/* operate.c: the operators, see operators.py. All return new references. */
enum {
    OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IS, OP_ISNT, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_OTHER,
    OP_NOT, OP_NEG, OP_POS, OP_COMPLEMENT
};
int operator_code(const char *text);
PyObject *operate(int op, PyObject *op_text, PyObject *a, PyObject *b);
PyObject *operate_unary(int op, PyObject *op_text, PyObject *a);
/* 1 true, 0 false, -1 neither (see values.as_bool). */
int truth_of(PyObject *value);

/* evaluate.c: names, limits and the evaluation state. */
typedef struct Mark {
    PyObject *ad, *binding;
    struct Mark *below;
} Mark;

typedef struct {
    PyObject_HEAD
    PyObject *ad, *left, *right, *root, *outer, *nested, *loose; /* never NULL; None where there is none */
    long long rem, steps, given; /* given: the steps it began with */
    Mark *marks;
} State;

extern PyTypeObject State_Type, Code_Type;

PyObject *find_binding(PyObject *ad, PyObject *key); /* borrowed; NULL without exception when missing */
PyObject *value_of(State *st, PyObject *ad, PyObject *binding, long long depth);
PyObject *fetch(State *st, PyObject *start, PyObject *key, long long depth, int alternate);
PyObject *fail_too_deep(void);

/* What the call of a function counts as steps: one in Python takes as long as so many others. As in evaluate.py. */
#define CALL_STEPS 10
/* Counts that; 0 with an exception beyond the limit of the evaluation. */
int count_call(State *st);

/* Where the stack of this thread ends, less a reserve; NULL before it was looked for. Every part of a tree asks: with
 * glibc, which keeps room for such variables of modules, that is one instruction and no call. */
#ifdef __GLIBC__
extern __thread char *stack_floor __attribute__((tls_model("initial-exec")));
#else
extern __thread char *stack_floor;
#endif
char *find_stack_floor(void);

static inline int
stack_is_low(void)
{
    if (stack_floor == NULL)
        stack_floor = find_stack_floor();
    return (char *)__builtin_frame_address(0) < stack_floor;
}

PyObject *native_strict(PyObject *self, PyObject *flag);
PyObject *native_allowance(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_run(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_run_binding(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_value_of(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_fetch(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_requirements_match(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_symmetric_match(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_symmetric_matches(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_run_each(PyObject *self, PyObject *const *args, Py_ssize_t count);

/* code.c: compiled expressions. */
PyObject *invoke(PyObject *fn, State *st);
extern PyMethodDef code_makers[];

/* call.c: built-in functions on plain arguments. */
#define MAX_PLAIN_ARGUMENTS 8
int plain_function(const char *name, Py_ssize_t arguments); /* -1 where there is none */
int ends_at_undefined(int function); /* whether undefined or error ends the evaluation of arguments */
PyObject *call_plain(int function, PyObject **values, Py_ssize_t count); /* NULL without exception: not plain */

/* parse.c: text to trees. */
PyObject *native_parse_node(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_parse_attrs(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *make_literal(PyObject *value); /* steals value */

/* names.c: names of attributes and their keys. */
PyObject *lower_key(PyObject *name);
PyObject *name_and_key(const char *s, Py_ssize_t length, PyObject **key);

/* bind.c: bindings, and ads in old format. */
PyObject *bind_pair(PyObject *name, PyObject *text);
PyObject *bind_bytes(const char *name, Py_ssize_t name_size, const char *text, Py_ssize_t size);
PyObject *bind_node(PyObject *name, PyObject *key, PyObject *node);
PyObject *bind_value(PyObject *name, PyObject *key, PyObject *value);
PyObject *recall_new(PyObject *pair);
int remember_new(PyObject *pair, PyObject *binding);
int put_binding(PyObject *attrs, PyObject *binding); /* steals binding */
extern const struct Bindings bindings; /* see bindings.h */
PyObject *native_know(PyObject *self, PyObject *most);
PyObject *native_forget(PyObject *self, PyObject *none);
PyObject *native_bind(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_next_old(PyObject *self, PyObject *const *args, Py_ssize_t count);

/* methods.c: what ads are asked all the time. */
PyObject *attributes_of(PyObject *ad); /* borrowed; NULL with an exception */
PyObject *text_of_binding(PyObject *binding);        /* a new reference; NULL with an exception */
int set_one(PyObject *attrs, PyObject *name, PyObject *text); /* -1 with an exception */
/* The binding of a name or key in an ad or its parents (borrowed); NULL when it is missing, or with an exception. */
PyObject *binding_named(PyObject *ad, PyObject *name);
PyObject *binding_of_key(PyObject *ad, PyObject *key);
PyObject *value_named(PyObject *ad, PyObject *name, PyObject *target);
int place_arguments(const char *const *names, Py_ssize_t most, PyObject *const *args, Py_ssize_t count,
                    PyObject *named_ones, PyObject **found);
int put_methods(PyTypeObject *type, PyMethodDef *methods);
PyObject *native_take_methods(PyObject *self, PyObject *const *args, Py_ssize_t count);

/* faces.c: what programs ask, see ad.py and exprtree.py. */
int put_faces(PyTypeObject *ad, PyTypeObject *tree);

/* gather.c: an attribute of many ads. */
PyObject *native_columns(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_computed(PyObject *self, PyObject *const *args, Py_ssize_t count);

/* changes.c: records of a log. */
PyObject *native_apply(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_play(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_format_changes(PyObject *self, PyObject *given);
PyObject *native_take_change(PyObject *self, PyObject *type);
PyObject *native_set_text(PyObject *self, PyObject *const *args, Py_ssize_t count);

/* sent.c: ads on their way between daemons. */
PyObject *native_read_texts(PyObject *self, PyObject *data);
PyObject *native_write_texts(PyObject *self, PyObject *attrs);

/* write.c, print.c: trees and ads to text. */
PyObject *native_unparse(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_print_old(PyObject *self, PyObject *attrs);
PyObject *native_print_new(PyObject *self, PyObject *attrs);
PyObject *native_print_spread(PyObject *self, PyObject *attrs);
PyObject *native_print_json(PyObject *self, PyObject *attrs);

#pragma GCC visibility pop

#endif
