"""The macro table of a submit file: built-in variables, definitions, and the variables of a queue statement."""

from __future__ import annotations

import time

from condor_py.lang.macro.expand import RANDOM, Expander, find_reference, trace
from condor_py.lang.macro.macro_set import MacroSet
from condor_py.model.settings.submit import SubmitSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Variables that may change from job to job of one queue statement.
STEP_VARIABLES = ("process", "procid", "step", "row", "itemindex", RANDOM)

#: Names that warn_unused never mentions, because other programs give them to condor_submit.
_NEVER_UNUSED = frozenset(
    name.lower()
    for name in (
        "DAG_STATUS",
        "FAILED_COUNT",
        "JOB",
        "RETRY",
        "SubmitWarnEmptyMatches",
        "SubmitFailEmptyMatches",
        "SubmitWarnDuplicateMatches",
        "SubmitFailEmptyFields",
        "SubmitWarnEmptyFields",
    )
)


def default_macros(settings: SubmitSettings, submit_file: str, now: int) -> dict[str, str]:
    """The variables that exist before the first line, by lower-case name."""
    day = time.localtime(now)
    return {
        "arch": settings.arch,
        "cluster": "1",
        "clusterid": "1",
        "islinux": "1",
        "iswindows": "0",
        "itemindex": "0",
        "jobid": "$(ClusterId).$(ProcId)",
        "joblistid": "$(ClusterId)",
        "node": "",
        "opsys": settings.opsys,
        "opsysandver": settings.opsys_and_ver,
        "opsysmajorver": settings.opsys_major_ver,
        "opsysver": settings.opsys_ver,
        "process": "0",
        "procid": "0",
        "request_cpus": "$(RequestCPUs)",
        "request_memory": "$(RequestMemory)",
        "row": "0",
        "spool": settings.spool,
        "step": "0",
        "submit_file": submit_file,
        "submit_time": str(now),
        "taskid": "0",
        "vm_memory": "$(Request_Memory)",
        "vm_vcpus": "$(Request_CPUs)",
        "year": f"{day.tm_year}",
        "month": f"{day.tm_mon:02d}",
        "day": f"{day.tm_mday:02d}",
    }


class Template:
    """A value made of literal text and variables of the queue statement: cheap to fill in for every job."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[tuple[str, str]]) -> None:
        #: (literal text, lower-case variable that follows it or "").
        self.parts = parts

    def fill(self, items: Mapping[str, str], counters: Mapping[str, str]) -> str | None:
        """The text for these variables; None when a value holds a macro of its own."""
        out = []
        for literal, name in self.parts:
            out.append(literal)
            if name:
                value = items[name] if name in items else counters[name]
                if "$" in value:
                    return None
                out.append(value)
        return "".join(out)


class Macros:
    """Look-up and expansion of submit macros; remembers which names were used.

    The text of a name is the first of: ``items``, the variables that the queue statement names; the definitions;
    ``counters``, the variables that exist for every job (Process, Step, Row, Node and their like); the defaults. So a
    name of the user is never lost to a counter of the same name. Both maps have lower-case names and the values for the
    present job. ``reads`` collects the names that the expansions since its last reset depended on.
    """

    def __init__(
        self,
        table: MacroSet,
        defaults: Mapping[str, str],
        *,
        env: Mapping[str, str],
        random_below: Callable[[int], int] | None = None,
        directory: str = "",
    ) -> None:
        self.table = table
        self.defaults = defaults
        self.items: dict[str, str] = {}
        self.counters: dict[str, str] = {}
        self.used: set[str] = set()
        #: Every name that a job was asked for, whether it is defined or not.
        self.asked: set[str] = set()
        self.reads: set[str] = set()
        self._plan: dict[str, str | Template] | None = None
        self._record: dict[str, tuple[str, str, frozenset[str]]] | None = None
        self.expander = Expander(self.lookup, env=env, random_below=random_below, directory=directory)

    def lookup(self, name: str) -> str | None:
        """The unexpanded text of ``name``, None when it is not defined."""
        key = name.lower()
        value = self.items.get(key)
        if value is None:
            value = self._definition(key)
        if value is None:
            value = self.counters.get(key)
        return self.defaults.get(key) if value is None else value

    def _definition(self, key: str) -> str | None:
        value = self.table.text(f"submit.{key}")
        return self.table.text(key) if value is None else value

    def count(self, row: int, step: int, proc: int) -> None:
        """Set the counters of a job: the number of its item, of the job of that item, and of the job itself."""
        counters = self.counters
        counters["row"] = counters["itemindex"] = str(row)
        counters["step"] = str(step)
        counters["process"] = counters["procid"] = str(proc)

    def defined(self, name: str) -> bool:
        """True when the submit file or the queue statement defines ``name``."""
        return name.lower() in self.items or name in self.table

    def param(self, name: str, alt: str = "") -> str | None:
        """The expanded value of a command (or of its other name); None when not set or empty."""
        plan = self._plan
        if plan is not None and name in plan:
            planned = plan[name]
            if planned.__class__ is str:
                return planned or None
            filled = planned.fill(self.items, self.counters)  # type: ignore[union-attr]
            if filled is not None:
                return filled or None
        return self._param(name, alt) or None

    def _param(self, name: str, alt: str) -> str:
        found = name.lower()
        names = {found}
        self.asked.add(found)
        raw = self.lookup(found)
        if raw is None and alt:
            found = alt.lower()
            names.add(found)
            raw = self.lookup(found)
        value = ""
        if raw is not None:
            self.used.add(found)
            value, more = self._trace(raw)
            names |= more
        self.reads |= names
        if self._record is not None:
            self._record[name] = (found, value, frozenset(names))
        return value

    def _trace(self, raw: str) -> tuple[str, frozenset[str]]:
        if "$" not in raw:
            return raw, frozenset()
        text, names = trace(raw, self.expander)
        self.used |= names
        return text, names

    def expand(self, raw: str) -> str:
        """``raw`` with every reference replaced."""
        text, names = self._trace(raw)
        self.reads |= names
        return text

    def record(self) -> None:
        """Start to note what each command gave and what that depended on."""
        self._record = {}

    def freeze(self, varying: frozenset[str]) -> None:
        """From now on answer ``param`` from what was recorded.

        A command that depends on ``varying`` names is prepared as a template, or expanded again each time when it
        is not a simple one.
        """
        plan: dict[str, str | Template] = {}
        for name, (found, value, names) in (self._record or {}).items():
            if names.isdisjoint(varying):
                plan[name] = value
                continue
            template = self._template(found, varying)
            if template is not None:
                plan[name] = template
        self._plan, self._record = plan, None

    def _template(self, key: str, varying: frozenset[str]) -> Template | None:
        if self._is_filled_in(key, varying):
            return Template([("", key)])
        text = self.lookup(key)
        if text is None:
            return None
        parts: list[tuple[str, str]] = []
        start = 0
        for _ in range(100):
            found = find_reference(text, start)
            if found is None:
                parts.append((text[start:], ""))
                simple = all("$" not in literal for literal, _ in parts)
                return Template(parts) if simple else None
            if found.function or found.default is not None:
                return None
            word = found.body.lower()
            if self._is_filled_in(word, varying):
                parts.append((text[start : found.start], word))
                start = found.end
            else:
                text = text[: found.start] + (self.lookup(word) or "") + text[found.end :]
        return None

    def _is_filled_in(self, key: str, varying: frozenset[str]) -> bool:
        """True for a variable that has another value in each job and that no definition hides."""
        if key not in varying:
            return False
        return key in self.items or (key in self.counters and self._definition(key) is None)

    def unused(self) -> dict[str, str]:
        """A warning for each definition that nothing has used, by lower-case name."""
        warnings = {}
        for macro in self.table:
            key = macro.name.lower()
            if key not in self.used and key not in _NEVER_UNUSED and "." not in key:
                warnings[key] = f"the line '{macro.name} = {macro.value}' was unused by condor_submit. Is it a typo?\n"
        return warnings
