/*
 * The reader of ClassAd text: what scan.c (tokens), parse.c (grammar) and attributes.c (ads) share.
 */

#ifndef CONDOR_PY_CLASSAD_READER_H
#define CONDOR_PY_CLASSAD_READER_H

#include "native.h"

#pragma GCC visibility push(hidden)

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

/* The operators: indexes of their table. */
enum {
    O_OR, O_AND, O_BITOR, O_XOR, O_BITAND, O_EQ, O_NE, O_IS, O_ISNT, O_LT, O_LE, O_GT, O_GE, O_SHL, O_SHR, O_SHRU, O_ADD,
    O_SUB, O_MUL, O_DIV, O_MOD, O_ELVIS, O_SUBSCRIPT, O_NOT, O_TILDE, O_COUNT
};
typedef struct {
    const char *text;
    int level; /* how tightly it binds; 0 for what is no binary operator of the table of levels */
} Operator;

extern const Operator operators[];

static inline int
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* scan.c */
int open_reader(Reader *in, PyObject *text, Py_ssize_t start); /* 0 where the twin has to read the text */
void next_token(Reader *in);                                      /* reads the next token */
PyObject *name_value(Reader *in);
PyObject *string_value(Reader *in); /* NULL without exception where the twin has to read it */

/* parse.c */
int prepare_operators(void);
Tree read_expression(Reader *in);
PyObject *not_read(void); /* None, or NULL with an exception */

#pragma GCC visibility pop

#endif
