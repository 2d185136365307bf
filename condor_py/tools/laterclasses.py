"""Dataclasses in daemons: their methods are compiled when they are first called. To compile those of one takes half a
millisecond, a schedd imports 260 and needs few of them to serve.

(Tools, which make few objects and end, have ``lightclasses`` instead. Here the classes are Python's own, with slots.)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


#: What is asked of a method of dataclasses' builder (3.13 and 3.14; later ones put methods off themselves).
_ASKED = ("self", "name", "args", "body")


def install(waiting: list[Callable[[], object]]) -> None:
    """To be called before classes are made. What compiles constructors is put into ``waiting``. These are inner parts
    of Python: a version that does it otherwise is left as it is."""
    import dataclasses

    inside: Any = dataclasses
    if hasattr(inside, "_create_fn"):
        inside._create_fn = _create_later(inside._create_fn)
        waiting.append(lambda: waiting.extend(_constructors()))
    elif hasattr(inside, "_FuncBuilder") and inside._FuncBuilder.add_fn.__code__.co_varnames[:4] == _ASKED:
        inside._FuncBuilder = _later_builder(inside._FuncBuilder)
        waiting.append(lambda: waiting.extend(_constructors()))
    if hasattr(inside, "_MODULE_IDENTIFIER_RE"):
        inside._MODULE_IDENTIFIER_RE = _Annotation(inside._MODULE_IDENTIFIER_RE)


def _create_later(create: Any) -> Any:
    """What ``dataclasses`` makes methods with, until 3.12."""

    def create_fn(name: str, names: Any, *text: Any, **scopes: Any) -> Any:
        def make(qualname: str) -> Any:
            made = create(name, names, *text, **scopes)
            made.__qualname__ = qualname
            return made

        return _waiting(name, names, make)

    return create_fn


def _later_builder(builder: Any) -> Any:
    """What it makes all methods of a class with, since 3.13: here each has a builder of its own."""

    class Builder:
        def __init__(self, scope: Any) -> None:
            self._scope = scope
            self._methods: list[tuple[str, Any, Any]] = []

        def add_fn(self, name: str, args: Any, body: Any, **more: Any) -> None:
            one = builder(self._scope)
            one.add_fn(name, args, body, **more)
            self._methods.append((name, args, one))

        def add_fns_to_class(self, kind: Any) -> None:
            for name, args, one in self._methods:
                if name not in kind.__dict__ or one.unconditional_adds.get(name):
                    method = _waiting(name, args, _maker(name, one))
                    method.__qualname__ = f"{kind.__qualname__}.{name}"
                    setattr(kind, name, method)
                elif name in one.overwrite_errors:
                    one.add_fns_to_class(kind)  # which says what is wrong

    return Builder


def _maker(name: str, builder: Any) -> Any:
    """What has a builder of one method make it, for a class of that name."""

    def make(qualname: str) -> Any:
        kind: Any = type(name, (), {})
        kind.__qualname__ = qualname.rpartition(".")[0]
        builder.add_fns_to_class(kind)
        return kind.__dict__[name]

    return make


def _waiting(name: str, names: Any, make: Callable[[str], Any]) -> Any:
    """A method that is made, and takes its own place, when it is first called. ``names`` are its arguments."""
    made = None

    def real_one(kinds: Iterable[type]) -> Any:
        nonlocal made
        if made is None:
            made = make(method.__qualname__)
        for kind in kinds:
            if kind.__dict__.get(name) is method:
                setattr(kind, name, made)
        return made

    def method(this: Any, *values: Any, **named: Any) -> Any:
        return real_one(type(this).__mro__)(this, *values, **named)

    method.__name__ = name
    if name == "__init__":
        first = names.index("*") if "*" in names else len(names)
        method.real_one = real_one  # type: ignore[attr-defined]
        method.arguments = first - 1, max(0, len(names) - first - 1)  # type: ignore[attr-defined]
    return method


def _constructors() -> list[Any]:
    """What compiles the rest of the constructors: of all methods they are what nearly every class needs."""
    kinds: list[type] = [object]
    found = {}
    for kind in kinds:
        kinds += type.__subclasses__(kind)
        if hasattr(kind.__dict__.get("__init__"), "real_one"):
            found[kind] = kind.__dict__["__init__"].real_one
    return [lambda kind=kind, compile_it=compile_it: compile_it((kind,)) for kind, compile_it in found.items()]


class _Annotation:
    """How ``dataclasses`` looks for words of ``typing`` in annotations: in few there are any."""

    def __init__(self, pattern: Any) -> None:
        self._pattern = pattern

    def match(self, text: str) -> Any:
        """As the pattern does."""
        if "ClassVar" in text or "InitVar" in text or "KW_ONLY" in text:
            return self._pattern.match(text)
        return None
