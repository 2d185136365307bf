"""What a user may write is read by code, or the user is told that it does nothing: submit commands, the attributes that
they become, options of tools, and knobs.

A name counts as read where it is (a word of) a text in the code. Texts in docstrings, in the tables that only list
names and in the definitions of options do not count. A name that the code puts together (``f"MAX_{name}_LOG"``) does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from sources import nodes_of

from condor_py.cli.application import specs
from condor_py.cli.entry import PROGRAMS
from condor_py.cli.options import ACCEPTED as ACCEPTED_OPTION
from condor_py.cli.options import is_idle
from condor_py.lang.config.accepted import ACCEPTED
from condor_py.lang.dag.options import FLAGS, Flag
from condor_py.lang.submit.commands import DOES_NOTHING, SIMPLE
from condor_py.lang.submit.manual import Entry, entries

#: One worker runs all tests: the package is read once.
pytestmark = pytest.mark.xdist_group("sources")

PACKAGE = Path(__file__).resolve().parent.parent.parent / "condor_py"
#: Files that list names and read none.
LISTS = {"model/attributes.py", "core/routes/mirror.py", "machine/batch/condorjobs.py", "cli/complete/words.py"}
_WORD = re.compile(r"[A-Za-z_][\w.-]*")
#: So many letters a text with gaps must have before it stands for names.
_TELLING = 4

#: Attributes that no code reads, and nobody needs to be told.
NEEDS_NO_READER = {
    "encryptinputfiles": "nothing travels over a network",
    "encryptoutputfiles": "nothing travels over a network",
    "dontencryptinputfiles": "nothing travels over a network",
    "dontencryptoutputfiles": "nothing travels over a network",
    "remote_gridresource": "what begins with Remote_ is for the schedd of another pool, and is sent as it is",
    "remote_remote_gridresource": "as above",
    "wantjobnetworking": "slots without a network take every job",
}
#: Options that ask for what happens without them, and those that a tool knows as the only one left.
OPTIONS = {
    **{("htcondor", letter): "read letter by letter" for letter in "hvVq"},
    ("condor_gpu_discovery", "nested"): "the default",
    ("condor_run", "getenv"): "the last of its options",
    ("condor_urlfetch", "DAEMON"): "the name of any daemon",
    ("condor_version", "version"): "the default",
}
#: Knobs that no code reads.
KNOBS = dict.fromkeys(("MediumJob", "BigJob"), "for expressions of the administrator, as in HTCondor")
#: Macros that say what a program is: for conditions in configuration files.
_KINDS = re.compile(r"Is[A-Z][a-z]+")
#: Tools whose options are those of `dagman.options.FLAGS`.
OF_DAGMAN = {"condor_dagman", "condor_submit_dag"}


class Texts:
    """The words in the texts of some files, and the texts with gaps."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self.words: set[str] = set()
        self.gaps: list[re.Pattern[str]] = []
        for path in sorted(PACKAGE.rglob("*.py")):
            name = path.relative_to(PACKAGE).as_posix()
            if name not in LISTS and wanted(name):
                self._read(nodes_of(path))

    def _read(self, nodes: Iterable[ast.AST]) -> None:
        passed_over = {id(node) for top in _passed_over(nodes) for node in ast.walk(top)}
        for node in nodes:
            if id(node) in passed_over:
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.words.update(word.lower() for word in _WORD.findall(node.value))
            elif isinstance(node, ast.JoinedStr):
                self._gap(node.values)
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                self._gap([node.left, node.right])

    def _gap(self, values: Sequence[ast.expr]) -> None:
        parts = [str(part.value) if isinstance(part, ast.Constant) else "" for part in values]
        if len("".join(parts)) >= _TELLING and all(re.fullmatch(r"[\w.-]*", part) for part in parts):
            self.gaps.append(re.compile("".join(re.escape(part) if part else ".+" for part in parts), re.IGNORECASE))

    def read(self, name: str) -> bool:
        """Whether a name is among them."""
        return name.lower() in self.words or any(gap.fullmatch(name) for gap in self.gaps)


def _passed_over(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Docstrings, and the definitions of options and tools."""
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            if isinstance(node.body[0], ast.Expr):
                yield node.body[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Opt", "ToolSpec"):
            yield node


@cache
def outside() -> Texts:
    """All code but that which makes jobs of descriptions, and the templates of configurations."""
    return Texts(lambda name: not name.startswith(("lang/submit/", "lang/config/templates/")))


@cache
def submit(*, tables: bool = True) -> Texts:
    """The code that makes jobs of descriptions."""
    return Texts(lambda name: name.startswith("lang/submit/") and (tables or name != "lang/submit/commands.py"))


@pytest.mark.parametrize("row", SIMPLE, ids=lambda row: f"{row.command}")
def test_the_attribute_of_a_simple_command_is_read(row) -> None:  # type: ignore[no-untyped-def]
    attribute = row.attribute.lower()
    if row.command.lower() in DOES_NOTHING or attribute in NEEDS_NO_READER:
        return
    assert outside().read(attribute) or submit(tables=False).read(attribute), f"nothing reads {row.attribute}"


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.command)
def test_a_command_of_the_manual_is_read(entry: Entry) -> None:
    carried_out = {row.command for row in SIMPLE}
    for name in entry.spellings:
        if "<" not in name:
            assert name in carried_out or name in DOES_NOTHING or submit().read(name) or name in ("queue",), (
                f"condor_submit does not look for {name}"
            )
    told = entry.command in DOES_NOTHING or "encrypt" in entry.command
    assert entry.text.startswith("Accepted;") <= told, "condor_submit does not warn of it"


def test_what_does_nothing_is_told(tmp_path: Path) -> None:
    from condor_py.lang.submit.build import BuildOptions, clusters_of
    from condor_py.lang.submit.items import ItemSources
    from condor_py.lang.submit.submit_file import Surroundings, parse
    from condor_py.model.settings.submit import SubmitSettings

    sources = ItemSources(lambda name: "", lambda command: "", lambda pattern: [], lambda text: None)
    around = Surroundings({}, None, 1_700_000_000, str(tmp_path), sources)
    for command, why in DOES_NOTHING.items():
        text = f"executable = /bin/true\n{command} = 1\nqueue 2\n"
        file = parse(text, "job.sub", settings=SubmitSettings(), surroundings=around)
        (draft,) = clusters_of(file)
        list(draft.make(1, BuildOptions(user="alice")).own)
        told = file.messages.warnings()
        assert told.count(f"WARNING: {command} does nothing: {why}") == 1, told
        assert command not in file.unused()


class Module(NamedTuple):
    """A module of tools: its whole texts (not the words in them), and the modules that it imports or names."""

    texts: frozenset[str]
    imports: frozenset[str]


def _file(name: str) -> Path | None:
    """The file of a module; None for what is none."""
    path = PACKAGE.parent / name.replace(".", "/")
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.exists()), None)


@cache
def module(name: str) -> Module:
    """One module, without its docstrings and its definitions of options."""
    path = _file(name)
    assert path is not None
    nodes = nodes_of(path)
    passed_over = {id(node) for top in _passed_over(nodes) for node in ast.walk(top)}
    texts, imports = set(), set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            imports |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed_over:
            texts.add(node.value)
            imports.add(node.value)  # modules that are loaded when they are needed
    if path.name == "__init__.py" and path.parent != PACKAGE / "cli":
        imports |= {f"{name}.{file.stem}" for file in path.parent.glob("*.py") if file != path}
    ours = (
        "condor_py.cli.",
        "condor_py.client.",
        "condor_py.lang.dag.",
        "condor_py.core.dag.",
        "condor_py.daemons.dagman",
    )
    return Module(frozenset(texts), frozenset(each for each in imports if each.startswith(ours) and _file(each)))


@cache
def texts_of(program: str) -> frozenset[str]:
    """The whole texts in the modules that a program can reach."""
    start = "condor_py.cli." + PROGRAMS[program].partition(":")[0]
    reached, waiting = {start}, [start, *([start.rpartition(".")[0]] if start.count(".") > 2 else [])]
    while waiting:
        new = module(waiting.pop()).imports - reached
        reached |= new
        waiting += new
    return frozenset().union(*(module(name).texts for name in reached))


@pytest.mark.parametrize("spec", [spec for spec in specs() if spec.name not in OF_DAGMAN], ids=lambda spec: spec.name)
def test_an_option_is_read(spec) -> None:  # type: ignore[no-untyped-def]
    """A module of this tool has a text that is just the name: no word of a message or of another tool counts."""
    texts = texts_of(spec.name)
    for option in spec.options:
        if option.same_as or is_idle(option) or (spec.name, option.name) in OPTIONS:
            continue
        names = [option.name, *([option.name[3:]] if option.name.startswith("no-") else [])]
        spellings = {dashes + name for name in names for dashes in ("", "-", "--")}
        assert spellings & texts, f"{spec.name} does not look for -{option.name}"


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.name)
def test_an_option_of_dagman_is_read(flag: Flag) -> None:
    if flag.help.startswith((ACCEPTED_OPTION, "the same as -")):
        return
    texts: set[str] = set()
    for folder in ("daemons/dagman", "cli/submit_dag", "client/dag", "lang/dag", "core/dag"):
        for path in (PACKAGE / folder).rglob("*.py"):
            name = ".".join(("condor_py", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
            if name != "condor_py.lang.dag.options":
                texts |= module(name).texts
    members = {"DagFiles": "dag_files"}  # what has a name in the class of the options
    code = (PACKAGE / "daemons/dagman/start.py").read_text(encoding="utf-8")
    assert flag.option in texts or f"options.{members.get(flag.option, '?')}" in code, f"{flag.name} is not looked for"


def test_an_option_that_does_nothing_says_why() -> None:
    for spec in specs():
        for option in spec.options:
            if is_idle(option):
                assert len(option.help) > len(ACCEPTED_OPTION), f"{spec.name} -{option.name}"
            else:
                assert not re.match(r"accepted\b|ignored", option.help), f"{spec.name} -{option.name}"


def _knobs() -> Iterator[tuple[str, str]]:
    for line in (PACKAGE / "lang/config/knobs/used.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            fields = line.split("\t")
            yield fields[0], " ".join(fields[1:-1])


@cache
def _of_knobs() -> tuple[Texts, dict[str, str]]:
    texts = Texts(lambda name: not name.startswith(("lang/config/templates/", "lang/config/lint/", "cli/complete/")))
    for folder in (PACKAGE / "lang/config/templates").glob("*.py"):
        texts.words.update(f"template {word.lower()}" for word in _WORD.findall(folder.read_text(encoding="utf-8")))
    return texts, dict(_knobs())


def test_a_knob_that_is_said_to_be_used_is_read() -> None:
    """By code, or by the default of another knob, or by a template; or lint says that it has no effect."""
    texts, defaults = _of_knobs()
    unread = []
    for knob in defaults:
        name = knob.rpartition(".")[2]
        if knob in KNOBS or knob.lower() in ACCEPTED or _KINDS.fullmatch(name):
            continue
        if texts.read(name) or f"template {name.lower()}" in texts.words:
            continue
        if not any(re.search(rf"\b{re.escape(name)}\b", text) for other, text in defaults.items() if other != knob):
            unread.append(knob)
    assert not unread, f"nothing reads {', '.join(unread)}"


def test_exceptions_are_needed() -> None:
    known = {(spec.name, option.name) for spec in specs() for option in spec.options}
    assert known >= set(OPTIONS)
