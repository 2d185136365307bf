"""Expansion: what is replaced, what stays, and what is an error."""

from __future__ import annotations

import time

import pytest

from condor_py.lang.macro import RANDOM, Expander, MacroError, expand, expand_self, references, trace
from condor_py.lang.macro.expand import replace_dollar

MACROS = {
    "x": "y",
    "y": "one",
    "file_y": "$(X)/f",
    "path": "/usr/lib/foo.tar.gz",
    "n": "2+3",
    "list": "a, b , c",
    "empty": "",
    "a": "$(B)",
    "b": "<$(A)>",
    "deep": "$INT(deep)",
}


def lookup(name: str) -> str | None:
    return MACROS.get(name.lower())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$(X) $(NOPE)$(empty:dflt) $(NOPE:a $(Y))", "y dflt a one"),
        ("$($(X)) $(FILE_$(X))", "one y/f"),
        ("$$(X) $$([ $(X) ]) $(DOLLAR)(X)", "$$(X) $$([ y ]) $(X)"),
        ("$(NOPE:a-b)", "$(NOPE:a-b)"),
        ("$INT(N,%03d) $REAL(N) $REAL(N,%.1f) $EVAL(N) $STRING(N)", "005 5 5.0 5 2+3"),
        ("$CHOICE(1,list) $CHOICE(0,p,q) $SUBSTR(PATH,-3) $SUBSTR(PATH,1,3)", "b p .gz usr"),
        ("$Fn(PATH) $Fx(PATH) $Fp(PATH) $Fdb(PATH) $Fq(PATH)", 'foo.tar .gz /usr/lib/ lib "/usr/lib/foo.tar.gz"'),
        ("$BASENAME(PATH,.tar.gz) $DIRNAME(PATH)", "foo /usr/lib/"),
        ("$ENV(HOME) $ENV(NOPE) $ENV(NOPE:d)", "/home/u UNDEFINED d"),
        ("$FOO(X) $( $X $(a b)", "$FOO(X) $( $X $(a b)"),
    ],
)
def test_values(text: str, expected: str) -> None:
    assert expand(text, lookup, env={"HOME": "/home/u"}) == expected


def test_full_path_starts_in_the_given_directory() -> None:
    files = {"f": "./in.txt", "g": "/in.txt"}.get
    assert expand("$Ff(f) $Ff(g)", files, directory="/iwd/") == "/iwd/in.txt /in.txt"


def test_randomness_comes_from_the_caller() -> None:
    assert expand("$RANDOM_CHOICE(p,q,r) $RANDOM_INTEGER(10,20,5)", lookup, random_below=lambda n: n - 1) == "r 20"
    drawn = {expand("$RANDOM_INTEGER(1,3)", lookup) for _ in range(200)}
    assert drawn == {"1", "2", "3"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("$(A)", "A contains itself: A -> B -> A"),
        ("$(deep)", "deep"),
        ("$INT(X)", "does not evaluate to an integer"),
        ("$INT(N,%s)", "not a valid format"),
        ("$CHOICE(7,list)", "index 7 is out of range"),
        ("$CHOICE(1,nolist)", 'no list named "nolist"'),
        ("$RANDOM_INTEGER(5,1)", "min > max"),
        ("$RANDOM_INTEGER(x,1)", "invalid min"),
        ("$RANDOM_CHOICE()", "empty"),
        ("$SUBSTR(X)", "no length"),
    ],
)
def test_errors_name_what_is_wrong(text: str, named: str) -> None:
    with pytest.raises(MacroError, match=named.replace("(", r"\(")):
        expand(text, lookup)


@pytest.mark.promise("S34")
def test_a_text_that_doubles_forever_is_cut_off() -> None:
    doubling = {f"m{i}": f"$(M{i + 1})$(M{i + 1})" for i in range(60)} | {"m60": "x" * 100}
    with pytest.raises(MacroError, match="does not come to an end"):
        expand("$(M0)", lambda name: doubling.get(name.lower()))


def test_references_follow_what_the_expansion_reads() -> None:
    assert references("$(FILE_$(X)) $INT(N) $(NOPE:$(Y))", lookup) == {"x", "file_y", "n", "nope", "y"}
    assert references("$$(X) plain $(DOLLAR)", lookup) == frozenset()


def test_a_trace_tells_of_random_draws() -> None:
    text, names = trace("$(X) $RANDOM_INTEGER(1,1)", Expander(lookup))
    assert text == "y 1"
    assert names == {"x", RANDOM}


def test_an_assignment_replaces_only_its_own_name() -> None:
    assert expand_self("$(X) $(Y) $(x:d)", "X", lookup) == "y $(Y) y"
    assert expand_self("$(NEW) more", "NEW", lookup) == " more"
    assert expand_self("$(X) 2", "SCHEDD.X", lookup, prefixes=("SCHEDD",)) == "y 2"
    assert expand_self("$(X) 2", "STARTD.X", lookup, prefixes=("SCHEDD",)) == "$(X) 2"
    assert expand_self("$(Y:$(X))", "X", lookup) == "$(Y:y)"
    assert expand_self("$(Y:$(X)) $(X)", "X", {"X": 'a "b"'}.get) == '$(Y:$(X)) a "b"'
    assert expand_self("$(Y:$(X))", "X", {"X": "(a) b"}.get) == "$(Y:(a) b)"
    assert expand_self("$(Y:$(X))", "X", {"X": "$(Y:(a)) b"}.get) == "$(Y:$(X))"  # it would end behind (a))
    assert expand_self("$(Q$(Q))$(Q)", "Q", lookup) == ""
    assert expand_self("$(Y:$(Z):$(X))", "X", lookup) == "$(Y:$(Z):y)"
    assert (
        expand_self("$(Y:$(Z):$(X)) $(X)", "X", {"X": "<y>"}.get) == "$(Y:$(Z):$(X)) <y>"
    )  # the others stay references
    with pytest.raises(MacroError, match="macro q contains itself"):
        expand_self("$(q)", "q", {"q": "$(q)"}.get)
    with pytest.raises(MacroError, match="macro B contains itself"):  # at once: it would grow with each step
        expand_self("$REAL(>$(B)", "B", {"b": "$REAL(>$(b)", "B": "$REAL(>$(b)"}.get)
    home = {"x": "$ENV(HOME)/f.txt", "d": "$(DOLLAR)(A).c"}.get
    assert expand_self("<$Fn(x)>", "x", home, env={"HOME": "/h"}) == "<f>"
    assert expand_self("$Fn(d)", "d", home) == "$(A)"


def test_macros_that_double_each_other_cost_as_much_as_their_text():
    macros = {"a0": "x" * 200} | {f"a{n}": f"$(A{n - 1})$(A{n - 1})" for n in range(1, 31)}
    expander = Expander(lambda name: macros.get(name.lower()))
    began = time.process_time()
    assert expander.expand("$(A12)") == "x" * 200 * 2**12
    with pytest.raises(MacroError, match="does not come to an end: more than 20000 steps or 1048576 characters"):
        expander.expand("$(A30)")
    assert expander.expand("$(A11)$(a11) $(a10)") == "x" * 200 * 2**12 + " " + "x" * 200 * 2**10
    assert len(Expander({f"a{n}": f"$(a{n - 1})$(a{n - 1})" for n in range(1, 17)}.get).expand("$(a16)")) == 0
    assert time.process_time() - began < 1


def test_an_expansion_that_is_used_again_is_the_same_as_the_first() -> None:
    macros = {"a": "$(b)$(c) $(", "b": "1$(x)", "x": "y", "c": "$(d:$(x))", "m": "$(a)b) $(a)b)$(b)$(b)", "end": "x)"}
    macros |= {"half": "$(", "whole": "$(x)", "twice": "$(whole)$(half)$(end)$(whole)$(half)$(end)", "two": "$$(x)$(x)"}
    assert expand("$(m)", macros.get) == "1yy 1y 1yy 1y1y1y"
    assert expand("$(twice)", macros.get) == "yyyy"
    assert expand("$(two)$(two)", macros.get) == "$$(x)y$$(x)y"
    drawn = iter(range(9))
    macros = {"r": "$(s)", "s": "$RANDOM_INTEGER(0,9)"}
    assert expand("$(r)$(r)$(r)", macros.get, random_below=lambda count: next(drawn)) == "012"
    with pytest.raises(MacroError, match="macro a contains itself: a -> b -> a"):
        expand("$(x)$(x)$(a)", {"x": "$(y)", "a": "$(b)", "b": "$(a)"}.get)


def test_what_was_read_once_is_read_as_before() -> None:
    """An expansion goes on where something may have changed, with what it would find from the start."""
    assert expand_self("$EVAL($(A:$(A)$($(A)", "A", {"A": "x["}.get) == "$EVAL($(A:$(A)$(x["
    assert expand("<$($(B)V-$(", {"B": "$(C:$(A)", "A": "))", "C": "c"}.get) == "<V-$("
    assert replace_dollar("$EVAL($(A:$(DOLLAR)$(DOLLAR)") == "$EVAL($(A:$(DOLLAR)$"
    assert replace_dollar("$(DOLLAR)$(DOLLAR)") == "$$(DOLLAR)"
    assert replace_dollar("$(DOLLAR)(DOLLAR)") == "$"


@pytest.mark.parametrize(
    ("part", "expanded", "own", "plain"),
    [
        ("$(B) $(A)", "b a", "$(B) a", "$(B) $(A)"),
        ("$(X $(A)", "$(X a", "$(X a", "$(X $(A)"),
        ("$$(x)$(DOLLAR) ", "$$(x)$ ", "$$(x)$(DOLLAR) ", "$$(x)$ "),
        ("$(N:$X ", "$(N:$X ", "$(N:$X ", "$(N:$X "),
    ],
)
def test_a_long_text_costs_no_more_than_its_parts(part: str, expanded: str, own: str, plain: str) -> None:
    """Minutes, if each step looked at the whole text again."""
    macros = {"A": "a", "B": "b"}.get
    count = 9_000
    assert expand(part * count, macros) == expanded * count
    assert expand_self(part * count, "A", macros) == own * count
    assert replace_dollar(part * count) == plain * count


def test_an_assignment_that_adds_to_itself_reads_what_is_new() -> None:
    value = ""
    for _ in range(9_000):
        value = expand_self("$(A)$(B)", "A", {"A": value}.get)
    assert value == "$(B)" * 9_000


def test_what_must_be_read_again_and_again_ends_with_an_error() -> None:
    for text in ("$(X:" + "$(A)" * 20_000, "$(X:" + "$(A)" * 20_000 + ")"):
        with pytest.raises(MacroError, match="no end"):
            expand_self(text, "A", {"A": "a"}.get)
    with pytest.raises(MacroError, match="too many macros are behind what has no end: "):
        expand("$(X:" + "$(A)" * 20_000, {"A": "a"}.get)
    with pytest.raises(MacroError, match="too many macros are behind what has no end: "):
        replace_dollar("$(X:" + "$(DOLLAR)" * 20_000)


@pytest.mark.parametrize("blank", ["\x1c", "\x1f", "\x85", "\u2003"])
def test_what_only_python_calls_white_space_is_part_of_no_number(blank: str) -> None:
    for text in (f"$SUBSTR(X,{blank}2)", f"$INT(N{blank})", f"$REAL({blank}2.5)"):
        with pytest.raises(MacroError):
            expand(text, {"X": "abc", f"N{blank}": f"{blank}2"}.get)
