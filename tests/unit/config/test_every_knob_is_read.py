"""What the table of knobs says is used, some code reads: a knob that is only accepted says so."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sources import nodes_of, tree_of

from condor_py.lang.config import builders, fieldtable, load, table
from condor_py.lang.config.accepted import ACCEPTED
from condor_py.model.settings.knob import Knob

pytestmark = pytest.mark.xdist_group("sources")  # its tests share what was parsed

PACKAGE = Path(table.__file__).resolve().parents[2]
#: Where knobs are described and not read.
NOT_READERS = {"params.py", "descriptions.py", "table.py", "accepted.py"}
#: Names that code puts together, and macros that only other macros and policies use.
MADE_UP = re.compile(
    r"(MAX_(NUM_)?|TRUNC_)?(MASTER|SCHEDD|STARTD|STARTER|NEGOTIATOR|NEGOTIATOR_MATCH|SCHEDD_AUDIT|JOB_ROUTER|GRIDMANAGER|ROOSTER|CREDD|GANGLIAD|DAGMAN)_"
    r"(LOG|LOG_ON_OPEN|DEBUG)"
    r"|\w+_MAX_FILE_DESCRIPTORS|(MASTER|SCHEDD)_ATTRS|\w+_DAEMON_AD_FILE|SCHEDD_ROUND_ATTR_\w+|SLOT_TYPE_1(_PARTITIONABLE)?|NUM_SLOTS_TYPE_1|MODIFY_REQUEST_EXPR_\w+|CONSUMPTION_\w+"
    r"|ENVIRONMENT(_VALUE)?_FOR_\w+|(\w+\.)?Is[A-Z][a-z]+|SYSTEM_PERIODIC_\w+|SYSTEM_\w+_ATTRS"
    r"|(Small|Medium|Big)Job|BackgroundLoad|HighLoad|StartIdleTime|ContinueIdleTime|MaxSuspendTime|MaxVacateTime"
    r"|\w+_ADDRESS_FILE|\w+_CLASSAD_USER_MAP_NAMES|(STARTD_CRON|SCHEDD_CRON|BENCHMARKS)_\w+|ROTATE_HISTORY_\w+"
    r"|ADSTASH_\w+|(State|Activity)Timer|MachineMaxVacateTime|RunBenchmarks|FetchWorkDelay"
)


def texts(path: Path) -> Iterator[str]:
    """The texts in a module's code: what comments and docstrings say reads nothing."""
    nodes = nodes_of(path)
    told = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def read_names() -> set[str]:
    """Every word in capitals of the code that reads configuration; what templates refer to."""
    words: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        parts = set(path.relative_to(PACKAGE).parts)
        if "templates" in parts:
            words.update(re.findall(r"\$\(([A-Z0-9_]+)", path.read_text()))
        elif path.name not in NOT_READERS and "lint" not in parts:
            for text in texts(path):
                found = re.findall(r"[A-Z][A-Z0-9_]+", text)
                words.update(found)
                if path.name == "dagman.py":  # there they stand without what all of them begin with
                    words.update(f"DAGMAN_{word}" for word in found)
    return words


def filled_fields() -> dict[str, set[str]]:
    """By name of a callable, what the code hands to it by name; "**" for what is put together first."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name == "build":  # of lang/config: the class is its first argument
                    name = getattr(node.args[0], "id", "")
                found.setdefault(name, set()).update(word.arg or "**" for word in node.keywords)
                found[name].update(str(number) for number, _ in enumerate(node.args))
    return found


def fields_of(settings: ast.ClassDef) -> list[str]:
    """The fields of a dataclass, or of a class with a constructor of its own."""
    fields = [str(field.target.id) for field in settings.body if isinstance(field, ast.AnnAssign)]  # type: ignore[union-attr]
    for method in settings.body:
        if not fields and isinstance(method, ast.FunctionDef) and method.name == "__init__":
            return [word.arg for word in [*method.args.args[1:], *method.args.kwonlyargs]]
    return fields


def test_settings_are_filled() -> None:
    """No field of settings has only its default, whatever the configuration says."""
    filled = filled_fields()
    for kind in fieldtable.classes():
        filled.setdefault(kind.__name__, set()).update(
            name for name, of in kind.declared.items() if isinstance(of, Knob)
        )
    empty = []
    for path in (PACKAGE / "model" / "settings").glob("*.py"):
        for settings in nodes_of(path):
            if not isinstance(settings, ast.ClassDef):
                continue
            given = filled.get(settings.name, set()) | filled["replace"] | filled["_replace"] | filled["changed"]
            fields = fields_of(settings)
            for place, field in enumerate(fields):
                if "**" not in filled.get(settings.name, ()) and not given & {field, str(place)}:
                    empty.append(f"{settings.name}.{field}")
    assert sorted(empty) == ["SubmitSettings.legacy_disk_clause"]  # for comparison with older releases only


def test_used_knobs_are_read() -> None:
    read = read_names()
    knobs = list(table.all_knobs())
    for knob in knobs:
        read.update(re.findall(r"\$\(([A-Za-z0-9_]+)", knob.default or ""))
    unread = [
        knob.name
        for knob in knobs
        if not knob.no_effect and "<" not in knob.name and knob.name not in read and not MADE_UP.fullmatch(knob.name)
    ]
    assert unread == []


#: Knobs that are asked for where nothing comes of them but a text for the user or an example.
ASKED_ALL_THE_SAME = {
    "arc_gahp_command_limit",  # as the concurrency limit of this name
    "dagman_use_direct_submit",
    "dagman_write_partial_rescue",
    "schedd_round_attr_executablesize",
    "schedd_round_attr_numckpts",
    "schedd_round_attr_proportionalsetsizekb",
    "tool_debug",
}


def asked_by_builders() -> set[str]:
    """The knobs, in lower case, that the builders of settings ask for."""
    asked: set[str] = set()
    for module in pkgutil.iter_modules(builders.__path__):
        room = importlib.import_module(f"{builders.__name__}.{module.name}")
        for name, builder in vars(room).items():
            if not inspect.isfunction(builder) or builder.__module__ != room.__name__ or name.startswith("_"):
                continue
            wanted = tuple(inspect.signature(builder).parameters)
            for subsystem in ("MASTER", "SCHEDD", "STARTD", "NEGOTIATOR", "STARTER", "ROOSTER", "GRIDMANAGER"):
                config = load({"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": "/nowhere"}, subsystem=subsystem)
                more = {"subsystem": subsystem, "host": "h", "environment": os.environ, "expression": config.expression}
                if wanted[:1] == ("config",) and set(wanted[1:2]) <= {"owner", *more} and len(wanted) < 3:
                    builder(config, *(more[name] for name in wanted[1:] if name in more))
                    asked |= config.uses.keys()
    return asked


def test_a_knob_that_is_asked_for_is_not_said_to_have_no_effect() -> None:
    """USE_GID_PROCESS_TRACKING worked, and lint said that it did not."""
    asked = asked_by_builders()
    assert len(asked) > 500
    known = {knob.name.lower(): knob for knob in table.all_knobs()}
    wrong = [name for name in asked if name in known and known[name].no_effect and name not in ASKED_ALL_THE_SAME]
    assert sorted(wrong) == []
    assert table.knob("MIN_TRACKING_GID").no_effect == ""  # type: ignore[union-attr]


def test_every_knob_without_effect_has_a_reason_of_its_own() -> None:
    """None is excused by what HTCondor documents, or with words that fit every knob."""
    excuses = re.compile(r"does not document|no such part|no use for it|is not part of condor_py|does not look at it")
    wrong = [
        knob.name
        for knob in table.all_knobs()
        if excuses.search(knob.no_effect) or "does not document" in knob.description
    ]
    assert wrong == []
    for path in (PACKAGE / "lang" / "config" / "knobs").glob("*.tsv"):
        title, *lines = path.read_text().splitlines()
        if path.name not in (table.USED, table.FIELDS) and title.endswith("\t"):
            assert [line.partition("\t")[0] for line in lines if not line.split("\t")[4]] == []


def test_no_knob_stands_twice_in_the_table() -> None:
    names = [
        line.partition("\t")[0].lower()
        for path in (PACKAGE / "lang" / "config" / "knobs").glob("*.tsv")
        for line in path.read_text().splitlines()
        if not line.startswith("# ")
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_settings_are_used() -> None:
    """What a builder reads from the configuration, some room asks for."""
    code = {path: path.read_text() for path in PACKAGE.rglob("*.py") if "builders" not in path.parts}
    files_with = Counter(word for text in code.values() for word in set(re.findall(r"\w+", text)))
    unused = []
    for path, text in code.items():
        if path.parent.name != "settings":
            continue
        for settings in tree_of(path).body:
            if not isinstance(settings, ast.ClassDef):
                continue
            names = [str(field.target.id) for field in settings.body if isinstance(field, ast.AnnAssign)]  # type: ignore[union-attr]
            alone = (name for name in names if files_with[name] == 1 and f"self.{name}" not in text)
            unused += [f"{settings.name}.{name}" for name in alone]
    assert unused == []


def test_accepted_knobs_are_knobs() -> None:
    assert [name for name in ACCEPTED if table.knob(name) is None] == []


def test_a_default_stands_in_the_table_only() -> None:
    """A second default beside the table's would never count, and say something else one day."""
    second = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in nodes_of(path):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            if node.func.attr not in ("integer", "real", "boolean", "size") or len(given) != 2:
                continue
            name = given[0].value if isinstance(given[0], ast.Constant) else None
            row = table.knob(name) if isinstance(name, str) else None
            if row is not None and row.default:
                second.append(f"{path.relative_to(PACKAGE)}:{node.lineno} {name}")
    assert second == []
