"""Hooks of the job router: what they are asked, what follows of their answers, and what a new router makes of it."""

from __future__ import annotations

import pytest
from router_world import COPY, HERE, NOW, World

from condor_py.core.routes.core import Router
from condor_py.core.routes.hooks import HookCall, Kind, read, translation_input
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.router import RouterHooks

ALL = RouterHooks("HK", "/h/translate", "/h/update", "/h/finalize", "/h/cleanup", ("Seen", "JobStatus"))
PRINTED = 'Cmd = "/bin/else"\nIwd = "/there"\nHooked = true\nOwner = "root"\nClusterId = 9\nJobStatus = 4\n'


def hooked(*kinds: str, **settings: object) -> World:
    """A world with these hooks for all jobs, and with one job."""
    hooks = RouterHooks("HK", **{kind: getattr(ALL, kind) for kind in kinds})
    world = World(HERE, hooks=(hooks,), hook_keyword="hk", **settings)
    world.add(1, 'Cmd = "/bin/true"; Iwd = "/here"')
    return world


def test_a_job_is_translated_by_its_hook() -> None:
    world = hooked("translate")
    job = JobId(1, 0)
    world.poll()
    assert [(call.kind, call.program, call.what) for call in world.calls] == [
        (Kind.TRANSLATE, "/h/translate", "(src=1.0,route=Here)")
    ]
    assert (world.text(job, "Managed"), world.text(job, "RoutedToJobId")) == ('"External"', None)
    world.poll()
    assert len(world.calls) == 1, "it runs already"
    assert list(world.ads) == [job]
    world.answer(PRINTED)
    assert [world.text(COPY, name) for name in ("Cmd", "Iwd", "Hooked", "Extra", "Owner")] == [
        '"/bin/else"', '"/there"', "true", "1", '"ann"',
    ]  # fmt: skip
    assert (world.text(COPY, "JobStatus"), world.text(COPY, "RoutedFromJobId")) == ("1", '"1.0"')
    assert world.text(job, "RoutedToJobId") == '"101.0"'
    assert world.poll() == []


@pytest.mark.parametrize(
    ("out", "problem", "told"),
    [
        ("", "exited with status 3", "exited with status 3"),
        ("", "", "printed no job: one has Cmd and Iwd"),
        ('Cmd = "x"\nIwd = "y"\nwhat?\n', "", "printed what is no attribute: 'what?'"),
        ('Cmd = "x\nIwd = "y"\n', "", "printed what is no attribute: 'Cmd = \"x'"),
    ],
)
def test_a_job_whose_hook_fails_waits_here_and_is_tried_again_later(out: str, problem: str, told: str) -> None:
    world = hooked("translate")
    world.poll()
    world.answer(out, problem)
    assert world.told == f"(src=1.0,route=Here): TRANSLATE_JOB (/h/translate) {told}"
    assert (world.text(JobId(1, 0), "Managed"), world.text(JobId(1, 0), "JobStatus")) == ('"Schedd"', "1")
    assert world.router.throttles["here"].failed == 1
    pauses = []
    for _ in range(9):
        since = world.now
        while not world.calls:
            world.poll()
        pauses.append(world.now - since)
        world.answer(out, problem)
        assert world.told == "", "the same reason is told once"
    assert pauses == [10, 20, 40, 80, 160, 320, 600, 600, 600]
    while not world.calls:
        world.poll()
    world.answer(PRINTED)
    assert world.text(COPY, "Hooked") == "true"


def test_nobody_waits_for_a_hook_of_a_job_that_is_held_or_gone() -> None:
    world = hooked("translate")
    job = JobId(1, 0)
    world.poll()
    world.act(job, "hold")
    world.answer(PRINTED)
    assert (world.text(job, "Managed"), world.text(job, "JobStatus")) == ('"Schedd"', "5")
    world.act(job, "release")
    world.poll()
    world.leave(job)
    world.answer(PRINTED)
    assert world.ads == {}
    assert list(world.router.hooks.translating()) == []


def test_a_new_router_asks_again() -> None:
    world = hooked("translate")
    world.poll()
    world.router, world.calls = Router(world.settings, world, NOW), []
    world.poll()
    assert world.text(JobId(1, 0), "Managed") == '"Schedd"', "nobody knows what came of the hook: the job is given back"
    world.poll()
    world.answer(PRINTED)
    assert world.text(JobId(1, 0), "RoutedToJobId") == '"101.0"'


def test_jobs_in_translation_take_room_of_their_route() -> None:
    world = World(("Here", "UNIVERSE 5\nMaxJobs = 2"), hooks=(ALL,), hook_keyword="HK")
    for cluster in range(1, 5):
        world.add(cluster, 'Cmd = "/bin/true"; Iwd = "/"')
    world.poll()
    world.poll()
    assert len(world.calls) == 2


def test_a_hook_edits_a_job_in_place() -> None:
    world = World(
        ("Edit", "REQUIREMENTS Hooked =!= true\nEditJobInPlace = true\nSET ByRule 1"), hooks=(ALL,), hook_keyword="HK"
    )
    job = world.add(1, 'Cmd = "/bin/true"; Iwd = "/here"; Goes = 1')
    world.poll()
    assert world.text(job, "Managed") is None, "it may start meanwhile"
    world.set(job, Meanwhile=1)
    world.answer('Cmd = "/bin/true"\nIwd = "/new"\nHooked = true\nOwner = "root"\n')
    world.poll()
    names = ("Iwd", "Hooked", "ByRule", "Goes", "Meanwhile", "Owner", "JobStatus")
    assert [world.text(job, name) for name in names] == ['"/new"', "true", "1", None, "1", '"ann"', "1"]
    assert world.poll() == []


def test_a_hook_tells_of_a_copy() -> None:
    world = hooked("update", polling_period=10)
    world.poll()
    assert world.calls == []
    world.poll()
    assert [call.what for call in world.calls] == ["(src=1.0,dest=101.0,route=Here)"]
    world.answer('Seen = 7\nJobStatus = 4\nOwner = "root"\nMyType = "x"\n')
    assert [world.text(COPY, name) for name in ("Seen", "JobStatus", "Owner")] == ["7", "1", '"ann"']
    world.poll()
    world.answer("", "died with signal 9 (Killed)")
    assert world.told.endswith("UPDATE_JOB_INFO (/h/update) died with signal 9 (Killed)")
    world.set(COPY, JobStatus=2)
    world.poll()
    assert world.text(JobId(1, 0), "JobStatus") == "2", "what HTCondor itself knows is shown all the same"


def test_attributes_of_the_copy_are_taken_over() -> None:
    world = World(HERE, hooks=(RouterHooks("HK", copied=("Seen", "Owner")),), hook_keyword="HK")
    job = world.add(1)
    world.poll()
    world.set(COPY, JobStatus=2, Seen=3, Owner='"root"')
    world.poll()
    assert (world.text(job, "Seen"), world.text(job, "Owner")) == ("3", '"ann"')


def test_a_hook_has_the_last_word_on_the_end() -> None:
    world = hooked("finalize")
    job = JobId(1, 0)
    world.poll()
    world.set(COPY, JobStatus=4, ExitCode=3)
    world.poll()
    assert [call.kind for call in world.calls] == [Kind.FINALIZE]
    text = world.router.hook_input(world.calls[0]) or ""
    of_job, _, of_copy = text.partition("\n------\n")
    assert "ExitCode = 3\n" in of_job
    assert "JobStatus = 4\n" in of_job
    assert 'RoutedFromJobId = "1.0"\n' in of_copy
    assert world.text(job, "JobStatus") == "1", "the queue does not know it before the hook has agreed"
    world.answer('Final = "yes"\n')
    assert [world.text(job, name) for name in ("Final", "JobStatus", "ExitCode", "Managed")] == [
        '"yes"', "4", "3", '"ScheddDone"',
    ]  # fmt: skip
    assert world.text(COPY, "LeaveJobInQueue") == "false"


def test_a_job_whose_end_is_refused_goes_on_another_way() -> None:
    world = hooked("finalize")
    world.poll()
    world.set(COPY, JobStatus=4, ExitCode=3)
    world.poll()
    world.answer("", "exited with status 1")
    assert [world.text(JobId(1, 0), name) for name in ("Managed", "JobStatus", "ExitCode")] == ['"Schedd"', "1", None]
    assert world.text(COPY, "LeaveJobInQueue") == "false"
    world.leave(COPY)
    world.poll()
    assert world.text(JobId(1, 0), "RoutedToJobId") == '"102.0"'


@pytest.mark.parametrize("end", ["completes", "is removed", "is taken back", "loses its job"])
def test_a_copy_leaves_only_when_its_hook_has_cleaned_up(end: str) -> None:
    world = hooked("cleanup")
    job = JobId(1, 0)
    world.poll()
    assert world.text(COPY, "RouterHookKeyword") == '"HK"'
    if end == "completes":
        world.set(COPY, JobStatus=4)
    elif end == "is removed":
        world.act(COPY, "remove")
    elif end == "is taken back":
        world.act(job, "hold")
    else:
        world.leave(job)
    world.poll()
    world.poll()
    assert [(call.kind, call.job) for call in world.calls] == [(Kind.CLEANUP, COPY)]
    stays = world.ads[COPY].eval_bool("LeaveJobInQueue", False)
    assert (stays, world.text(COPY, "JobStatus")) == (True, "4" if end == "completes" else "3")
    world.answer("", "exited with status 1")
    assert world.told.endswith("JOB_CLEANUP (/h/cleanup) exited with status 1")
    assert world.calls == []
    world.router = Router(world.settings, world, world.now)
    world.poll()
    world.answer("")
    world.poll()
    assert world.text(COPY, "LeaveJobInQueue") == "false"
    assert world.poll() == []
    assert world.calls == []
    if end == "is removed":
        world.leave(COPY)
        world.poll()
        world.poll()
        assert world.text(job, "RoutedToJobId") == '"102.0"', "it is routed anew only now"


def test_a_failed_clean_up_is_tried_again() -> None:
    world = hooked("cleanup")
    world.poll()
    world.act(COPY, "remove")
    world.poll()
    for _ in range(3):
        world.answer("", "exited with status 1")
        while not world.calls:
            world.poll()
    world.answer()
    assert world.text(COPY, "LeaveJobInQueue") == "false"


def test_without_its_hook_a_copy_leaves() -> None:
    world = hooked("cleanup")
    world.poll()
    world.act(COPY, "remove")
    world.router = Router(World(HERE).settings, world, world.now)
    world.poll()
    assert world.text(COPY, "LeaveJobInQueue") == "false"


def test_whose_hooks_a_job_has() -> None:
    world = World(HERE, hooks=(ALL,), hook_keyword="HK")
    of = world.router.hooks.of
    assert of(ClassAd("[]")) is ALL
    assert of(ClassAd('[ HookKeyword = "hk" ]')) is ALL
    assert of(ClassAd('[ HookKeyword = "other" ]')) == RouterHooks(), "it has said which it wants: there are none"
    assert World(HERE, hooks=(ALL,)).router.hooks.of(ClassAd("[]")) == RouterHooks()


def test_what_a_hook_reads_is_one_line_an_attribute_whatever_the_job_says() -> None:
    job = ClassAd()
    job.set_str("B", 'two\nlines "quoted"')
    job.set_text("a\nx = 1", "1")
    job.set_str("A", "x" * 100_000)
    text = translation_input("Here", 9, "batch slurm", job)
    route, dashes, *lines = text.splitlines()
    assert (route, dashes) == ('[ Name = "Here"; GridResource = "batch slurm"; TargetUniverse = 9 ]', "------")
    assert len(lines) == 3
    call = HookCall(Kind.UPDATE, COPY, None, "/h", "Here")
    assert [name for name, _ in read(call, "\n".join(lines).encode()).texts] == ["A", "B", r"a\nx = 1"]
    assert translation_input("Here", 5, "", ClassAd()).splitlines()[0] == '[ Name = "Here"; TargetUniverse = 5 ]'
