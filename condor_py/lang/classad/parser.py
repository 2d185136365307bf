"""Tokens to trees. The grammar, loosest binding first (all binary operators associate to the left):

    expr    = or [ "?" expr ":" expr ]
    or      = and { "||" and }          and   = bitor { "&&" bitor }
    bitor   = bitxor { "|" bitxor }     bitxor = bitand { "^" bitand }
    bitand  = equal { "&" equal }       equal = rel { ("==" | "!=" | "=?=" | "=!=" | "is" | "isnt") rel }
    rel     = shift { ("<" | "<=" | ">" | ">=") shift }
    shift   = sum { ("<<" | ">>" | ">>>") sum }
    sum     = product { ("+" | "-") product }
    product = unary { ("*" | "/" | "%") unary }
    unary   = ("-" | "+" | "~" | "!") unary | postfix
    postfix = primary { "[" expr "]" | "." name | "?:" postfix }
    primary = literal | name | "." name | name "(" [ expr { ( "," | ";" ) expr } ] ")" | "(" expr ")"
            | "[" { name "=" expr ";" } "]" | "{" [ expr { "," expr } ] "}"

``..`` reads as ``.``.

The extension (csrc/parse.c) reads common ASCII text; what it leaves, and every error, is read here.
"""

from __future__ import annotations

from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary
from condor_py.lang.classad.recursion import with_deep_stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.lang.classad.lexer import Token

#: Nested grammar rules (expression, unary and postfix count one each) before the text is refused, as in HTCondor.
MAX_DEPTH = 500

_LEVEL: dict[str, int] = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5,
    "==": 6, "!=": 6, "=?=": 6, "=!=": 6,
    "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, ">>>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_UNARY = frozenset("-+~!")
_SIMPLE = frozenset(("id", "int", "str", "real", "lit"))
_POSTFIX = frozenset(("(", ".", "[", "?:"))


def parse_node(text: str, *, old: bool = True, full: bool = True) -> Node:
    """The tree of the expression ``text``.

    ``old`` chooses the dialect of strings; ``full`` refuses text after the expression. ClassAdParseError otherwise.
    """
    if native is not None:
        node: Node | None = native.parse_node(text, old, full)
        if node is not None:
            return node
    from condor_py.lang.classad.lexer import tokenize

    tokens = tokenize(text, old=old)
    return with_deep_stack(lambda: Parser(text, tokens).expression_at_top(full))


def parse_ad(text: str, *, start: int = 0) -> tuple[AdNode, int]:
    """The ad in new format at ``start`` of ``text``, and the offset behind it."""
    from condor_py.lang.classad.lexer import tokenize

    tokens = tokenize(text, old=False, start=start, one_ad=True)

    def run() -> tuple[AdNode, int]:
        parser = Parser(text, tokens)
        node = parser.ad()
        return node, parser.end_of_last()

    return with_deep_stack(run)


class Parser:
    """A recursive-descent parser over a list of tokens; ``index`` is the next one."""

    __slots__ = ("depth", "index", "text", "tokens")

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.index = 0
        self.depth = 0

    def peek(self) -> Token:
        """Return the next token without taking it."""
        return self.tokens[self.index]

    def end_of_last(self) -> int:
        """Offset just behind the bracket that was consumed last."""
        return self.tokens[self.index - 1][2] + 1

    def error(self, message: str) -> ClassAdParseError:
        """An error at the next token."""
        return ClassAdParseError(message, self.text, self.peek()[2])

    def expect(self, kind: str, what: str) -> Token:
        """The next token, which must be of ``kind``."""
        token = self.tokens[self.index]
        if token[0] != kind:
            raise self.error(f"expected {what}")
        self.index += 1
        return token

    def expression_at_top(self, full: bool) -> Node:
        """Read an expression; if ``full``, nothing may follow it. ClassAdParseError."""
        node = self.expression()
        if full and self.peek()[0] != "end":
            raise self.error("unexpected text after the expression")
        return node

    def enter(self, levels: int = 1) -> None:
        """Count nested rules, against runaway input."""
        self.depth += levels
        if self.depth > MAX_DEPTH:
            raise self.error("expression is nested too deeply")

    def expression(self) -> Node:
        """Read an expression, the conditional operator included."""
        self.enter()
        node = self.binary(1)
        if self.tokens[self.index][0] == "?":
            self.index += 1
            yes = self.expression()
            self.expect(":", "':' of '?:'")
            node = Ternary(node, yes, self.expression())
        self.depth -= 1
        return node

    def binary(self, lowest: int) -> Node:
        """Operators that bind at least as tightly as level ``lowest``."""
        node = self.unary()
        tokens = self.tokens
        while True:
            op = tokens[self.index][0]
            level = _LEVEL.get(op, 0)
            if level < lowest:
                return node
            self.index += 1
            node = Binary(op, node, self.unary() if level == 10 else self.binary(level + 1))

    def unary(self) -> Node:
        """Prefix operators and what follows them."""
        kind, value, _ = self.tokens[self.index]
        if kind in _SIMPLE and self.tokens[self.index + 1][0] not in _POSTFIX:
            if self.depth + 2 > MAX_DEPTH:
                self.enter(2)
            self.index += 1
            return Attr(None, value) if kind == "id" else Literal(value)
        ops: list[str] = []
        while (op := self.tokens[self.index][0]) in _UNARY:
            self.enter()
            ops.append(op)
            self.index += 1
        self.enter(2)
        node = self.postfix()
        self.depth -= 2 + len(ops)
        for op in reversed(ops):
            node = Unary(op, node)
        return node

    def postfix(self) -> Node:
        """Read an operand with what follows it: selections, subscripts and ``?:``."""
        node = self.primary()
        while True:
            kind = self.tokens[self.index][0]
            if kind == ".":
                self.index += 1
                node = Attr(node, self.expect("id", "an attribute name after '.'")[1])
            elif kind == "[":
                self.index += 1
                node = Binary("[]", node, self.expression())
                self.expect("]", "']'")
            elif kind == "?:":
                self.index += 1
                self.enter()
                node = Binary("?:", node, self.postfix())
                self.depth -= 1
            else:
                return node

    def primary(self) -> Node:
        """Read a name, a call, a literal, a list, an ad or an expression in parentheses."""
        kind, value, _ = self.tokens[self.index]
        if kind == "id":
            self.index += 1
            if self.tokens[self.index][0] == "(":
                return self.call(value)
            return Attr(None, value)
        if kind in _SIMPLE:
            self.index += 1
            return Literal(value)
        if kind == "(":
            self.index += 1
            inner = self.expression()
            self.expect(")", "')'")
            return Paren(inner)
        if kind == "{":
            self.index += 1
            return ListNode(self.sequence("}", False))
        if kind == "[":
            return self.ad()
        if kind == ".":
            self.index += 1
            return Attr(None, self.expect("id", "an attribute name after '.'")[1], True)
        raise self.error("expected an expression")

    def sequence(self, closing: str, semicolons: bool) -> list[Node]:
        """Expressions between commas (or semicolons) up to ``closing``."""
        items: list[Node] = []
        if self.tokens[self.index][0] == closing:
            self.index += 1
            return items
        while True:
            items.append(self.expression())
            kind = self.tokens[self.index][0]
            if kind != closing and kind != "," and not (semicolons and kind == ";"):
                raise self.error(f"expected ',' or '{closing}'")
            self.index += 1
            if kind == closing:
                return items

    def call(self, name: str) -> Node:
        """Read the arguments of the function ``name``, from its opening parenthesis on."""
        self.index += 1
        args = self.sequence(")", True)
        if len(args) == 1 and name.lower() in ("abstime", "reltime"):
            only = args[0]
            if isinstance(only, Literal) and type(only.value) is str:
                return self.time_literal(name.lower(), only.value)
        return Call(name, args)

    def time_literal(self, kind: str, text: str) -> Node:
        """``absTime("…")`` and ``relTime("…")`` of a constant are constants themselves."""
        from condor_py.lang.classad.times import parse_abs_time, parse_rel_time

        value = parse_abs_time(text) if kind == "abstime" else parse_rel_time(text)
        if value is None:
            self.index -= 1  # HTCondor has read the closing parenthesis, and nothing behind it
            raise self.error(f"not a time: {text!r}")
        return Literal(value)

    def ad(self) -> AdNode:
        """``[ name = expression; … ]``; empty statements are fine, but not alone."""
        self.expect("[", "'['")
        items: list[tuple[str, Node]] = []
        alone = False
        while True:
            kind, value, _ = self.tokens[self.index]
            if kind == ";":
                self.index += 1
                alone = not items
                continue
            if kind == "]" and not alone:
                self.index += 1
                return AdNode(items)
            if kind != "id" or not value:
                raise self.error("expected an attribute name")
            self.index += 1
            self.expect("=", "'='")
            items.append((value, self.expression()))
            alone = False
            if self.tokens[self.index][0] not in (";", "]"):
                raise self.error("expected ';' or ']'")
