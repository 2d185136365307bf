"""Late materialization: a cluster whose jobs are made when there is room for them, from a digest kept in the spool.

The digest is a submit description of its own: the commands as they stood at the queue statement, unexpanded, and the
statement, whose items are in a second file, one row a line. Any job can be made from it without those before it.

::

    # condor_py factory {"directory": ..., "file": ..., "environment": {...}}       what the description was read in
    FACTORY.Requirements=MY.Requirements            for a schedd of HTCondor, which the digest suits as well
    FACTORY.Iwd=/home/alice
    name=value                         name @=end ... @end

    Queue 2 x,y from [::] /var/spool/6/condor_submit.6.items

A digest that HTCondor wrote has no first line, and none of the commands that are the same for all jobs: what they make
is in the cluster ad.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, overload

from condor_py.lang.classad import ClassAd, quote_string
from condor_py.lang.macro.errors import MacroError
from condor_py.lang.submit.build import ClusterDraft, Item, varying
from condor_py.lang.submit.errors import JobFailure, SubmitError
from condor_py.lang.submit.items import ItemSources, split_item
from condor_py.lang.submit.job import JobMaker
from condor_py.lang.submit.pipeline import Pipeline
from condor_py.lang.submit.program import set_universe
from condor_py.lang.submit.queue_args import Slice
from condor_py.lang.submit.submit_file import QueueStatement, SubmitFile, Surroundings, parse
from condor_py.model.states import Universe
from condor_py.model.texts import as_integer

if TYPE_CHECKING:
    from condor_py.model.settings.submit import SubmitSettings


_HEAD = "# condor_py factory "
_FIELD = "\x1f"
#: Characters of jobs that are made in one go.
MOST_TEXT = 8 << 20


@dataclass(frozen=True, slots=True)
class FactoryText:
    """The texts that a factory needs in addition to its cluster ad: the digest and the items ("" without items)."""

    digest: str
    items: str
    total: int

    @property
    def item_count(self) -> int:
        """The number of rows that the items have."""
        return self.items.count("\n")


def items_name(cluster: int) -> str:
    """The name of the file of items."""
    return f"condor_submit.{cluster}.items"


def digest_name(cluster: int) -> str:
    """The name of the digest."""
    return f"condor_submit.{cluster}.digest"


def make_text(draft: ClusterDraft, cluster: int, folder: str) -> FactoryText:
    """The files of a cluster, which has one queue statement; they will be in ``folder``."""
    statement = draft.statements[0]
    file, args = draft.file, statement.args
    lines = ["FACTORY.Requirements=MY.Requirements", f"FACTORY.Iwd={file.surroundings.directory}"]
    for macro in statement.table:
        if "\n" in macro.value:
            lines.append(f"{macro.name} @=end_of_value\n{macro.value}\n@end_of_value")
        else:
            lines.append(f"{macro.name}={macro.value}")
    # The environment is kept only where jobs depend on it: it may hold what others should not read.
    needs_environment = any("$ENV(" in line.upper() or line.lower().startswith("getenv") for line in lines)
    facts = {
        "directory": file.surroundings.directory,
        "file": file.name,
        "environment": dict(file.surroundings.env) if needs_environment else {},
    }
    text = "".join(f"{line}\n" for line in [_HEAD + json.dumps(facts), *lines])
    queue = f"Queue {statement.step_count}"
    items = ""
    if args.mode:
        queue += f" {','.join(args.variables)} from {_slice_text(args.slice)}{folder}/{items_name(cluster)}"
        count = len(args.variables)
        items = "".join(f"{_FIELD.join(split_item(item, count, args.table))}\n" for item in args.items)
    return FactoryText(f"{text}\n{queue}\n", items, statement.job_count)


def _slice_text(rows: Slice) -> str:
    parts = [rows.start, rows.end, rows.step]
    if parts == [None, None, None]:
        return ""
    return f"[{':'.join('' if part is None else str(part) for part in parts)}] "


def cluster_items(text: FactoryText, cluster: int, folder: str, ad: Sequence[Item] = ()) -> list[Item]:
    """Return what the cluster ad of a factory has in addition to what its jobs have in ``ad``; the files are in
    ``folder``.

    JobMaterializeLimit is not above the number of jobs.
    """
    given = next((value for name, value in ad if name == "JobMaterializeLimit"), "")
    limit = min(as_integer(given), text.total) if given.isdecimal() and as_integer(given) > 0 else text.total
    made = [("JobMaterializeLimit", str(max(limit, 1)))]
    made += [("JobMaterializeDigestFile", quote_string(f"{folder}/{digest_name(cluster)}"))]
    if text.items:
        made.append(("JobMaterializeItemsFile", quote_string(f"{folder}/{items_name(cluster)}")))
        made.append(("JobMaterializeItemCount", str(text.item_count)))
    return [*made, ("JobMaterializeNextProcId", "0"), ("JobMaterializeNextRow", "0")]


class Factory:
    """Makes the jobs of a digest. ``cluster_ad`` is the one in the queue: jobs hold what differs from it."""

    def __init__(self, text: FactoryText, cluster: int, cluster_ad: ClassAd, settings: SubmitSettings) -> None:
        """Read the digest. SubmitError or ValueError when it cannot be understood."""
        self._is_ours = text.digest.startswith(_HEAD)
        facts = _facts(text.digest) if self._is_ours else _known_facts(text.digest, cluster_ad)
        digest = text.digest if self._is_ours else _pruned_commands(cluster_ad) + text.digest
        rows = [text.items]

        def read(name: str) -> str:
            if os.path.basename(name) != items_name(cluster) or not rows:
                raise OSError(f"{name} is not a file of this factory")
            return rows.pop()

        sources = ItemSources(read, _refuse, lambda pattern: [], lambda warning: None)
        submitted = cluster_ad.eval_int("QDate", 0) or 0
        around = Surroundings(facts["environment"], None, submitted, facts["directory"], sources)
        self.file: SubmitFile = parse(digest, facts["file"], settings=settings, surroundings=around)
        self.statement: QueueStatement = self.file.statements[0]
        self.cluster = cluster
        edited = (cluster_ad.eval_str("EditedClusterAttrs", "") or "").split(",")
        self._edited = [name.lower() for name in edited if name]
        self.total = self.statement.job_count
        self._rows = self.statement.rows
        self._draft = ClusterDraft(self.file, [self.statement])
        self._maker = self._new_maker(cluster_ad)
        self._pipeline = Pipeline(self._maker, varying(self.statement))
        self._started = False
        args = self.statement.args

        self._items, args.items = PackedTexts(args.items), []  # from here on only one is handled at a time

    def _new_maker(self, cluster_ad: ClassAd) -> JobMaker:
        file = self.file
        macros = file.macros(self.statement.table)
        owner = cluster_ad.eval_str("Owner", "") or ""
        around = file.surroundings
        maker = JobMaker(file.settings, macros, file.messages, around.env, around.now, owner)
        maker.checks_executable = maker.checks_directory = maker.looks_at_files = False
        maker.allow_crlf_script = True
        maker.cluster = {name.lower(): (name, text) for name, text in cluster_ad.text_items()}
        macros.counters.update(cluster=str(self.cluster), clusterid=str(self.cluster))
        set_universe(maker)
        return maker

    def row(self, proc: int) -> int:
        """The row of items that a job is made from; -1 behind the last job."""
        if proc >= self.total:
            return -1
        return self._rows[proc // self.statement.step_count]

    def make(self, proc: int) -> list[Item]:
        """Return the attributes of job ``proc`` in addition to the cluster ad. JobStatus is included; edits of the
        cluster ad are not considered.

        SubmitError when it cannot be made.
        """
        maker, args, row = self._maker, self.statement.args, self.row(proc)
        macros = maker.macros
        names = [name.lower() for name in args.variables] or ["item"]
        macros.items.update(dict.fromkeys(names, ""))
        if args.mode:
            macros.items.update(zip(names, split_item(self._items[row], len(names), args.table), strict=False))
        macros.count(row, proc % self.statement.step_count, proc)
        maker.proc = proc
        try:
            if not self._started:
                self._pipeline.first()
                self._pipeline.keep_static("jobstatus")
                self._started = True
            self._pipeline.next()
        except MacroError as error:
            raise JobFailure(f"ERROR: {error}\n") from None
        for name in self._edited:
            maker.own.pop(name, None)
        if not self._is_ours and "requirements" not in self.statement.table:
            maker.own.pop("requirements", None)
        return self._draft.queue_items(maker.own)


def _facts(digest: str) -> dict[str, Any]:
    """The first line of a digest. ValueError when it is not what ``make_text`` writes."""
    facts = json.loads(digest.partition("\n")[0].removeprefix(_HEAD))
    if not isinstance(facts, dict) or not all(isinstance(facts.get(key), str) for key in ("directory", "file")):
        raise ValueError("the digest does not begin with its directory and file")
    environment = facts.get("environment")
    if not isinstance(environment, dict) or not all(isinstance(value, str) for value in environment.values()):
        raise ValueError("the digest has no environment")
    return facts


def _known_facts(digest: str, cluster_ad: ClassAd) -> dict[str, Any]:
    """The facts of a digest that HTCondor wrote."""
    iwd = next((line for line in digest.splitlines() if line.lower().startswith("factory.iwd")), "")
    directory = iwd.partition("=")[2].strip() or cluster_ad.eval_str("Iwd", "/") or "/"
    file = cluster_ad.eval_str("JobSubmitFile", "") or "<stdin>"
    return {"directory": directory, "file": file, "environment": {}}


def _pruned_commands(cluster_ad: ClassAd) -> str:
    """The commands without which no job can be made, as the cluster ad tells them."""
    commands = {
        "executable": cluster_ad.eval_str("Cmd", "") or "",
        "universe": cluster_ad.text("JobUniverse") or str(int(Universe.VANILLA)),
    }
    kinds = (("docker", "WantDocker", "DockerImage"), ("container", "WantContainer", "ContainerImage"))
    for kind, wanted, image in kinds:
        if cluster_ad.eval_bool(wanted, False):
            commands.update({"universe": kind, f"{kind}_image": cluster_ad.eval_str(image, "") or ""})
    return "".join(f"{name}={value}\n" for name, value in commands.items())


def _refuse(command: str) -> str:
    raise OSError(f"{command} is not run again by a factory")


@dataclass(frozen=True, slots=True)
class Materialized:
    """New jobs as (proc, attributes that the cluster ad lacks); ``failure`` says why the one after them is not made."""

    procs: list[tuple[int, list[Item]]]
    next_proc: int
    next_row: int
    failure: str = ""


def materialize(
    factory: Factory, first: int, count: int, enough: Callable[[], bool] = lambda: False, most_text: int = MOST_TEXT
) -> Materialized:
    """The jobs ``first`` ... of a factory, at most ``count``, and where to continue: behind the last that was made when
    there were ``enough``, or they had ``most_text`` characters together.
    """
    procs: list[tuple[int, list[Item]]] = []
    failure, size = "", 0
    for proc in range(first, min(first + count, factory.total)):
        try:
            procs.append((proc, factory.make(proc)))
        except SubmitError as error:
            failure = f"job {proc} cannot be made: {error}"
            break
        size += sum(len(text) for _, text in procs[-1][1])
        if size > most_text or enough():
            break
    if not procs and not failure and count:
        failure = f"there is no job {first}: the digest makes {factory.total}"
    following = first + len(procs)
    return Materialized(procs, following, factory.row(following), failure)


class PackedTexts(Sequence[str]):
    """The texts of a list as one text. One in a list of its own takes some sixty bytes more."""

    __slots__ = ("_all", "_ends")

    def __init__(self, texts: Iterable[str]) -> None:
        kept = texts if isinstance(texts, list) else list(texts)
        self._ends = array("Q", accumulate(map(len, kept)))
        self._all = "".join(kept)

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        end = self._ends[index]
        at = index % len(self._ends)
        return self._all[self._ends[at - 1] if at else 0 : end]
