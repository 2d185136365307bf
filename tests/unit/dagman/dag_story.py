"""Stories of DAGs: what happens to a `Run`, line by line, and below each line what it wants done and says.

A line that begins with ``> `` is a step, the lines behind it are what comes of it:

    > dag JOB A x                    a line of the .dag file (before ``begin``)
    > with max_jobs=2 retry_node_first=True     settings, throttles, and options of `Run`
    > begin, > begin recovery, > recovered
    > turn, > turn +60, > wait 60    `Run.turn`, after so many seconds (1 without); time passes, and nothing else
    > queued A 1, > queued A 1 3     A is cluster 1, with three jobs: submitted, and the submit events read
    > submitted A 1 3                the same without the events
    > refused A, > refused A for good, > untried B      of a Submit
    > event 5 1.0 code=1             of the nodes log: number, job, and fields
    > script A PRE code=1            a script ended
    > pre-end A code=0               of an earlier run of condor_dagman, before ``begin recovery``
    > halt, > resume, > removed, > provisioned, > lost A, > limit max_jobs=1
    > ad DAG_Status ...              attributes of the job ad
    > wake                           when ``turn`` is due
    > states                         the states of all nodes
    > notes                          notes that nothing waited for a limit are shown, too
"""

from __future__ import annotations

import re
import shlex
from typing import Any

from dag_world import dag_of

from condor_py.core.dag import actions as a
from condor_py.core.dag.figures import job_ad
from condor_py.core.dag.progress import ScriptResult
from condor_py.core.dag.run import Run
from condor_py.model.settings.dagman import DagmanSettings, LanguageSettings, ThrottleSettings

_START = 1000
_NOTHING_WAITED = re.compile(r"2: Note: 0 total ")


class Story:
    """One DAG, told step by step."""

    def __init__(self) -> None:
        self._dag: list[str] = []
        self._settings: dict[str, Any] = {}
        self._throttles: dict[str, Any] = {}
        self._language: dict[str, Any] = {}
        self._options: dict[str, Any] = {}
        self._pre_ends: list[tuple[str, ScriptResult]] = []
        self._now = _START
        self._run: Run | None = None
        self._noted = False

    @property
    def run(self) -> Run:
        if self._run is None:
            settings = DagmanSettings(
                language=LanguageSettings(**self._language),
                throttles=ThrottleSettings(**self._throttles),
                **self._settings,
            )
            self._run = Run(dag_of("\n".join(self._dag) + "\n"), settings, **{"dagman_id": 7, **self._options})
        return self._run

    def step(self, text: str) -> list[str]:
        """What comes of one step."""
        if text.startswith("dag "):
            self._dag.append(text[4:])
            return []
        word, *rest = shlex.split(text)
        said = getattr(self, "_" + word.replace("-", "_"))(*rest) or []
        shown = [line for action in self.run.take() for line in self._shown(action)] if self._run else []
        return [line for line in (*said, *shown) if self._noted or not _NOTHING_WAITED.match(line)]

    # ---- steps ---------------------------------------------------------------------------------------------------

    def _notes(self) -> None:
        self._noted = True

    def _with(self, *texts: str) -> None:
        for name, value in _values(texts).items():
            for owner, fields in (
                (ThrottleSettings, self._throttles),
                (DagmanSettings, self._settings),
                (LanguageSettings, self._language),
            ):
                if name in owner.declared:
                    fields[name] = value
                    break
            else:
                self._options[name] = value

    def _begin(self, *how: str) -> None:
        ends = [(self._node(name), end) for name, end in self._pre_ends]
        self.run.begin(self._now, recovery=bool(how), pre_ends=ends)

    def _recovered(self) -> None:
        self.run.recovered(self._now)

    def _turn(self, seconds: str = "+1") -> None:
        self._now += int(seconds)
        self.run.turn(self._now)

    def _wait(self, seconds: str) -> None:
        self._now += int(seconds)

    def _submitted(self, name: str, cluster: str, count: str = "1") -> None:
        self.run.submitted(self._node(name), int(cluster), int(count))

    def _queued(self, name: str, cluster: str, count: str = "1") -> None:
        self._submitted(name, cluster, count)
        for proc in range(int(count)):
            self.run.job_event(a.JobEvent(0, int(cluster), proc, name=name), self._now)

    def _refused(self, name: str, *for_good: str) -> None:
        self.run.submit_failed(self._node(name), self._now, bool(for_good))

    def _untried(self, name: str) -> None:
        self.run.not_submitted(self._node(name))

    def _event(self, number: str, job: str, *fields: str) -> None:
        ids = [int(part) for part in job.split(".")]
        self.run.job_event(a.JobEvent(int(number), *ids, **_values(fields)), self._now)  # type: ignore[arg-type]

    def _script(self, name: str, kind: str, *fields: str) -> None:
        self.run.script_ended(self._node(name), kind, self._now, **_values(fields))

    def _pre_end(self, name: str, *fields: str) -> None:
        self._pre_ends.append((name, ScriptResult(**{"code": None, **_values(fields)})))

    def _halt(self) -> None:
        self.run.halt()

    def _resume(self) -> None:
        self.run.resume()

    def _removed(self) -> None:
        self.run.removed()

    def _provisioned(self) -> None:
        self.run.provisioned(self._now)

    def _lost(self, *names: str) -> None:
        self.run.lost([self._node(name) for name in names])

    def _limit(self, *fields: str) -> None:
        self.run.limit(ThrottleSettings(**_values(fields)))

    def _ad(self, *names: str) -> list[str]:
        ad = job_ad(self.run.progress)
        return [f"{name} = {ad[name]}" for name in names or ad]

    def _wake(self) -> list[str]:
        when = self.run.wake_at()
        return ["never" if when is None else f"in {when - self._now} s"]

    def _states(self) -> list[str]:
        progress = self.run.progress
        return [f"{name} {progress.state(node).name}" for node, name in enumerate(progress.dag.names)]

    # ---- showing -------------------------------------------------------------------------------------------------

    def _node(self, name: str) -> int:
        return self.run.progress.dag.numbers[name]

    def _shown(self, action: a.Action) -> list[str]:
        names = self.run.progress.dag.names
        match action:
            case a.Say(text, level):
                return [f"{level}: {text}"]
            case a.Submit(nodes):
                held = self.run.progress.tries.held
                return ["[Submit] " + " ".join(names[node] + " (on hold)" * (node in held) for node in nodes)]
            case a.RunScript(node, kind, words):
                return [f"[RunScript] {names[node]} {kind}: {' '.join(words)}"]
            case a.Finish(code, status):
                return [f"[Finish] {code} {status.name}"]
            case a.ShowStatus(publish):
                return [f"[ShowStatus]{' publish' if publish else ''}"]
        fields = action._asdict()
        node = [names[fields.pop("node")]] if "node" in fields else []
        rest = [f"{name}={value}" for name, value in fields.items() if value is not None]
        return [" ".join([f"[{type(action).__name__}]", *node, *rest])]


def _values(texts: tuple[str, ...]) -> dict[str, Any]:
    """name=value pairs: True, False, numbers, and text."""
    pairs = (text.split("=", 1) for text in texts)
    words: dict[str, Any] = {"True": True, "False": False, "None": None}
    return {name: words[value] if value in words else _number(value) for name, value in pairs}


def _number(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdigit() else text


def tell(text: str) -> str:
    """The story with what comes of its steps now; comments and empty lines as they are."""
    story, lines = Story(), []
    for line in text.splitlines():
        if line.startswith("> "):
            lines.append(line)
            lines += story.step(line[2:])
        elif not line or line.startswith("#"):
            lines.append(line)
    return "\n".join(lines) + "\n"
