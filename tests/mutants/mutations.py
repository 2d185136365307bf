"""The small changes of code that tests ought to notice: found in the syntax tree, made in the text.

What is changed: comparisons and their limits, ``and`` and ``or`` (and what they join), negations, conditions,
arithmetic, numbers, names in quotes, True and False, the order of sorting, ``min`` and ``max``, ``any`` and ``all``,
``break`` and ``continue``; statements that do something are left out.

What is not: annotations, decorators, docstrings, asserts, what is raised, f-strings, and texts with blanks, which are
for people.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "reversed": "list"}
#: A negation of these is what the change of the comparison makes anyway.
_FLIPPED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)


@dataclass(frozen=True)
class Mutant:
    """One change. ``start`` and ``end`` are offsets in the bytes of the file, ``lines`` what has to run for it.

    ``function`` is the outermost function around it and which of that name in its file; None outside of functions.
    """

    path: str
    line: int
    column: int
    kind: str
    start: int
    end: int
    after: str
    lines: tuple[int, int]
    function: tuple[str, int] | None
    before: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.path.removeprefix('condor_py/')}:{self.line}:{self.column}:{self.kind}"

    @property
    def change(self) -> str:
        return f"{self.before} -> {self.after}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(root: Path, path: str) -> list[Mutant]:
    """All changes of one file, in order."""
    return Finder(path, (root / path).read_bytes()).found()


class Finder:
    """Finds the changes of one file."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path = path
        self._source = source
        self._tree = ast.parse(source)
        self._function: tuple[str, int] | None = None
        self._names: dict[str, int] = {}
        self._prefix = ""
        self._table: tuple[int, int] | None = None
        self._found: dict[tuple[int, int, str], Mutant] = {}

    @cached_property
    def _offsets(self) -> list[int]:
        offsets = [0, 0]
        for line in self._source.splitlines(keepends=True):
            offsets.append(offsets[-1] + len(line))
        return offsets

    def found(self) -> list[Mutant]:
        for node in self._tree.body:
            self._visit(node)
        unique: dict[str, Mutant] = {}
        for mutant in self._found.values():
            while mutant.id in unique:
                mutant = replace(mutant, kind=mutant.kind + "+")
            unique[mutant.id] = mutant
        return list(unique.values())

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._visit_function(node)
        elif isinstance(node, ast.ClassDef):
            outer, self._prefix = self._prefix, f"{self._prefix}{node.name}."
            self._visit_all(node.body)
            self._prefix = outer
        elif not self._skipped(node):
            outer, self._table = self._table, self._table or _lines_of_table(node)
            for kind, target, after in changes(node):
                self._add(kind, target, after)
            self._visit_all(_children(node))
            self._table = outer

    def _visit_all(self, nodes: list[ast.AST] | list[ast.stmt]) -> None:
        for node in nodes:
            self._visit(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_all([*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)])
        if self._function is not None:
            self._visit_all(node.body)
            return
        name = self._prefix + node.name
        self._function = name, self._names.get(name, 0)
        self._names[name] = self._function[1] + 1
        self._visit_all(node.body)
        self._function = None

    def _skipped(self, node: ast.AST) -> bool:
        match node:
            case ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
                return True
            case ast.Expr(value=ast.Constant()):
                return True
            case ast.Raise(exc=ast.Name(id="NotImplementedError")):  # of a method that subclasses have
                return True
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                return True
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name.startswith("__") or name == "TYPE_CHECKING"
            case ast.Call(func=ast.Name(id="cast" | "TypeVar" | "NewType")):
                return True
            case ast.Subscript(value=ast.Name(id="Literal")):  # a type
                return True
        return False

    def _add(self, kind: str, node: ast.expr | ast.stmt, after: str) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = self._offsets[node.lineno] + node.col_offset, self._offsets[node.end_lineno] + node.end_col_offset
        before = " ".join(self._source[start:end].decode().split())
        line = self._source[self._offsets[node.lineno] : self._offsets[node.lineno + 1]].decode().strip()
        lines = self._table or (node.lineno, node.end_lineno)
        self._found.setdefault(
            (start, end, after),
            Mutant(
                *(self._path, node.lineno, node.col_offset, kind, start, end, after, lines, self._function),
                before,
                line,
            ),
        )


def _lines_of_table(node: ast.AST) -> tuple[int, int] | None:
    """The lines of a display of constants, which Python loads as one, so that only its first line runs."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and _is_constant(node):
        assert node.end_lineno is not None
        return node.lineno, node.end_lineno
    return None


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return all(_is_constant(part) for part in parts)
    return False


def _children(node: ast.AST) -> list[ast.AST]:
    """What of a node is looked at: not its annotations and not what it raises."""
    if isinstance(node, ast.Raise):
        return []
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value is not None else []
    if isinstance(node, ast.keyword) and node.arg == "strict":  # an assertion of zip
        return []
    if isinstance(node, ast.Lambda):
        return [*node.args.defaults, node.body]
    return list(ast.iter_child_nodes(node))


def changes(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """(kind, what is replaced, its new text) of one node."""
    if isinstance(node, ast.stmt):
        yield from _of_statement(node)
    elif isinstance(node, ast.expr):
        yield from ((kind, node, f"({text})") for kind, text in _of_expression(node))
    elif isinstance(node, ast.comprehension):
        yield from (("always", test, "True") for test in node.ifs)
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not _flips(node.test):
        yield "not", node.test, f"(not ({ast.unparse(node.test)}))"
    if isinstance(node, ast.Call):
        yield from _of_call(node)


def _of_call(node: ast.Call) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    if isinstance(node.func, ast.Name) and node.func.id in CALLS:
        other = CALLS[node.func.id]
        if other != "list":
            yield other, node.func, other
        elif len(node.args) == 1:
            yield "unsorted", node, f"list({ast.unparse(node.args[0])})"
    for word in node.keywords:
        if word.arg in ("key", "reverse", "default"):
            rest = ast.Call(node.func, node.args, [each for each in node.keywords if each is not word])
            yield f"without-{word.arg}", node, ast.unparse(rest)


def _of_statement(node: ast.stmt) -> Iterator[tuple[str, ast.stmt, str]]:
    match node:
        case ast.Expr(value=ast.Call()) | ast.Delete():
            yield "left-out", node, "pass"
        case ast.Raise():
            yield "left-out", node, "pass"
        case ast.Return(value=None):
            yield "left-out", node, "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "left-out", node, "pass"
        case ast.AugAssign(target=target, op=op, value=value):
            yield "left-out", node, "pass"
            if type(op) in OPERATORS:
                yield "operator", node, ast.unparse(ast.AugAssign(target, OPERATORS[type(op)](), value))
        case ast.Break():
            yield "continue", node, "continue"
        case ast.Continue():
            yield "break", node, "break"


def _of_expression(node: ast.expr) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            for at, op in enumerate(ops):
                changed = [*ops[:at], COMPARISONS[type(op)](), *ops[at + 1 :]]
                yield f"compare{at or ''}", ast.unparse(ast.Compare(left, changed, others))
        case ast.BoolOp(op=op, values=values):
            yield "and-or", ast.unparse(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
            for at in range(len(values)):
                rest = [*values[:at], *values[at + 1 :]]
                yield f"without-{at + 1}", ast.unparse(rest[0] if len(rest) == 1 else ast.BoolOp(op, rest))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "plain", ast.unparse(operand)
        case ast.BinOp(left=left, op=op, right=right):
            if type(op) in OPERATORS and not (_is_text(left) or _is_text(right)):
                yield "operator", ast.unparse(ast.BinOp(left, OPERATORS[type(op)](), right))
        case ast.Constant(value=value):
            text = _other_constant(value)
            if text is not None:
                yield "constant", text


def _other_constant(value: object) -> str | None:
    match value:
        case bool():
            return str(not value)
        case int() | float():
            return repr(value + 1) if value + 1 != value else None
        case str() if value and not any(char.isspace() for char in value):
            return repr(f"X{value}X")
        case bytes() if value and not value.isspace():
            return repr(b"X" + value)
    return None


def _flips(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[op]):
            return isinstance(op, _FLIPPED)
    return False


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _is_text(left) or _is_text(right)
    return False
