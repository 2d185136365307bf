"""Random texts mean here what they mean to HTCondor's own library: classad2 and htcondor2 of PyPI (extra ``test``).

``-kind NAME`` (several times) chooses, by default all, evenly:

- expressions, functions, texts, eval, ads, objects, numbers: ClassAds parsed, printed, flattened, evaluated with every
  function and scope, and used as mappings (tests/spec/classad/differential.py says what differs on purpose);
- match: two ads matched both ways;
- submit: ``htcondor2.Submit`` of descriptions, whole and damaged: commands, expansions, queue arguments, items;
- config: configurations with macros, conditions, includes and templates, knob by knob.

Each side answers from child processes, so that a crash of the library costs one case, which is then not compared.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_SPEC = _ROOT / "tests" / "spec"
for _folder in (_ROOT / "tests" / "campaigns", _ROOT / "tests" / "attack", _SPEC / "classad", _ROOT):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))

import campaign
import differential

#: Cases of one request to a side.
_BATCH = 100
#: Findings that are shown in full; others are counted.
_SHOWN = 2000


# cases


def match_case(seed: int) -> list[Any]:
    """Two ads with requirements and ranks about each other."""
    chance = random.Random(seed)
    maker = differential.Maker(seed)
    ads = []
    for _ in range(2):
        pairs = {chance.choice(("a", "b", "Cpus", "s", "l", "n")): maker.expression(1) for _ in range(4)}
        pairs["Requirements"] = maker.expression(chance.randint(1, 3))
        pairs["Rank"] = maker.expression(1)
        ads.append("[ " + "; ".join(f"{name} = {text}" for name, text in pairs.items()) + " ]")
    return ["match", ads]


def submit_case(seed: int) -> list[Any]:
    """A submit description."""
    import input_languages
    import input_maker

    maker = input_maker.Maker(f"{seed}", input_languages._SUBMIT_WORDS)
    chance = maker.chance
    data = input_languages._submit(maker)
    if chance.random() < 0.4:
        change = chance.choice((input_maker.Maker._line, input_maker.Maker._cut, input_maker.Maker._insert))
        data = change(maker, data, bytes)
    text = data.decode("utf-8", "replace").replace("\0", "").replace("\x1f", "")  # itemdata() cuts at 0x1F once more
    return ["submit", text + "\n"]  # HTCondor keeps the spaces around a last line without its end


# answers


def match_answers(module: Any, ads: Sequence[str]) -> list[Any]:
    """What a module makes of two ads."""
    questions: list[Callable[[], Any]] = [
        lambda: module.ClassAd(ads[0]).symmetricMatch(module.ClassAd(ads[1])),
        lambda: module.ClassAd(ads[0]).matches(module.ClassAd(ads[1])),
        lambda: module.ClassAd(ads[1]).matches(module.ClassAd(ads[0])),
        lambda: module.ExprTree("Rank").eval(module.ClassAd(ads[0]), module.ClassAd(ads[1])),
        lambda: module.ExprTree("TARGET.Rank").eval(module.ClassAd(ads[0]), module.ClassAd(ads[1])),
    ]
    return [differential.outcome(module, question) for question in questions]


def submit_answers(module: Any, text: str) -> list[Any]:
    """What a module makes of a description."""
    try:
        job = module.Submit(text)
    except Exception:
        return ["refused"]
    names = sorted(job, key=str.lower)
    found: list[Any] = [names, [job[name] for name in names], job.getQArgs()]
    for name in names:
        try:
            found.append([name, job.expand(name)])
        except Exception:
            found.append([name, "refused"])
    try:
        items = job.itemdata()
        found.append(None if items is None else [str(item) for item in items])
    except Exception:
        found.append("refused")
    return found


def serve(side: str) -> None:
    """Answer batches of cases, a line each, as ``differential.serve`` does."""
    os.environ["CONDOR_CONFIG"] = "ONLY_ENV"
    os.environ["TZ"] = "UTC"
    import warnings

    warnings.simplefilter("ignore")
    modules: dict[str, Any] = {}
    if side == "theirs":
        import classad2
        import htcondor2

        modules = {"match": classad2, "submit": htcondor2}
    else:
        from condor_py import bindings
        from condor_py.lang import classad

        modules = {"match": classad, "submit": bindings}
    answer = {"match": match_answers, "submit": submit_answers}
    differential.answers = lambda _module, one: answer[one[0]](modules[one[0]], one[1])
    for line in sys.stdin:
        print(json.dumps(differential.from_children(None, json.loads(line))), flush=True)


class Side(differential.Side):
    """One of the two, in a process."""

    def __init__(self, side: str) -> None:
        words = [sys.executable, __file__, "--serve", side]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


#: Macro functions in names (without values), and conditions of versions with more behind them: refused here.
_REFUSED = re.compile(r"^[^=\n]*\$\w+\(|^\s*(?:el)?if\s+!?\s*version", re.MULTILINE | re.IGNORECASE)


#: What is an ad of HTCondor's machinery in a match, or depends on it, on the clock, and on years that Python lacks;
#: bytes that are no text, which HTCondor's module cannot print; a selection from a list, which HTCondor answers in
#: different ways.
_OF_MATCHES = re.compile(
    r"parent|toplevel|root|\.\.|(?<![\w)\].])\.[A-Za-z]|evalInEachContext|countMatches|unresolved|\(\w+\)\.\w"
    r"|currentTime|(?:abs|format|split)Time|\(\*|\(\?|\\\\[CXKGg]|\\[23][0-7]{2}",
    re.IGNORECASE,
)


#: A list that holds itself, over which HTCondor's evaluation fails or crashes; requirements that ask for themselves,
#: or for what asks for them, which HTCondor evaluates once inside of themselves.
_OF_ITSELF = re.compile(
    r"\b(\w+) = [^;]*\{[^;]*\b\1\b|Requirements = [^;]*\bRequirements"
    r"|\b(\w+) = [^;]*\bRequirements\b.*Requirements = [^;]*\b\2\b"
    r"|Requirements = [^;]*\b(\w+)\b.*\b\3 = [^;]*\bRequirements\b",
    re.IGNORECASE,
)


def _is_known(one: list[Any], their: Any, our: Any) -> bool:
    """Whether docs/differences.md names the difference."""
    if one[0] == "match":
        return any(_OF_MATCHES.search(ad) or _OF_ITSELF.search(ad) for ad in one[1])
    if "$RANDOM_" in one[1].upper() or _reads_otherwise(one[1]):
        return True  # each has its own
    if our == ["refused"]:
        return their == our or bool(_REFUSED.search(one[1]))
    if len(their) != len(our):
        return False
    texts = zip(their[:-1], our[:-1], strict=True)
    same = all(theirs == ours or _is_known_text(one[1], theirs, ours) for theirs, ours in texts)
    return same and (their[-1] == our[-1] or _are_known_items(our[2], their[-1], our[-1]))


#: A format of a number that may make more than 55 bytes, at which HTCondor cuts it off or crashes.
_LONG_FORMAT = re.compile(r"\$(?:INT|REAL)\([^,)]*,[^)]{15,}", re.IGNORECASE)


def _is_known_text(text: str, theirs: Any, ours: Any) -> bool:
    """`_is_known` for the expansion of a command of ``text``."""
    if _LONG_FORMAT.search(text):
        return True
    if ours[1:] == ["refused"]:
        return re.search(r"\$[A-Z]", text) is not None  # a macro function without its value
    if _with_small_words(theirs) == _with_small_words(ours):
        return True  # the value of a knob of the same name, which HTCondor spells as the knob's default
    if re.search(r"\$F\w*q", text, re.IGNORECASE) and _with_single_quotes(theirs) == _with_single_quotes(ours):
        return True  # quotes around nothing, of which HTCondor forgets one
    return bool(theirs[1:] == ["refused"] and ours == [theirs[0], ""])  # a command without text


def _are_known_items(queue: str, theirs: Any, ours: Any) -> bool:
    """`_is_known` for the items of a queue statement."""
    if ours == "refused":
        return re.search(r"\$[A-Z]", queue) is not None  # a macro function without its value
    if re.search(r"matching\s+dirs", queue, re.IGNORECASE) or repr(theirs).replace("'//'", "'/'") == repr(ours):
        return True  # files where no wildcard is, the root directory: what the C library makes of them
    if re.search(r"\[.*:.*:.*\]\]", queue):
        return True  # a second bracket behind a slice, which HTCondor passes over
    return theirs == "refused" and "{}" in (ours or [])  # an empty line


#: A comment inside of a continued line, whose last character HTCondor keeps; a name with a dot at its end in a
#: condition, which HTCondor takes for a number or for no condition.
_OTHERWISE = re.compile(r"\\[ \t\r\v\f]*\n\s*#|defined[ \t]+\S*\.\s*$", re.MULTILINE | re.IGNORECASE)


def _reads_otherwise(text: str) -> bool:
    """Whether HTCondor reads ``text`` in an odd way, or cuts and pads by its bytes where we count characters."""
    counts = not text.isascii() and re.search(r"\$(?:SUBSTR|STRING)\(", text) is not None
    return counts or _OTHERWISE.search(text) is not None


def _with_small_words(answer: Any) -> str:
    return json.dumps(answer).replace('"True"', '"true"').replace('"False"', '"false"')


def _with_single_quotes(answer: Any) -> str:
    return json.dumps(answer).replace('\\"\\"', '\\"').replace("''", "'")


Found = tuple[int, Any, Any, Any]


def asked(make: Callable[[int], list[Any]], seeds: range) -> Iterator[Found | int]:
    """Cases in which the two differ, and between them how many were compared."""
    sides = Side("theirs"), Side("ours")
    try:
        for start in range(seeds.start, seeds.stop, _BATCH):
            numbers = range(start, min(start + _BATCH, seeds.stop))
            cases = [make(each) for each in numbers]
            for side in sides:
                side.send(cases)
            theirs, ours = sides[0].receive(), sides[1].receive()
            for each, one, their, our in zip(numbers, cases, theirs, ours, strict=True):
                if their != "died" and our != their and not _is_known(one, their, our):
                    yield each, one, their, our
            yield len(numbers)
    finally:
        for side in sides:
            side.close()


def classads(kind: str, seeds: range) -> Iterator[Found | int]:
    """The kinds of tests/spec/classad/differential.py."""
    for start in range(seeds.start, seeds.stop, 10_000):
        count = min(10_000, seeds.stop - start)
        yield from differential.differences(kind, start, count)
        yield count


# configuration


_LAST = "IS_IT_READ"


def configurations(seeds: range) -> Iterator[Found | int]:
    """Random configurations, as tests/spec/config/test_language_against_htcondor.py compares them."""
    import input_languages

    grammar = input_languages.spec_module("config", "grammar")
    os.environ["_CONDOR_NETWORK_HOSTNAME"] = "vm.example.org"
    for start in range(seeds.start, seeds.stop, _BATCH):
        numbers = range(start, min(start + _BATCH, seeds.stop))
        with tempfile.TemporaryDirectory() as place:
            cases = []
            for each in numbers:
                folder = Path(place, str(each))
                folder.mkdir()
                cases.append(grammar.Grammar(random.Random(f"differences {each}"), folder).case())
            yield from _compared(numbers, cases, grammar.NAMES, Path(place))
        yield len(numbers)


def _compared(numbers: range, cases: list[Any], names: list[str], place: Path) -> Iterator[Found]:
    from condor_py.lang.config.loader import load
    from condor_py.model.errors import ConfigError

    ours: list[Any] = []
    for case in cases:
        try:
            environ = {**os.environ, **case.environ, "CONDOR_CONFIG": str(case.root)}
            ours.append(load(environ, subsystem=case.subsystem))
        except ConfigError as error:
            ours.append(str(error))
    for cache in place.glob("*/cache*"):
        cache.unlink()
    questions = [
        {"root": str(case.root), "environ": case.environ, "subsystem": case.subsystem, "names": [_LAST, *names]}
        for case in cases
    ]
    words = [sys.executable, str(_SPEC / "config" / "condor_oracle.py")]
    done = subprocess.run(words, input=json.dumps(questions), capture_output=True, text=True, check=True)
    for number, case, mine, theirs in zip(numbers, cases, ours, json.loads(done.stdout), strict=True):
        files = [path.read_text(errors="replace") for path in case.root.parent.iterdir() if path.is_file()]
        if (found := _difference(mine, theirs, names)) and not any(map(_reads_otherwise, files)):
            yield number, case.root.read_text(errors="replace"), *found


def _difference(mine: Any, theirs: dict[str, Any], names: list[str]) -> tuple[Any, Any] | None:
    from condor_py.model.errors import ConfigError

    said = theirs.get("!", "")
    if isinstance(mine, str):
        excused = any(text in mine for text in (" macro: ", "contains itself", "macro functions"))
        return (theirs, mine) if _LAST in theirs and not excused else None
    if _LAST not in theirs:
        return (said, "accepted") if "rror" in said else None  # else macros in a circle in a condition
    for name in names:
        setting = mine.setting(name)
        if setting is not None and "." in setting.name:
            continue  # the bindings do not see a name that is only set for the subsystem
        if name not in theirs:
            continue  # the bindings fail over it: a value that is no UTF-8
        try:
            value = mine.expanded(name)
        except ConfigError:
            continue
        expected = None if theirs[name] is None else str(theirs[name])
        if (value or "").lower() != (expected or "").lower() and not _chooses_by_function(mine, setting):
            return f"{name} = {expected}", f"{name} = {value}"
    return None


def _chooses_by_function(mine: Any, setting: Any) -> bool:
    """Whether a value has a $CHOICE() whose index is a macro that has a function in it: HTCondor takes none for it."""
    names = re.findall(r"\$CHOICE\(\s*(\w+)\s*,", setting.raw if setting else "", re.IGNORECASE)
    indices = [index for name in names if (index := mine.setting(name)) is not None]
    return any(re.search(r"\$\w+\(", index.raw) for index in indices)


KINDS: dict[str, Callable[[range], Iterator[Found | int]]] = {
    **{kind: (lambda seeds, kind=kind: classads(kind, seeds)) for kind in differential.KINDS},  # type: ignore[misc]
    "match": lambda seeds: asked(match_case, seeds),
    "submit": lambda seeds: asked(submit_case, seeds),
    "config": configurations,
}


def _body(run: campaign.Campaign) -> None:
    if importlib.util.find_spec("htcondor2") is None:
        raise campaign.CannotRun("the package htcondor (25 or later) is not installed")
    kinds = run.options.kind or list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise campaign.CannotRun(f"no kind is called {unknown[0]}: they are {', '.join(KINDS)}")
    counts: dict[str, int] = {}
    each, more = divmod(run.size, len(kinds))
    for at, kind in enumerate(kinds):
        first = run.seed * 10_000_000
        for told in KINDS[kind](range(first, first + each + (at < more))):
            if isinstance(told, int):
                counts[kind] = counts.get(kind, 0) + told
                run.step(told)
            else:
                _tell(run, kind, told)
    run.figures["by kind"] = counts


def _tell(run: campaign.Campaign, kind: str, found: Found) -> None:
    seed, one, theirs, ours = found
    what = one[1] if isinstance(one, list) else one
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        pairs = [(their, our) for their, our in zip(theirs, ours, strict=True) if their != our][:3]
    else:
        pairs = [(theirs, ours)]
    lines = "".join(f"\n    HTCondor {their!r:.600}\n    ours     {our!r:.600}" for their, our in pairs)
    run.found(f"{kind} {seed}: {str(what)[:_SHOWN]!r}{lines}")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-kind", action="append", metavar="NAME", help=", ".join(KINDS))


def main(arguments: Sequence[str] | None = None) -> int:
    """The campaign as a command."""
    return campaign.main(
        _body,
        name="differences",
        about=__doc__,
        unit="texts",
        size=1_000_000,
        options=_options,
        arguments=arguments,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        sys.exit(main())
