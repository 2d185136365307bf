/*
 * Text to tokens, for ASCII text: lexer.py is the twin. Anything unusual (comments, quoted names, octal escapes,
 * hexadecimal, neighbouring strings) is the token K_BAD, upon which the twin reads the text.
 * With parse.c 9 times as fast as the twins (tests/bench/bench_compiled.py).
 */

#include "reader.h"

#include <string.h>

const Operator operators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"=?=", 6}, {"=!=", 6}, {"<", 7},
    {"<=", 7}, {">", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {">>>", 8}, {"+", 9}, {"-", 9}, {"*", 10}, {"/", 10},
    {"%", 10}, {"?:", 0}, {"[]", 0}, {"!", 0}, {"~", 0},
};
/* ---- tokens ------------------------------------------------------------------------------------------------- */

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

void
next_token(Reader *in)
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
    case '.':
        if (peek(in, 1) == '.' && peek(in, 2) >= '0' && peek(in, 2) <= '9')
            in->kind = K_BAD; /* an odd number */
        else
            take(in, K_DOT, peek(in, 1) == '.' ? 2 : 1);
        break;
    case ',': take(in, K_COMMA, 1); break;
    case ';': take(in, K_SEMICOLON, 1); break;
    case ':': take(in, K_COLON, 1); break;
    default: in->kind = K_BAD;
    }
}

/* ---- values of tokens --------------------------------------------------------------------------------------- */

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
PyObject *
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

PyObject *
name_value(Reader *in)
{
    PyObject *key, *name = name_and_key(in->text + in->start, in->stop - in->start, &key);

    Py_XDECREF(key);
    return name;
}

/* ---- beginning ---------------------------------------------------------------------------------------------- */

/* Sets the reader on `text` from `start`; 0 where the twin has to read it. */
int
open_reader(Reader *in, PyObject *text, Py_ssize_t start)
{
    memset(in, 0, sizeof *in);
    if (!PyUnicode_CheckExact(text) || !PyUnicode_IS_ASCII(text))
        return 0;
    in->text = (const char *)PyUnicode_1BYTE_DATA(text);
    in->end = PyUnicode_GET_LENGTH(text);
    in->at = start;
    return start >= 0 && start <= in->end &&
           memchr(in->text + start, '\0', (size_t)(in->end - start)) == NULL;
}
