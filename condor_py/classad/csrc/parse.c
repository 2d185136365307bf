/*
 * Text to trees: the grammar of parser.py over the tokens of lexer.py, for ASCII text.
 *
 * Anything unusual (comments, quoted names, octal escapes, hexadecimal, time literals, errors of every kind) is not
 * decided here: the functions return None and the twin reads the text again, with its own message where it refuses.
 */

#include "native.h"

#include <ctype.h>
#include <string.h>

#define MAX_NESTING 500

typedef enum {
    K_BAD, K_END, K_INT, K_REAL, K_STRING, K_TRUE, K_FALSE, K_UNDEFINED, K_ERROR, K_NAME,
    K_OPEN, K_CLOSE, K_SQUARE, K_SQUARE_END, K_CURLY, K_CURLY_END, K_DOT, K_COMMA, K_SEMICOLON, K_COLON, K_ASSIGN,
    K_QUESTION, K_ELVIS, K_NOT, K_TILDE, K_BINARY
} Kind;

typedef struct {
    const char *text;
    Py_ssize_t at, end; /* where the next token is looked for; where the text ends */
    int old, octal;
    int after_operand; /* a minus here is an operator, not the sign of a number */
    int depth;
    /* The token at hand. */
    Kind kind;
    Py_ssize_t start, stop; /* its text; of a string the inside of the quotes */
    int level, op;          /* of K_BINARY: how tightly it binds, and which operator (an index of operators) */
    int escapes;            /* of K_STRING: it has backslashes */
    long long number;
    double real;
} Reader;

/* A tree with what its parent needs to know of it; node is NULL for no tree. */
typedef struct {
    PyObject *node;
    long long height, size;
} Tree;

static const Tree no_tree = {NULL, 0, 0};

static const struct {
    const char *text;
    int level;
} operators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"=?=", 6}, {"=!=", 6}, {"<", 7},
    {"<=", 7}, {">", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {">>>", 8}, {"+", 9}, {"-", 9}, {"*", 10}, {"/", 10},
    {"%", 10}, {"?:", 0}, {"[]", 0}, {"!", 0}, {"~", 0},
};
enum {
    O_OR, O_AND, O_BITOR, O_XOR, O_BITAND, O_EQ, O_NE, O_IS, O_ISNT, O_LT, O_LE, O_GT, O_GE, O_SHL, O_SHR, O_SHRU, O_ADD,
    O_SUB, O_MUL, O_DIV, O_MOD, O_ELVIS, O_SUBSCRIPT, O_NOT, O_TILDE, O_COUNT
};
static PyObject *operator_texts[O_COUNT];

/* ---- tokens ------------------------------------------------------------------------------------------------- */

static inline int
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline int
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline int
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* The character `ahead` of the reader, 0 behind the end. */
static inline char
peek(const Reader *in, Py_ssize_t ahead)
{
    return in->at + ahead < in->end ? in->text[in->at + ahead] : '\0';
}

static void
take(Reader *in, Kind kind, Py_ssize_t length)
{
    in->kind = kind;
    in->at += length;
    in->stop = in->at;
    in->after_operand = kind == K_SQUARE_END || kind == K_CLOSE || kind == K_CURLY_END || kind == K_DOT;
}

static void
take_operator(Reader *in, int op)
{
    take(in, K_BINARY, (Py_ssize_t)strlen(operators[op].text));
    in->op = op;
    in->level = operators[op].level;
}

/* A number whose digits start `sign` characters on. */
static void
read_number(Reader *in, int sign)
{
    const char *s = in->text;
    Py_ssize_t begin = in->at + sign, at = begin, digits;
    int real = 0;

    in->kind = K_BAD;
    while (at < in->end && is_digit(s[at]))
        at++;
    digits = at - begin;
    if (digits == 1 && s[begin] == '0' && at < in->end && (s[at] == 'x' || s[at] == 'X'))
        return;
    if (at < in->end && s[at] == '.') {
        real = 1;
        if (++at >= in->end || !is_digit(s[at]))
            return;
        while (at < in->end && is_digit(s[at]))
            at++;
    }
    if (at < in->end && (s[at] == 'e' || s[at] == 'E')) {
        real = 1;
        at++;
        if (at < in->end && (s[at] == '+' || s[at] == '-'))
            at++;
        if (at >= in->end || !is_digit(s[at]))
            return;
        while (at < in->end && is_digit(s[at]))
            at++;
    }
    if (real) {
        char buffer[64];
        Py_ssize_t length = at - begin;

        if (length >= (Py_ssize_t)sizeof buffer)
            return;
        memcpy(buffer, s + begin, (size_t)length);
        buffer[length] = '\0';
        in->real = PyOS_string_to_double(buffer, NULL, NULL);
        if (in->real == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return;
        }
        if (sign)
            in->real = -in->real;
        in->kind = K_REAL;
    }
    else {
        long long number = 0;

        if (digits > 18 || (digits > 1 && s[begin] == '0'))
            return;
        for (Py_ssize_t i = begin; i < at; i++)
            number = number * 10 + (s[i] - '0');
        in->number = sign ? -number : number;
        in->kind = K_INT;
    }
    in->at = at;
    in->stop = at;
    in->after_operand = 1;
}

/* A double-quoted string; see lexer.py for what a backslash does in either dialect. */
static void
read_string(Reader *in)
{
    const char *s = in->text;
    Py_ssize_t at = in->at + 1;

    in->kind = K_BAD;
    in->escapes = 0;
    in->start = at;
    for (;; at++) {
        if (at >= in->end)
            return;
        if (s[at] == '\\') {
            in->escapes = 1;
            if (!in->old && ++at >= in->end)
                return;
        }
        else if (s[at] == '"') {
            if (!in->old || s[at - 1] != '\\' || at - 1 < in->start || at + 1 >= in->end || s[at + 1] == '\n')
                break;
        }
    }
    in->stop = at;
    in->at = at + 1;
    if (!in->old) {
        Py_ssize_t next = in->at;

        while (next < in->end && is_blank(s[next]))
            next++;
        if (next < in->end && s[next] == '"')
            return; /* neighbouring strings are one */
    }
    in->kind = K_STRING;
    in->after_operand = 1;
}

static int
word_is(const Reader *in, const char *lower)
{
    for (Py_ssize_t i = in->start; i < in->stop; i++)
        if ((in->text[i] | 32) != lower[i - in->start])
            return 0;
    return 1;
}

static void
read_word(Reader *in)
{
    while (in->at < in->end && is_word(in->text[in->at]))
        in->at++;
    in->stop = in->at;
    in->kind = K_NAME;
    in->after_operand = 1;
    switch (in->stop - in->start) {
    case 2:
        if (word_is(in, "is")) {
            in->kind = K_BINARY;
            in->op = O_IS;
            in->level = operators[O_IS].level;
            in->after_operand = 0;
        }
        break;
    case 4:
        if (word_is(in, "true"))
            in->kind = K_TRUE;
        else if (word_is(in, "isnt")) {
            in->kind = K_BINARY;
            in->op = O_ISNT;
            in->level = operators[O_ISNT].level;
            in->after_operand = 0;
        }
        break;
    case 5:
        if (word_is(in, "false"))
            in->kind = K_FALSE;
        else if (word_is(in, "error"))
            in->kind = K_ERROR;
        break;
    case 9:
        if (word_is(in, "undefined"))
            in->kind = K_UNDEFINED;
        break;
    default:
        break;
    }
}

static void
read_comparison(Reader *in, char c)
{
    char next = peek(in, 1), third = peek(in, 2);

    switch (c) {
    case '=':
        if (next == '=')
            take_operator(in, O_EQ);
        else if (next == '?' && third == '=')
            take_operator(in, O_IS);
        else if (next == '!' && third == '=')
            take_operator(in, O_ISNT);
        else
            take(in, K_ASSIGN, 1);
        break;
    case '!':
        if (next == '=')
            take_operator(in, O_NE);
        else
            take(in, K_NOT, 1);
        break;
    case '<':
        take_operator(in, next == '=' ? O_LE : next == '<' ? O_SHL : O_LT);
        break;
    default:
        if (next == '>')
            take_operator(in, third == '>' ? O_SHRU : O_SHR);
        else
            take_operator(in, next == '=' ? O_GE : O_GT);
    }
}

static void
read_question(Reader *in)
{
    Py_ssize_t ahead = 1;

    while (is_blank(peek(in, ahead)))
        ahead++;
    if (peek(in, ahead) == ':')
        take(in, K_ELVIS, ahead + 1);
    else
        take(in, K_QUESTION, 1);
}

static void
read_sign(Reader *in)
{
    char next = peek(in, 1);

    if (!in->after_operand && (is_digit(next) || (next == '.' && is_digit(peek(in, 2)))))
        read_number(in, 1);
    else
        take_operator(in, O_SUB);
}

static void
advance(Reader *in)
{
    char c;

    while (in->at < in->end && is_blank(in->text[in->at]))
        in->at++;
    in->start = in->at;
    if (in->at >= in->end) {
        in->kind = K_END;
        return;
    }
    c = in->text[in->at];
    if (is_digit(c) || (c == '.' && is_digit(peek(in, 1)))) {
        read_number(in, 0);
        return;
    }
    if (is_word(c)) {
        read_word(in);
        return;
    }
    switch (c) {
    case '"': read_string(in); break;
    case '=': case '!': case '<': case '>': read_comparison(in, c); break;
    case '&': take_operator(in, peek(in, 1) == '&' ? O_AND : O_BITAND); break;
    case '|': take_operator(in, peek(in, 1) == '|' ? O_OR : O_BITOR); break;
    case '?': read_question(in); break;
    case '-': read_sign(in); break;
    case '+': take_operator(in, O_ADD); break;
    case '*': take_operator(in, O_MUL); break;
    case '/':
        if (peek(in, 1) == '/' || peek(in, 1) == '*')
            in->kind = K_BAD; /* a comment */
        else
            take_operator(in, O_DIV);
        break;
    case '%': take_operator(in, O_MOD); break;
    case '^': take_operator(in, O_XOR); break;
    case '~': take(in, K_TILDE, 1); break;
    case '(': take(in, K_OPEN, 1); break;
    case ')': take(in, K_CLOSE, 1); break;
    case '[': take(in, K_SQUARE, 1); break;
    case ']': take(in, K_SQUARE_END, 1); break;
    case '{': take(in, K_CURLY, 1); break;
    case '}': take(in, K_CURLY_END, 1); break;
    case '.': take(in, K_DOT, 1); break;
    case ',': take(in, K_COMMA, 1); break;
    case ';': take(in, K_SEMICOLON, 1); break;
    case ':': take(in, K_COLON, 1); break;
    default: in->kind = K_BAD;
    }
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

static Tree read_expression(Reader *in);
static Tree read_postfix(Reader *in);

/* What the escapes of a string of the new dialect stand for; 0 for those left to the twin. */
static char
escaped(char c)
{
    switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return c >= '0' && c <= '7' ? '\0' : c;
    }
}

/* The value of the string at hand; NULL without exception where the twin must read it. */
static PyObject *
string_value(Reader *in)
{
    const char *s = in->text + in->start, *end = in->text + in->stop;
    PyObject *value;
    char *buffer, *out;

    if (!in->escapes)
        return PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, s, end - s);
    buffer = out = PyMem_Malloc((size_t)(end - s) + 1);
    if (buffer == NULL)
        return PyErr_NoMemory();
    for (; s < end; s++) {
        if (*s != '\\')
            *out++ = *s;
        else if (in->old) {
            if (s + 1 < end && s[1] == '"')
                s++;
            *out++ = *s;
        }
        else {
            char c = escaped(*++s);

            if (c == '\0') {
                PyMem_Free(buffer);
                return NULL;
            }
            *out++ = c;
        }
    }
    value = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, buffer, out - buffer);
    PyMem_Free(buffer);
    return value;
}

static PyObject *
name_value(Reader *in)
{
    return PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, in->text + in->start, in->stop - in->start);
}

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
        advance(in);
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
            advance(in);
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

    advance(in);
    args = read_sequence(in, K_CLOSE, in->old, &height, &size);
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

    advance(in);
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
    advance(in);
    if (in->kind == K_ASSIGN) {
        advance(in);
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
    advance(in);
    tree.size = 1;
    while (in->kind != K_SQUARE_END) {
        int failed;

        if (in->kind == K_SEMICOLON) {
            advance(in);
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
    advance(in);
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
        advance(in);
        return in->kind == K_OPEN ? read_call(in, value) : attr_tree(no_tree, value, 0);
    case K_INT: value = PyLong_FromLongLong(in->number); break;
    case K_REAL: value = PyFloat_FromDouble(in->real); break;
    case K_STRING: value = string_value(in); break;
    case K_TRUE: value = Py_NewRef(Py_True); break;
    case K_FALSE: value = Py_NewRef(Py_False); break;
    case K_UNDEFINED: value = Py_NewRef(shared.undefined); break;
    case K_ERROR: value = Py_NewRef(shared.error); break;
    case K_OPEN:
        advance(in);
        tree = read_expression(in);
        if (tree.node != NULL && in->kind != K_CLOSE)
            Py_CLEAR(tree.node);
        if (tree.node == NULL)
            return no_tree;
        advance(in);
        return paren_tree(tree);
    case K_CURLY: return read_list(in);
    case K_SQUARE: return read_ad(in);
    case K_DOT:
        advance(in);
        if (in->kind != K_NAME)
            return no_tree;
        value = name_value(in);
        advance(in);
        return value == NULL ? no_tree : attr_tree(no_tree, value, 1);
    default: return no_tree;
    }
    if (value == NULL)
        return no_tree;
    advance(in);
    return literal_tree(value);
}

static Tree
read_subscript(Reader *in, Tree tree)
{
    Tree index;

    advance(in);
    index = read_expression(in);
    if (index.node == NULL || in->kind != K_SQUARE_END) {
        Py_XDECREF(index.node);
        Py_DECREF(tree.node);
        return no_tree;
    }
    advance(in);
    return binary_tree(O_SUBSCRIPT, tree, index);
}

static Tree
read_selection(Reader *in, Tree tree)
{
    PyObject *name;

    advance(in);
    name = in->kind == K_NAME ? name_value(in) : NULL;
    if (name == NULL) {
        Py_DECREF(tree.node);
        return no_tree;
    }
    advance(in);
    return attr_tree(tree, name, 0);
}

static Tree
read_elvis(Reader *in, Tree tree)
{
    Tree right;

    advance(in);
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

    for (;; advance(in)) {
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

        advance(in);
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

    advance(in);
    yes = read_expression(in);
    if (yes.node != NULL && in->kind == K_COLON) {
        advance(in);
        no = read_expression(in);
    }
    if (no.node == NULL) {
        Py_XDECREF(yes.node);
        Py_DECREF(test.node);
        return no_tree;
    }
    return ternary_tree(test, yes, no);
}

static Tree
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

/* ---- entry points ------------------------------------------------------------------------------------------- */

/* Sets the reader on `text` from `start`; 0 where the twin has to read it. */
static int
open_reader(Reader *in, PyObject *text, Py_ssize_t start)
{
    memset(in, 0, sizeof *in);
    if (operator_texts[0] == NULL)
        for (int i = O_COUNT - 1; i >= 0; i--)
            if ((operator_texts[i] = PyUnicode_InternFromString(operators[i].text)) == NULL)
                return 0;
    if (!PyUnicode_CheckExact(text) || !PyUnicode_IS_ASCII(text))
        return 0;
    in->text = (const char *)PyUnicode_1BYTE_DATA(text);
    in->end = PyUnicode_GET_LENGTH(text);
    in->at = start;
    return start >= 0 && start <= in->end &&
           memchr(in->text + start, '\0', (size_t)(in->end - start)) == NULL;
}

static PyObject *
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
    if (!open_reader(&in, args[0], 0))
        return not_read();
    in.old = args[1] == Py_True;
    advance(&in);
    tree = read_expression(&in);
    if (tree.node != NULL && (in.kind == K_BAD || (args[2] == Py_True && in.kind != K_END)))
        Py_CLEAR(tree.node);
    return tree.node == NULL ? not_read() : tree.node;
}

/* ---- ads: attributes are shared between ads by name and text ---------------------------------------------------- */

/* The value of a literal that is all there is of an attribute (and of the token at hand); NULL for anything else. */
static PyObject *
lone_literal(Reader *in)
{
    Py_ssize_t at = in->at;

    if (in->kind < K_INT || in->kind > K_ERROR)
        return NULL;
    while (at < in->end && is_blank(in->text[at]))
        at++;
    if (at >= in->end || (in->text[at] != ';' && in->text[at] != ']'))
        return NULL;
    switch (in->kind) {
    case K_INT: return PyLong_FromLongLong(in->number);
    case K_REAL: return PyFloat_FromDouble(in->real);
    case K_STRING: return string_value(in);
    case K_TRUE: return Py_NewRef(Py_True);
    case K_FALSE: return Py_NewRef(Py_False);
    case K_UNDEFINED: return Py_NewRef(shared.undefined);
    default: return Py_NewRef(shared.error);
    }
}

/* Where the expression from `at` ends, by its brackets and quotes; -1 where it takes a parser to tell. */
static Py_ssize_t
expression_end(const Reader *in, Py_ssize_t at)
{
    const char *s = in->text;
    Py_ssize_t nesting = 0;

    for (; at < in->end; at++)
        switch (s[at]) {
        case '(': case '[': case '{': nesting++; break;
        case ')': case '}': nesting--; break;
        case ']':
            if (nesting == 0)
                return at;
            nesting--;
            break;
        case ';':
            if (nesting == 0)
                return at;
            break;
        case '"':
            for (at++; at < in->end && s[at] != '"'; at++)
                if (s[at] == '\\')
                    at++;
            break;
        case '\'': return -1;
        case '/':
            if (at + 1 < in->end && (s[at + 1] == '/' || s[at + 1] == '*'))
                return -1;
            break;
        default: break;
        }
    return -1;
}

/* Name and text of the attribute whose expression starts with the token at hand; NULL where that cannot be told. */
static PyObject *
text_pair(Reader *in, PyObject *name, Py_ssize_t start, Py_ssize_t end)
{
    PyObject *raw, *pair = NULL;

    if (end < 0)
        return NULL;
    raw = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, in->text + start, end - start);
    if (raw != NULL)
        pair = PyTuple_Pack(2, name, raw);
    Py_XDECREF(raw);
    return pair;
}

static PyObject *
read_binding(Reader *in, PyObject *name)
{
    PyObject *key = lower_key(name), *binding = NULL;
    Tree tree = read_expression(in);

    if (key != NULL && tree.node != NULL)
        binding = bind_node(name, key, tree.node);
    Py_XDECREF(key);
    Py_XDECREF(tree.node);
    return binding;
}

/* The binding of a name to the expression at hand, behind which the reader then stands. NULL for none. */
static PyObject *
known_binding(Reader *in, PyObject *name)
{
    /* A string token starts behind its quote. */
    Py_ssize_t start = in->kind == K_STRING ? in->start - 1 : in->start, end = expression_end(in, start);
    PyObject *pair, *binding = NULL;

    if (in->kind == K_BAD)
        return NULL;
    pair = text_pair(in, name, start, end);
    if (pair != NULL)
        binding = recall_new(pair);
    if (binding != NULL) {
        in->at = end;
        advance(in);
    }
    else if (!PyErr_Occurred()) {
        binding = read_binding(in, name);
        if (binding != NULL && pair != NULL && in->start == end && remember_new(pair, binding) < 0)
            Py_CLEAR(binding);
    }
    Py_XDECREF(pair);
    return binding;
}

/* `name = expression` of an ad into its bindings; 0 where the twin has to read or with an exception. */
static int
read_attribute(Reader *in, PyObject *attrs)
{
    PyObject *name, *key, *value, *binding = NULL;

    if (in->kind != K_NAME || (name = name_value(in)) == NULL)
        return 0;
    advance(in);
    if (in->kind == K_ASSIGN) {
        advance(in);
        value = lone_literal(in);
        if (value != NULL) {
            key = lower_key(name);
            if (key != NULL)
                binding = bind_value(name, key, value);
            Py_XDECREF(key);
            Py_DECREF(value);
            advance(in);
        }
        else if (!PyErr_Occurred())
            binding = known_binding(in, name);
    }
    Py_DECREF(name);
    if (binding == NULL)
        return 0;
    if (in->kind != K_SEMICOLON && in->kind != K_SQUARE_END) {
        Py_DECREF(binding);
        return 0;
    }
    return put_binding(attrs, binding) == 0;
}

/* parse_attrs(text, start): the bindings (by key) of the ad in new format there and the offset behind it, or None. */
PyObject *
native_parse_attrs(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Reader in;
    PyObject *attrs;
    Py_ssize_t start;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || (start = PyLong_AsSsize_t(args[1])) < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "parse_attrs(text, start)");
        return NULL;
    }
    if (!open_reader(&in, args[0], start))
        return not_read();
    advance(&in);
    if (in.kind != K_SQUARE || (attrs = PyDict_New()) == NULL)
        return not_read();
    advance(&in);
    while (in.kind != K_SQUARE_END) {
        if (in.kind == K_SEMICOLON)
            advance(&in);
        else if (!read_attribute(&in, attrs)) {
            Py_DECREF(attrs);
            return not_read();
        }
    }
    return Py_BuildValue("(Nn)", attrs, in.at);
}
