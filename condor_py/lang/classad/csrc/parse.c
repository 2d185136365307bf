/*
 * Tokens to trees: the grammar of parser.py.
 *
 * Errors and anything unusual are not decided here: the functions return no tree, and the twin reads the text again,
 * with its own message where it refuses.
 * Gain: see scan.c.
 */

#include "reader.h"

#define MAX_NESTING 500

static const Tree no_tree = {NULL, 0, 0};
static PyObject *operator_texts[O_COUNT];

int
prepare_operators(void)
{
    for (int i = O_COUNT - 1; i >= 0 && operator_texts[i] == NULL; i--)
        if ((operator_texts[i] = PyUnicode_InternFromString(operators[i].text)) == NULL)
            return 0;
    return 1;
}

/* ---- trees -------------------------------------------------------------------------------------------------- */

static PyObject *
small_number(long long number)
{
    return PyLong_FromLongLong(number);
}

/* An empty node of a class with its height and size. */
static Tree
make_node(PyTypeObject *type, long long height, long long size)
{
    Tree tree = {type->tp_alloc(type, 0), height, size};

    if (tree.node == NULL)
        return no_tree;
    SLOT(tree.node, shared.n_height) = small_number(height);
    SLOT(tree.node, shared.n_size) = small_number(size);
    if (SLOT(tree.node, shared.n_height) == NULL || SLOT(tree.node, shared.n_size) == NULL)
        Py_CLEAR(tree.node);
    return tree;
}

/* Fills a slot with a value (stolen); without value the tree is given up. */
static void
fill(Tree *tree, Py_ssize_t offset, PyObject *value)
{
    if (tree->node == NULL || value == NULL) {
        Py_XDECREF(value);
        Py_CLEAR(tree->node);
        return;
    }
    SLOT(tree->node, offset) = value;
}

PyObject *
make_literal(PyObject *value)
{
    Tree tree = make_node(shared.Literal, 0, 1);

    fill(&tree, shared.literal_value, value);
    if (tree.node != NULL)
        PyObject_GC_UnTrack(tree.node); /* part of no circle */
    return tree.node;
}

static Tree
literal_tree(PyObject *value)
{
    Tree tree = {make_literal(value), 0, 1};

    return tree;
}

/* name, .name or scope.name (scope and name are stolen). */
static Tree
attr_tree(Tree scope, PyObject *name, int absolute)
{
    Tree tree = make_node(shared.Attr, scope.node == NULL ? 0 : scope.height + 1,
                          scope.node == NULL ? 1 : scope.size + 1);
    PyObject *key = name == NULL ? NULL : lower_key(name);

    fill(&tree, shared.attr_scope, scope.node == NULL ? Py_NewRef(Py_None) : scope.node);
    fill(&tree, shared.attr_name, name);
    fill(&tree, shared.attr_key, key);
    fill(&tree, shared.attr_absolute, Py_NewRef(absolute ? Py_True : Py_False));
    return tree;
}

static Tree
unary_tree(int op, Tree inner)
{
    Tree tree = make_node(shared.Unary, inner.height + 1, inner.size + 1);

    fill(&tree, shared.unary_inner, inner.node);
    fill(&tree, shared.unary_op, Py_NewRef(operator_texts[op]));
    return tree;
}

static Tree
binary_tree(int op, Tree left, Tree right)
{
    Tree tree = make_node(shared.Binary, 1 + (left.height > right.height ? left.height : right.height),
                          1 + left.size + right.size);

    fill(&tree, shared.binary_left, left.node);
    fill(&tree, shared.binary_right, right.node);
    fill(&tree, shared.binary_op, Py_NewRef(operator_texts[op]));
    return tree;
}

static Tree
paren_tree(Tree inner)
{
    Tree tree = make_node(shared.Paren, inner.height + 1, inner.size + 1);

    fill(&tree, shared.paren_inner, inner.node);
    return tree;
}

static Tree
ternary_tree(Tree test, Tree yes, Tree no)
{
    long long height = test.height > yes.height ? test.height : yes.height;
    Tree tree = make_node(shared.Ternary, 1 + (height > no.height ? height : no.height),
                          1 + test.size + yes.size + no.size);

    fill(&tree, shared.ternary_test, test.node);
    fill(&tree, shared.ternary_yes, yes.node);
    fill(&tree, shared.ternary_no, no.node);
    return tree;
}

/* ---- the grammar -------------------------------------------------------------------------------------------- */

static Tree read_postfix(Reader *in);

/* Expressions between commas up to `closing`, appended to a new list; the closing bracket is consumed. */
static PyObject *
read_sequence(Reader *in, Kind closing, int semicolons, long long *height, long long *size)
{
    PyObject *items = PyList_New(0), *tuple;

    *height = 0;
    *size = 1;
    if (items == NULL)
        return NULL;
    if (in->kind == closing)
        next_token(in);
    else
        for (;;) {
            Tree item = read_expression(in);
            int failed = item.node == NULL || PyList_Append(items, item.node) < 0;
            Kind kind = in->kind;

            Py_XDECREF(item.node);
            if (failed || (kind != closing && kind != K_COMMA && !(semicolons && kind == K_SEMICOLON))) {
                Py_DECREF(items);
                return NULL;
            }
            if (item.height > *height)
                *height = item.height;
            *size += item.size;
            next_token(in);
            if (kind == closing)
                break;
        }
    tuple = PyList_AsTuple(items);
    Py_DECREF(items);
    return tuple;
}

static Tree
read_call(Reader *in, PyObject *name)
{
    long long height, size;
    PyObject *args;
    Tree tree;

    next_token(in);
    args = read_sequence(in, K_CLOSE, 1, &height, &size);
    if (args != NULL && PyTuple_GET_SIZE(args) == 1 && is_literal_node(PyTuple_GET_ITEM(args, 0)) &&
        PyUnicode_GET_LENGTH(name) == 7 &&
        (PyOS_stricmp(PyUnicode_AsUTF8(name), "abstime") == 0 || PyOS_stricmp(PyUnicode_AsUTF8(name), "reltime") == 0))
        Py_CLEAR(args); /* may be a constant: left to the twin */
    if (args == NULL) {
        Py_DECREF(name);
        return no_tree;
    }
    tree = make_node(shared.Call, height, size);
    fill(&tree, shared.call_args, args);
    fill(&tree, shared.call_name, name);
    return tree;
}

static Tree
read_list(Reader *in)
{
    long long height, size;
    PyObject *items;
    Tree tree;

    next_token(in);
    items = read_sequence(in, K_CURLY_END, 0, &height, &size);
    if (items == NULL)
        return no_tree;
    tree = make_node(shared.ListNode, 0, size);
    fill(&tree, shared.list_items, items);
    return tree;
}

/* One `name = expression` of an ad; 0 without a tree. */
static int
read_assignment(Reader *in, PyObject **name, Tree *tree)
{
    if (in->kind != K_NAME)
        return 0;
    *name = name_value(in);
    if (*name == NULL)
        return 0;
    next_token(in);
    if (in->kind == K_ASSIGN) {
        next_token(in);
        *tree = read_expression(in);
        if (tree->node != NULL && (in->kind == K_SEMICOLON || in->kind == K_SQUARE_END))
            return 1;
        Py_CLEAR(tree->node);
    }
    Py_CLEAR(*name);
    return 0;
}

/* A nested ad. */
static Tree
read_ad(Reader *in)
{
    PyObject *items = PyList_New(0), *pair, *name;
    Tree tree = no_tree, item = no_tree;

    if (items == NULL)
        return no_tree;
    next_token(in);
    tree.size = 1;
    while (in->kind != K_SQUARE_END) {
        int failed;

        if (in->kind == K_SEMICOLON && PyList_GET_SIZE(items) > 0) { /* none at the beginning: the twin's */
            next_token(in);
            continue;
        }
        if (!read_assignment(in, &name, &item)) {
            Py_DECREF(items);
            return no_tree;
        }
        pair = Py_BuildValue("(NN)", name, item.node);
        failed = pair == NULL || PyList_Append(items, pair) < 0;
        Py_XDECREF(pair);
        if (failed) {
            Py_DECREF(items);
            return no_tree;
        }
    }
    next_token(in);
    tree.node = PyObject_CallOneArg(shared.make_ad_node, items);
    Py_DECREF(items);
    if (tree.node != NULL) {
        PyObject *size = Py_TYPE(tree.node) == shared.AdNode ? SLOT(tree.node, shared.n_size) : NULL;

        if (size == NULL || !PyLong_Check(size))
            Py_CLEAR(tree.node);
        else
            tree.size = PyLong_AsLongLong(size); /* without the names that a later one replaced */
    }
    return tree;
}

static Tree
read_primary(Reader *in)
{
    PyObject *value;
    Tree tree;

    switch (in->kind) {
    case K_NAME:
        value = name_value(in);
        if (value == NULL)
            return no_tree;
        next_token(in);
        return in->kind == K_OPEN ? read_call(in, value) : attr_tree(no_tree, value, 0);
    case K_INT: value = PyLong_FromLongLong(in->number); break;
    case K_REAL: value = PyFloat_FromDouble(in->real); break;
    case K_STRING: value = string_value(in); break;
    case K_TRUE: value = Py_NewRef(Py_True); break;
    case K_FALSE: value = Py_NewRef(Py_False); break;
    case K_UNDEFINED: value = Py_NewRef(shared.undefined); break;
    case K_ERROR: value = Py_NewRef(shared.error); break;
    case K_OPEN:
        next_token(in);
        tree = read_expression(in);
        if (tree.node != NULL && in->kind != K_CLOSE)
            Py_CLEAR(tree.node);
        if (tree.node == NULL)
            return no_tree;
        next_token(in);
        return paren_tree(tree);
    case K_CURLY: return read_list(in);
    case K_SQUARE: return read_ad(in);
    case K_DOT:
        next_token(in);
        if (in->kind != K_NAME)
            return no_tree;
        value = name_value(in);
        next_token(in);
        return value == NULL ? no_tree : attr_tree(no_tree, value, 1);
    default: return no_tree;
    }
    if (value == NULL)
        return no_tree;
    next_token(in);
    return literal_tree(value);
}

static Tree
read_subscript(Reader *in, Tree tree)
{
    Tree index;

    next_token(in);
    index = read_expression(in);
    if (index.node == NULL || in->kind != K_SQUARE_END) {
        Py_XDECREF(index.node);
        Py_DECREF(tree.node);
        return no_tree;
    }
    next_token(in);
    return binary_tree(O_SUBSCRIPT, tree, index);
}

static Tree
read_selection(Reader *in, Tree tree)
{
    PyObject *name;

    next_token(in);
    name = in->kind == K_NAME ? name_value(in) : NULL;
    if (name == NULL) {
        Py_DECREF(tree.node);
        return no_tree;
    }
    next_token(in);
    return attr_tree(tree, name, 0);
}

static Tree
read_elvis(Reader *in, Tree tree)
{
    Tree right;

    next_token(in);
    if (++in->depth > MAX_NESTING) {
        Py_DECREF(tree.node);
        return no_tree;
    }
    right = read_postfix(in);
    in->depth--;
    if (right.node == NULL) {
        Py_DECREF(tree.node);
        return no_tree;
    }
    return binary_tree(O_ELVIS, tree, right);
}

static Tree
read_postfix(Reader *in)
{
    Tree tree = read_primary(in);

    while (tree.node != NULL) {
        if (in->kind == K_DOT)
            tree = read_selection(in, tree);
        else if (in->kind == K_SQUARE)
            tree = read_subscript(in, tree);
        else if (in->kind == K_ELVIS)
            tree = read_elvis(in, tree);
        else
            break;
    }
    return tree;
}

static Tree
read_unary(Reader *in)
{
    unsigned char ops[MAX_NESTING];
    int count = 0;
    Tree tree;

    for (;; next_token(in)) {
        int op;

        if (in->kind == K_NOT)
            op = O_NOT;
        else if (in->kind == K_TILDE)
            op = O_TILDE;
        else if (in->kind == K_BINARY && (in->op == O_ADD || in->op == O_SUB))
            op = in->op;
        else
            break;
        if (in->depth + count + 2 >= MAX_NESTING)
            return no_tree;
        ops[count++] = (unsigned char)op;
    }
    in->depth += count + 2;
    if (in->depth > MAX_NESTING)
        return no_tree;
    tree = read_postfix(in);
    in->depth -= count + 2;
    while (count > 0 && tree.node != NULL)
        tree = unary_tree(ops[--count], tree);
    return tree;
}

static Tree
read_binary(Reader *in, int lowest)
{
    Tree tree = read_unary(in), right;

    while (tree.node != NULL && in->kind == K_BINARY && in->level >= lowest) {
        int op = in->op, level = in->level;

        next_token(in);
        right = level == 10 ? read_unary(in) : read_binary(in, level + 1);
        if (right.node == NULL) {
            Py_DECREF(tree.node);
            return no_tree;
        }
        tree = binary_tree(op, tree, right);
    }
    return tree;
}

static Tree
read_ternary(Reader *in, Tree test)
{
    Tree yes, no = no_tree;

    next_token(in);
    yes = read_expression(in);
    if (yes.node != NULL && in->kind == K_COLON) {
        next_token(in);
        no = read_expression(in);
    }
    if (no.node == NULL) {
        Py_XDECREF(yes.node);
        Py_DECREF(test.node);
        return no_tree;
    }
    return ternary_tree(test, yes, no);
}

Tree
read_expression(Reader *in)
{
    Tree tree;

    if (++in->depth > MAX_NESTING || stack_is_low())
        return no_tree;
    tree = read_binary(in, 1);
    if (tree.node != NULL && in->kind == K_QUESTION)
        tree = read_ternary(in, tree);
    in->depth--;
    return tree;
}

/* ---- entry point -------------------------------------------------------------------------------------------- */

PyObject *
not_read(void)
{
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* parse_node(text, old, full): the tree, or None where the twin has to read the text. */
PyObject *
native_parse_node(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Reader in;
    Tree tree;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "parse_node(text, old, full)");
        return NULL;
    }
    if (!prepare_operators() || !open_reader(&in, args[0], 0))
        return not_read();
    in.old = args[1] == Py_True;
    next_token(&in);
    tree = read_expression(&in);
    if (tree.node != NULL && (in.kind == K_BAD || (args[2] == Py_True && in.kind != K_END)))
        Py_CLEAR(tree.node);
    return tree.node == NULL ? not_read() : tree.node;
}
