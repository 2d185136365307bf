"""What condor_complete offers for a word."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.cli import generate
from condor_py.cli import generate as shells
from condor_py.cli.complete import words
from condor_py.cli.complete import words as places
from condor_py.cli.complete import words as queue
from condor_py.cli.complete.words import candidates
from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore
from condor_py.store.job_queue import JobQueue

MAIN = Path(__file__).resolve().parents[3] / "condor_py" / "__main__.py"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def ids(kind: str, word: str = "") -> list[str]:
    return [line.partition("\t")[0] for line in candidates(kind, word)]


def test_a_kind_that_does_not_exist_is_said_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert words.run(["bogus", "x"]) == 1
    said = capfd.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("condor_complete: there is no kind 'bogus'; say one of jobs, ")


def test_shells_ask_for_kinds_that_exist() -> None:
    for spec in generate.specs():
        asked = {shells.kind_of_words(spec)}.union(*(shells.kinds_of_values(spec, one) for one in spec.options))
        named = {kind for kind in asked if kind and not kind.startswith("choice ")}
        assert named <= {*words.KINDS, "file", "dir", "dag"}, spec.name


def test_own_jobs_come_first_and_the_newest_of_them(spool: Spool) -> None:
    spool.add(1)
    spool.add(2, owner="zoe")
    spool.add(13, 3)
    assert candidates("jobs", "") == ["13\tsleep", "1\tsleep", "2\tsleep of zoe"]
    assert ids("jobs", "1") == ["13", "1"]
    assert ids("jobs", "13.") == ["13.0", "13.1", "13.2"]
    assert ids("clusters", "2") == ["2"]


def test_of_others_only_administrators_may_change_jobs(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1)
    spool.add(2, owner="zoe")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own or 0)
    assert ids("mine") == (["1", "2"] if own == 0 else ["1"])


def test_the_log_is_read_as_the_queue_reads_it(spool: Spool) -> None:
    random.seed(18)
    for cluster in range(1, 40):
        spool.add(cluster, random.randint(1, 4), owner=random.choice(["zoe", "ann"]))
    table = JobQueue(str(spool.path))
    for cluster, procs in table.groups()[::3]:
        with table.transaction() as transaction:
            for proc in procs[random.randint(0, 1) :]:
                transaction.destroy(f"{cluster}.{proc}")
            if len(table.procs(cluster)) == len(procs[random.randint(0, 1) :]):
                transaction.destroy(f"0{cluster}.-1")
    log = spool.path.read_bytes()
    table.refresh()
    found = queue.clusters(log)
    assert [cluster.number for cluster in found] == table.clusters()[::-1]
    for cluster in found:
        ad = table.cluster(cluster.number)
        assert ad is not None
        assert (cluster.owner, cluster.program) == (ad.eval_str("Owner"), "sleep")
        assert queue.procs(log, cluster.number) == table.procs(cluster.number)
    table.compact(0)
    assert [cluster.number for cluster in queue.clusters(spool.path.read_bytes())] == table.clusters()[::-1]


def test_remarks_move_no_cursor(spool: Spool) -> None:
    spool.add(1, Cmd='"/bin/\x1b[2Jx"')
    assert candidates("jobs", "") == ["1\t?[2Jx"]


def test_what_is_published(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_GROUP_NAMES", "physics, physics.higgs")
    spool.add(1, owner="ann")
    ads = AdStore(str(open_pool().paths.ads))
    ads.publish("STARTD", [ClassAd({"MyType": "Machine", "Name": f"slot{n}@lab"}) for n in (1, 2)])
    ads.publish("ACCOUNTING", [
        ClassAd({"Name": "<none>", "IsAccountingGroup": True}),
        ClassAd({"Name": "chemistry", "IsAccountingGroup": True}),
        ClassAd({"Name": "chemistry.zoe@example.net", "IsAccountingGroup": False}),
    ])  # fmt: skip
    assert ids("slots", "slot") == ["slot1@lab", "slot2@lab"]
    assert ids("groups") == ["chemistry", "physics", "physics.higgs"]
    assert ids("users") == ["ann", "zoe"]
    assert ids("submitters", "chem") == ["chemistry.zoe@example.net"]
    assert ids("submit", "accounting_group=physics.") == ["accounting_group=physics.higgs"]
    assert ids("mine+users", "z") == ["zoe"]
    assert ids("jobs+users", "1") == ["1"]


@pytest.mark.parametrize(("kind", "word", "found"), [
    ("attributes", "requestmem", ["RequestMemory"]),
    ("machine-attributes", "TotalSlotMem", ["TotalSlotMemory"]),
    ("constraint", "(JobPrio > 3) && !requestmem", ["(JobPrio > 3) && !RequestMemory"]),
    ("constraint", 'Owner == "requestmem', []),
    ("constraint", "JobPrio > 3 && ", []),
    ("constraint", "JobPrio > 3", []),
    ("knobs", "max_jobs_runn", ["MAX_JOBS_RUNNING"]),
    ("knobs", "NOT_A_KN", ["NOT_A_KNOB_OF_HTCONDOR"]),
    ("submit", "request_mem", ["request_memory="]),
    ("submit", "", []),
    ("submit", "executable=/bin/s", []),
])  # fmt: skip
def test_names(kind: str, word: str, found: list[str], spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_NOT_A_KNOB_OF_HTCONDOR", "1")
    assert ids(kind, word) == found


def test_a_configuration_is_remembered_until_it_changes(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = tmp_path / "more"
    local.mkdir()
    config = tmp_path / "condor_config"
    config.write_text(f"LOCAL_DIR = {tmp_path}/local\nLOCAL_CONFIG_DIR = {local}\nGROUP_NAMES = one\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    monkeypatch.delenv("_CONDOR_LOCAL_DIR")
    assert ids("groups") == ["one"]
    with monkeypatch.context() as nobody:
        nobody.setattr(places, "_read_anew", lambda *_: pytest.fail("it is read again"))
        assert ids("groups") == ["one"]
    (local / "10-more").write_text("GROUP_NAMES = $(GROUP_NAMES) two\n")
    assert ids("groups") == ["one", "two"]
    (local / "10-more").write_text("GROUP_NAMES = three and four\n")
    assert ids("groups") == ["and", "four", "three"]
    monkeypatch.setenv("_CONDOR_GROUP_NAMES", "five")
    assert ids("groups") == ["five"]


def test_a_damaged_memory_is_made_anew(spool: Spool, tmp_path: Path) -> None:
    spool.add(1)
    assert ids("jobs") == ["1"]
    memory = tmp_path / "cache" / "condor_py" / "complete"
    for text in ("", "condor_complete 2\n", "x" * 1000, "\n" * 50):
        memory.write_text(text)
        assert ids("jobs") == ["1"]
    memory.unlink()
    memory.parent.chmod(0o500)
    assert ids("jobs") == ["1"]
    memory.parent.chmod(0o700)


def test_a_shell_waits_for_few_imports(spool: Spool) -> None:
    spool.add(1)
    candidates("jobs", "")
    for kind in ("jobs", "users", "slots", "knobs", "constraint"):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-X", "importtime", str(MAIN), "condor_complete", kind, ""],
            env=os.environ, capture_output=True, text=True, check=True,
        )  # fmt: skip
        loaded = {
            line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")
        }
        ours = {name for name in loaded if name.startswith("condor_py.")}
        parts = {"", ".words", ".queue", ".places"}
        assert ours <= {"condor_py.cli", *(f"condor_py.cli.complete{part}" for part in parts)}
        assert not loaded & {"re", "typing", "enum", "json", "collections"}


def test_what_fails_is_silent(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "/no/such/file")
    assert run("condor_complete", "jobs", "1") == ("", "", 1)


def test_people_are_told_how_it_is_used(spool: Spool) -> None:
    done = run("condor_complete", "something")
    assert done.code == 1
    assert "say one of jobs, mine" in done.err
    assert "KIND" in run("condor_complete", "-help").out


@pytest.mark.parametrize(
    ("kind", "word", "found"),
    [
        ("htcondor", "jo", ["job", "jobset"]),
        ("htcondor/job", "sub", ["submit"]),
        ("htcondor/job/status", "--sk", ["--skip-history"]),
        ("htcondor/job/status", "1", ["1", "12"]),
        ("htcondor/job/submit", "x", []),
    ],
)
def test_nouns_verbs_and_their_words(spool: Spool, kind: str, word: str, found: list[str]) -> None:
    """An option where the word begins as one, else what the verb is about."""
    spool.add(12)
    spool.add(1)
    assert sorted(ids(kind, word)) == found


def test_more_than_anybody_chooses_from_is_not_offered(spool: Spool) -> None:
    """Of many jobs of a cluster and of many clusters the first 500 are offered, the newest clusters first."""
    clusters = b"".join(b'101 0%d.-1 Job Machine\n103 0%d.-1 Owner "zoe"\n' % (n, n) for n in range(1, 502))
    jobs = b"".join(b"101 7.%d Job Machine\n" % proc for proc in range(501))
    log = b"107 1 CreationTimestamp 5\n" + clusters + jobs + b"102 7.3\n"
    spool.path.write_bytes(log)
    found = ids("jobs")
    assert (len(found), found[0], found[-1]) == (500, "501", "2")
    assert queue.procs(log, 7) == [*range(3), *range(4, 501)]
    assert queue.procs(log + b"101 7.501 Job Machine\n101 7.502 Job Machine\n", 7)[-1] == 500
    assert ids("jobs", "x.") == []


def test_a_queue_that_only_the_schedd_may_read(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(5)
    places.places()
    log = spool.path.read_bytes()
    asked: list[str] = []

    def tell(schedd: str) -> bytes:
        asked.append(schedd)
        return log

    def refuse(path: str, *words: object) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(words, "_asked", tell)
    found = places.places()
    monkeypatch.setattr(words, "open", refuse, raising=False)
    assert [line.partition("\t")[0] for line in words._jobs(found, "jobs", "")] == ["5"]
    assert asked == [found.schedd]


def test_a_configuration_that_a_program_makes_is_not_remembered(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "condor_config"
    config.write_text(f"LOCAL_DIR = {tmp_path}/local\nLOCAL_CONFIG_FILE = /bin/echo GROUP_NAMES = one |\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    monkeypatch.delenv("_CONDOR_LOCAL_DIR")
    assert ids("groups") == ["one"]
    assert not (tmp_path / "cache").exists()


def test_the_memory_of_another_account_is_not_read(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_GROUP_NAMES", "one")
    assert ids("groups") == ["one"]
    memory = tmp_path / "cache" / "condor_py" / "complete"
    memory.write_text(memory.read_text().replace("\none\n", "\nplanted\n"))
    assert ids("groups") == ["planted"], "as it is our own"
    real = os.fstat
    monkeypatch.setattr(os, "fstat", lambda handle: os.stat_result([*real(handle)[:4], 12345, *real(handle)[5:]]))
    assert ids("groups") == ["one"]
