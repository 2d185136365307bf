"""Requests that follow what like jobs have used (request_memory = auto)."""

from __future__ import annotations

from world import World

from condor_py.core.jobs.effects import SizesWanted
from condor_py.core.jobs.events import Reconfigured, SizesFound
from condor_py.lang.classad import quote_string
from condor_py.model.ids import JobId
from condor_py.model.record import SET, Change
from condor_py.model.report import Usage
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.sizing import AutoRequests
from condor_py.model.sizes import Sizes

DEFAULT = quote_string("default: too few like jobs have ended")
AUTO = {
    "Cmd": '"/bin/sort"',
    "RequestMemory": "AutoRequestMemory",
    "AutoRequestMemory": "512",
    "MemoryRequestSource": DEFAULT,
    "RequestDisk": "AutoRequestDisk",
    "AutoRequestDisk": "1024 * 100",
    "DiskRequestSource": DEFAULT,
}
RULE = AutoRequests()


def _world(known: bool = True, **rule: object) -> World:
    world = World(claim_worklife=0, auto_requests=AutoRequests(**rule))
    world.slot_more = {"Memory": "65536"}
    world.connect()
    if known:
        world.handle(SizesFound(Sizes(AutoRequests(**rule))))
    return world


def _ends(world: World, *jobs: JobId, mb: int = 900, disk: int = 5000, **outcome: object) -> None:
    for job in jobs:
        world.match(job)
        world.started(job)
        usage = Usage(1.0, 0.5, max_rss_kb=mb * 1024, disk_kb=disk)
        world.ended(job, **{"exit_code": 0, "usage": usage, **outcome})


def _says(world: World, job: JobId, name: str = "RequestMemory") -> object:
    ad = world.queue.job(job)
    assert ad is not None
    return ad.evaluate(name)


def test_jobs_that_wait_ask_for_what_like_ones_have_shown() -> None:
    world = _world()
    jobs = world.submit(1, 30, **AUTO)
    (other,) = world.submit(2, 1, **AUTO, JobBatchName='"another"')
    (stranger,) = world.submit(3, 1, **(AUTO | {"Cmd": '"/bin/cat"'}))
    _ends(world, *jobs[:2])
    assert (_says(world, jobs[9]), _says(world, jobs[9], "MemoryRequestSource")) == (512, DEFAULT.strip('"'))
    _ends(world, jobs[2])
    assert _says(world, jobs[9]) == _says(world, other) == 1152
    assert _says(world, jobs[9], "RequestDisk") == 6 * 1024
    assert _says(world, jobs[9], "MemoryRequestSource") == "history: 99 % of 3 jobs, 1.2 headroom"
    assert _says(world, stranger) == 512
    assert len({world.core.idle.get(job).autocluster for job in [*jobs[3:], other]}) == 1  # type: ignore[union-attr]


def test_it_is_one_record_for_all_jobs_of_a_cluster() -> None:
    world = _world()
    jobs = world.submit(1, 500, **AUTO)
    _ends(world, *jobs[:3])
    told = [change for change in world.committed if change.name == "AutoRequestMemory"]
    assert [(change.key, change.value) for change in told] == [("01.-1", "1152")]


def test_a_request_goes_up_at_once_and_down_only_by_much() -> None:
    world = _world(quantile=0.5)
    jobs = world.submit(1, 60, **AUTO)
    _ends(world, *jobs[:3])
    _ends(world, *jobs[3:8], mb=850)
    assert _says(world, jobs[-1]) == 1152
    _ends(world, *jobs[8:20], mb=2000)
    assert _says(world, jobs[-1]) == 2560
    _ends(world, *jobs[20:59], mb=200)
    assert _says(world, jobs[-1]) == 256


def test_a_job_that_starts_keeps_its_number() -> None:
    world = _world()
    first, *others = world.submit(1, 6, **AUTO)
    world.match(first)
    _ends(world, *others[:3])
    assert (_says(world, first), _says(world, others[-1])) == (512, 1152)
    assert _says(world, first, "MemoryRequestSource") == DEFAULT.strip('"')


def test_new_jobs_get_it_as_they_come() -> None:
    world = _world()
    _ends(world, *world.submit(1, 3, **AUTO))
    (job,) = world.submit(2, 1, **AUTO)
    assert _says(world, job) == 1152


def test_what_is_known_is_read_for_the_first_such_job() -> None:
    world = _world(known=False)
    world.submit(1, 1)
    assert not world.told(SizesWanted)
    (job,) = world.submit(2, 1, **AUTO)
    world.submit(3, 1, **AUTO)
    assert len(world.told(SizesWanted)) == 1
    sizes = Sizes(RULE)
    past = _world()
    _ends(past, *past.submit(1, 3, **AUTO))
    known = past.core.state.sizing.sizes
    assert known is not None
    sizes.restore(_as_lists(known.saved()))
    world.handle(SizesFound(sizes))
    assert _says(world, job) == 1152


def _as_lists(saved: object) -> list[object]:
    import json

    found: list[object] = json.loads(json.dumps(saved))
    return found


def test_jobs_that_fail_show_nothing() -> None:
    world = _world()
    jobs = world.submit(1, 8, **AUTO)
    _ends(world, *jobs[:3], exit_code=1)
    _ends(world, *jobs[3:6], exit_code=None, exit_signal=9)
    assert _says(world, jobs[-1]) == 512


def test_procs_with_programs_of_their_own() -> None:
    world = _world()
    records = world.cluster(1, 40, **AUTO)
    records += [Change(SET, f"1.{proc}", "Cmd", '"/bin/cat"') for proc in range(20)]
    world.written(records)
    _ends(world, *[JobId(1, proc) for proc in range(3)], mb=100)
    _ends(world, *[JobId(1, proc) for proc in range(20, 23)])
    assert (_says(world, JobId(1, 9)), _says(world, JobId(1, 39))) == (128, 1152)


def test_a_site_and_a_user_limit_it() -> None:
    world = _world(memory_max=1000, disk_max=2048)
    (job,) = world.submit(9, 1, **AUTO)
    (modest,) = world.submit(8, 1, **AUTO, MaxRequestMemory="700")
    (odd,) = world.submit(7, 1, **AUTO, MaxRequestMemory='"x" + time()')
    _ends(world, *world.submit(1, 3, **AUTO))
    assert [_says(world, one) for one in (job, modest, odd)] == [1000, 700, 1000]
    assert _says(world, job, "RequestDisk") == 2048


def test_editing_a_job() -> None:
    world = _world()
    fixed, late = world.submit(1, 2, **AUTO)
    (plain,) = world.submit(2, 1, Cmd='"/bin/sort"')
    (by_hand,) = world.submit(5, 1, Cmd='"/bin/sort"', RequestMemory="AUTO")
    _ends(world, *world.submit(3, 3, **AUTO))
    world.written([Change(SET, str(fixed), "RequestMemory", "300"), Change(SET, str(plain), "RequestMemory", "Auto")])
    assert (_says(world, fixed), _says(world, fixed, "MemoryRequestSource")) == (300, "edited")
    assert (_says(world, late), _says(world, plain), _says(world, by_hand)) == (1152, 1152, 1152)
    _ends(world, *world.submit(4, 3, **AUTO), mb=4000)
    assert (_says(world, fixed), _says(world, late), _says(world, plain)) == (300, 4992, 4992)


def test_another_rule_counts_at_once() -> None:
    world = _world()
    (job,) = world.submit(9, 1, **AUTO)
    _ends(world, *world.submit(1, 3, **AUTO))
    settings = ScheddSettings(uid_domain="example.net", auto_requests=AutoRequests(headroom=2.0))
    world.handle(Reconfigured(settings))
    assert _says(world, job) == 1920


def test_what_leaves_is_forgotten() -> None:
    world = _world()
    for cluster in range(1, 5):
        _ends(world, *world.submit(cluster, 2, **AUTO))
    from condor_py.core.jobs.events import ClusterEmpty

    for cluster in range(1, 5):
        world.handle(ClusterEmpty(cluster))
    sizing = world.core.state.sizing
    assert (sizing._places, sizing._clusters, sizing._count) == ({}, {}, 0)
