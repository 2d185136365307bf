"""The engine of batch systems: its commands, run as programs of this machine that only look like those of Slurm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.core.grid.actions import Look, Submit
from condor_py.core.grid.events import Began, Event, Looked, SubmitFailed, Submitted
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.gridmanager.batchengine import BatchEngine
from condor_py.daemons.gridmanager.host import Host
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.machine.batch.system import order_of
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.settings.grid import GridPlaces
from condor_py.model.settings.starter import TransferSettings

JOB = JobId(1, 0)


class Engine:
    """One engine with one job, ``ours``, that Slurm calls ``number``."""

    def __init__(self, top: Path, number: str, timeout: int = 60) -> None:
        self.top = top
        self.loop = Loop()
        self.loop.watch_children()
        self.told: list[Event] = []
        self.host = Host(
            loop=self.loop, tell=self._tell, log=lambda text: None, owner="me", directory=str(top / "grid"),
            places=GridPlaces(str(top), timeout), transfer=TransferSettings(), access_point="here",
            job_named={"ours": JOB}.get, remote_id=lambda job: number, names=lambda: ["ours"],
            environment={"PATH": f"{top}:{os.environ['PATH']}"},
        )  # fmt: skip
        self.engine = BatchEngine(self.host)

    def _tell(self, event: Event) -> None:
        self.told.append(event)
        if not isinstance(event, Began):
            self.loop.stop()

    def command(self, name: str, text: str) -> None:
        path = self.top / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def ask(self, action: Look | Submit) -> list[Event]:
        """What is told of an action."""
        self.told.clear()
        self.engine.carry_out(action)
        self.loop.run()
        return list(self.told)


def test_jobs_of_another_cluster_are_looked_at_by_whoever_did_not_submit_them(tmp_path: Path) -> None:
    engine = Engine(tmp_path, "7@far")
    engine.command("squeue", 'case "$*" in *--clusters=far) echo "7|RUNNING|None|ours" ;; esac')
    (looked,) = engine.ask(Look("batch slurm"))
    assert isinstance(looked, Looked)
    assert [seen.remote_id for seen in looked.jobs["ours"]] == ["7@far"]


def test_a_command_that_gives_no_answer_in_time_has_refused_nothing(tmp_path: Path) -> None:
    engine = Engine(tmp_path, "", timeout=0)
    engine.command("sbatch", "sleep 60")
    (failed,) = engine.ask(Submit(JOB, "batch slurm", "ours", ClassAd()))
    assert isinstance(failed, SubmitFailed)
    assert (failed.away, failed.certain, failed.reason) == (True, False, "sbatch: timeout")


def test_a_command_that_is_not_there_has_certainly_not_submitted(tmp_path: Path) -> None:
    (failed,) = Engine(tmp_path, "").ask(Submit(JOB, "batch lsf", "ours", ClassAd()))
    assert isinstance(failed, SubmitFailed)
    assert (failed.away, failed.certain) == (True, True)
    assert failed.reason.startswith("bsub cannot be executed: No such file or directory")


def test_what_began_before_it_was_submitted_again_is_told_again(tmp_path: Path) -> None:
    engine = Engine(tmp_path, "7")
    engine.command("squeue", "")
    engine.command("sbatch", "echo 8")
    (tmp_path / "grid" / "notices" / "ours.began").write_text("7 node\n")
    look = Look("batch slurm")
    assert [type(event) for event in engine.ask(look)] == [Began, Looked]
    assert [type(event) for event in engine.ask(look)] == [Looked]
    engine.ask(Submit(JOB, "batch slurm", "ours", ClassAd()))
    began, _ = engine.ask(look)
    assert isinstance(began, Began)
    assert began.remote_id == "7"


def test_a_long_answer_is_read_to_its_end(tmp_path: Path) -> None:
    engine = Engine(tmp_path, "7")
    others = """awk 'BEGIN { for (i = 0; i < 6000; i++) printf("8|RUNNING|None|%01000d\\n", i) }'"""
    engine.command("squeue", f'{others}; echo "7|RUNNING|None|ours"')
    (looked,) = engine.ask(Look("batch slurm"))
    assert isinstance(looked, Looked)
    assert list(looked.jobs) == ["ours"]


def test_an_older_version_is_asked_in_its_own_words_from_then_on(tmp_path: Path) -> None:
    engine = Engine(tmp_path, "7")
    engine.command(
        "bjobs",
        f"""echo "$@" >> {tmp_path}/asked
case "$*" in *-o*) echo "bjobs: invalid option -- 'o'" >&2; exit 255 ;; esac
echo '7  me  RUN  normal  vm  vm  ours  Nov 23 01:43'""",
    )
    look = Look("batch lsf")
    for _ in range(2):
        (looked,) = engine.ask(look)
        assert isinstance(looked, Looked)
        assert [seen.remote_id for seen in looked.jobs["ours"]] == ["7"]
    assert len((tmp_path / "asked").read_text().splitlines()) == 3


def test_a_submit_is_repeated_in_the_words_of_an_older_version(tmp_path: Path) -> None:
    engine = Engine(tmp_path, "")
    refuses = "echo 'qsub: submit error (Unknown resource type  MSG=cannot locate resource select)' >&2; exit 1"
    engine.command("qsub", f'case "$*" in *select=*) {refuses} ;; *nodes=1:ppn=1*) echo 5.host ;; esac')
    (submitted,) = engine.ask(Submit(JOB, "batch pbs", "ours", ClassAd()))
    assert submitted == Submitted(JOB, "5.host")


def test_a_batch_system_that_knows_of_no_job_answers(tmp_path: Path) -> None:
    engine = Engine(tmp_path, "7")
    engine.command("bjobs", "echo 'No job found' >&2; exit 255")
    (looked,) = engine.ask(Look("batch lsf"))
    assert looked == Looked("batch lsf", {})


def test_impossible_arguments_have_a_job_refused_and_leave_its_resource_up(tmp_path: Path) -> None:
    engine = Engine(tmp_path, "")
    engine.command("sbatch", "echo 8")
    ad = ClassAd.from_text_items([("BatchQueue", quote_string("x" * (1 << 18)))])
    (failed,) = engine.ask(Submit(JOB, "batch slurm", "ours", ad))
    assert isinstance(failed, SubmitFailed)
    assert (failed.away, failed.certain) == (False, True)
    assert failed.reason.endswith("sbatch cannot be given these arguments: Argument list too long")


def test_far_too_many_arguments_are_not_even_split() -> None:
    ad = ClassAd.from_text_items([("BatchExtraSubmitArgs", quote_string("x" * (1 << 20)))])
    with pytest.raises(CondorError, match="BatchExtraSubmitArgs has more than 65536 characters"):
        order_of("ours", "script", "/", ad)


@pytest.mark.parametrize("resource", ["batch slurm", "batch lsf"])
def test_the_words_of_a_job_say_nothing_about_its_resource(tmp_path: Path, resource: str) -> None:
    engine = Engine(tmp_path, "")
    for name in ("sbatch", "bsub"):
        engine.command(name, 'echo "$0: no such queue: $*" >&2; exit 1')
    words = "Connection refused; LIM is down; Unable to contact slurm controller"
    ad = ClassAd.from_text_items(
        [("BatchQueue", quote_string(words)), ("BatchExtraSubmitArgs", '"invalid option -- o"')]
    )
    (failed,) = engine.ask(Submit(JOB, resource, "ours", ad))
    assert isinstance(failed, SubmitFailed)
    assert (failed.away, words in failed.reason) == (False, True)
