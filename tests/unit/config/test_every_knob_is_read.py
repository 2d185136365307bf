"""What the table of knobs says is used, some code reads: a knob that is only accepted says so."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from condor_py.config import table
from condor_py.config.accepted import ACCEPTED

PACKAGE = Path(table.__file__).resolve().parents[1]
#: Where knobs are described and not read.
NOT_READERS = {"params.py", "descriptions.py", "table.py", "accepted.py"}
#: Names that code puts together, and macros that only other macros and policies use.
MADE_UP = re.compile(
    r"(MAX_(NUM_)?|TRUNC_)?(MASTER|SCHEDD|STARTD|STARTER|NEGOTIATOR|NEGOTIATOR_MATCH)_(LOG|LOG_ON_OPEN|DEBUG)"
    r"|(MASTER|SCHEDD)_ATTRS|\w+_DAEMON_AD_FILE|SCHEDD_ROUND_ATTR_\w+|SLOT_TYPE_1(_PARTITIONABLE)?|NUM_SLOTS_TYPE_1|MODIFY_REQUEST_EXPR_\w+|CONSUMPTION_\w+"
    r"|ENVIRONMENT(_VALUE)?_FOR_\w+|(\w+\.)?Is[A-Z][a-z]+|SYSTEM_PERIODIC_\w+|SYSTEM_\w+_ATTRS"
    r"|(Small|Medium|Big)Job|BackgroundLoad|HighLoad|StartIdleTime|ContinueIdleTime|MaxSuspendTime|MaxVacateTime"
    r"|\w+_ADDRESS_FILE|\w+_CLASSAD_USER_MAP_NAMES|(STARTD_CRON|SCHEDD_CRON|BENCHMARKS)_\w+|ROTATE_HISTORY_\w+"
    r"|(State|Activity)Timer|MachineMaxVacateTime|RunBenchmarks|FetchWorkDelay"
)


def read_names() -> set[str]:
    """Every word in capitals of the code that reads configuration."""
    words: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        lint_or_template = {"lint", "templates"} & set(path.relative_to(PACKAGE).parts)
        if path.name not in NOT_READERS and not lint_or_template:
            words.update(re.findall(r"[A-Z][A-Z0-9_]+", path.read_text()))
    return words


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


def test_settings_are_used() -> None:
    """What a builder reads from the configuration, some room asks for."""
    code = {path: path.read_text() for path in PACKAGE.rglob("*.py") if "rooms" not in path.parts}
    unused = []
    for path, text in code.items():
        if path.parent.name != "settings":
            continue
        for settings in ast.parse(text).body:
            if not isinstance(settings, ast.ClassDef):
                continue
            names = [str(field.target.id) for field in settings.body if isinstance(field, ast.AnnAssign)]  # type: ignore[union-attr]
            others = "\n".join(other for where, other in code.items() if where != path)
            unused += [
                f"{settings.name}.{name}"
                for name in names
                if not re.search(rf"\b{name}\b", others) and f"self.{name}" not in text
            ]
    assert unused == []


def test_accepted_knobs_are_knobs() -> None:
    assert [name for name in ACCEPTED if table.knob(name) is None] == []
