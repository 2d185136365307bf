"""condor_wait: which events end it, what it prints and returns; condor_check_userlogs: what its lines say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tool_runner import run

from condor_py.cli import wait
from condor_py.cli.wait import Wish, _job_number, _wish
from condor_py.client.watch import FileWatch

TEXTS = {
    0: "Job submitted from host: <127.0.0.1:9618>\n    some notes", 1: "Job executing on host: <10.0.0.1:7>",
    2: "(1) Job file not executable.", 4: "Job was evicted.",
    5: "Job terminated.\n\t(1) Normal termination (return value 0)",
    9: "Job was aborted.\n\tvia condor_rm", 12: "Job was held.\n\tdisk full\n\tCode 34 Subcode 2",
    13: "Job was released.\n\tnow", 35: "Cluster submitted from host: <x>", 36: "Cluster removed",
    6: "Image size of job updated: 5",
}  # fmt: skip


def event(number: int, proc: int = 0, cluster: int = 7, second: int = 0, text: str | None = None) -> str:
    head = f"{number:03d} ({cluster:03d}.{proc:03d}.000) 2026-11-20 22:00:{second:02d} "
    return f"{head}{text or TEXTS[number]}\n...\n"


class Log:
    """A log in which more happens each time that the tool waits for it, until nothing is left to happen."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.later: list[str] = []
        self.now = 1000.0
        self.waited: list[float | None] = []
        monkeypatch.setattr(FileWatch, "wait", lambda watch, timeout: self._wait(timeout))
        monkeypatch.setattr("condor_py.cli.wait.time.time", lambda: self.now)

    def _wait(self, timeout: float | None) -> None:
        self.waited.append(timeout)
        self.now += 10.0
        assert self.later, "it waits for ever"
        with self.path.open("a") as file:
            file.write(self.later.pop(0))

    def wait(self, words: str, begin: str, *later: str) -> tuple[str, str, int]:
        """What condor_wait prints to both streams, and returns."""
        self.path.write_text(begin)
        self.later = list(later)
        done = run("condor_wait", *(word.replace("LOG", str(self.path)) for word in words.split()))
        return done.out, done.err, done.code

    def last(self, words: str, begin: str, *later: str) -> tuple[str, int]:
        """The last line, and what it returns; nothing is left that would have happened later."""
        self.path.write_text(begin)
        self.later = list(later)
        done = run("condor_wait", *(word.replace("LOG", str(self.path)) for word in words.split()))
        assert not self.later
        return (done.out + done.err).splitlines()[-1], done.code


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Log:
    return Log(tmp_path / "run.log", monkeypatch)


@pytest.mark.parametrize(
    ("words", "begin", "later", "said", "code"),
    [
        ("LOG", event(0) + event(5), [], "All jobs done.", 0),
        ("LOG", event(0) + event(9), [], "All jobs done.", 0),
        ("LOG", event(0) + event(1), [event(5)], "All jobs done.", 0),
        ("LOG", event(0) + event(0, 1) + event(5), [event(5, 1)], "All jobs done.", 0),
        ("LOG", "", [], "All jobs done.", 0),
        ("LOG", event(35, -1), [event(0) + event(5), event(36, -1)], "All jobs done.", 0),
        ("LOG 7.1", event(0) + event(0, 1) + event(5, 1), [], "All jobs done.", 0),
        ("LOG 7.1", event(0, 1), [event(5), event(5, 1)], "All jobs done.", 0),
        ("LOG 7", event(0) + event(5) + event(0, 0, 8), [], "All jobs done.", 0),
        ("LOG 8", event(0) + event(5), [], "This log does not mention that job!", 1),
        ("LOG 7.0.1", event(0) + event(5), [], "This log does not mention that job!", 1),
        ("-num 1 LOG", event(0) + event(0, 1) + event(5), [], "Specifed number of jobs (1) done.", 0),
        ("-num 2 LOG", event(0) + event(0, 1) + event(5), [event(9, 1)], "Specifed number of jobs (2) done.", 0),
        ("-event-id 6 LOG", event(0) + event(6), [], "Got 1 events of id 6", 0),
        ("-event-id:2 6 LOG", event(0) + event(6), [event(6)], "Got 2 events of id 6", 0),
        ("-event-id 6 LOG", event(0) + event(5), [event(6)], "Got 1 events of id 6", 0),
        ("-wait 15 LOG", event(0), ["", ""], "Time expired.", 1),
        ("-wait 10 LOG", event(0), [""], "Time expired.", 1),
        ("-wait 11 LOG", event(0), ["", ""], "Time expired.", 1),
        ("-wait 10 -num 1 LOG", "", [""], "This log does not mention any jobs!", 1),
        ("-wait 10 -num 1 LOG 8", event(0), [""], "This log does not mention that job!", 1),
        ("-wait 10 -event-id:2 6 LOG", event(6), [""], "Saw only 1 events of id 6!", 1),
        ("-wait 10 -allevents LOG", event(0) + event(5), [""], "Time expired.", 1),
        ("-allevents -status LOG", event(0) + event(5), [], "7.0.0 completed", 0),
        ("-wait 0 -status LOG", event(0), [], "7.0.0 submitted", 0),
        ("-wait -5 LOG", event(0), [], "Time expired.", 1),
    ],
)  # fmt: skip
def test_what_ends_the_wait(log: Log, words: str, begin: str, later: list[str], said: str, code: int) -> None:
    assert log.last(words, begin, *later) == (said, code)


def test_it_waits_as_long_as_it_may(log: Log) -> None:
    log.last("-wait 15 LOG", event(0), "", "")
    assert log.waited == [15.0, 5.0]
    log.waited.clear()
    log.last("LOG", event(0), event(5))
    assert log.waited == [None]


def test_each_event_has_its_line(log: Log) -> None:
    out, err, code = log.wait(
        "-status -event-id:9 6 LOG", event(0) + event(1) + event(6) + event(4) + event(1, text="Job executing."),
        event(9), event(0, 1) + event(5, 1), "".join(event(6) for _ in range(8)),
    )  # fmt: skip
    assert (err, code) == ("", 0)
    assert out.splitlines() == [
        "7.0.0 submitted", "7.0.0 executing on host <10.0.0.1:7>", "7.0.0 event 6 found", "7.0.0 executing on host ",
        "7.0.0 aborted", "7.1.0 submitted", "7.1.0 completed", *["7.0.0 event 6 found"] * 8, "Got 9 events of id 6",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "begin", "later", "told", "code"),
    [
        # Of jobs that were held before only a wish to fail tells; later ones are told of once for each hold.
        ("LOG", event(0) + event(12), [event(13) + event(5)], [], 0),
        ("LOG", event(0), [event(12), event(5)], ["7.0"], 0),
        ("LOG", event(0), [event(12), event(13), event(12), event(5)], ["7.0", "7.0"], 0),
        ("LOG", event(0) + event(0, 1), [event(12, 1) + event(12), event(5) + event(5, 1)], ["7.0", "7.1"], 0),
        ("-on-hold wait LOG", event(0), [event(12), event(5)], ["7.0"], 0),
        ("-on-hold fail LOG", event(0) + event(12), [], ["7.0"], 2),
        ("-wait 0 -on-hold fail LOG", event(0) + event(12), [], ["7.0"], 2),
        ("-wait 0 -on-hold fail LOG", event(0) + event(12) + event(13), [], [], 0),
        ("-wait 0 LOG", event(0) + event(12), [], [], 0),
        ("-on-hold fail LOG", event(0), [event(12)], ["7.0"], 2),
        ("-on-hold fail LOG", event(0), [event(12) + event(13), event(5)], [], 0),
        ("-on-hold fail LOG", event(0), [event(12) + event(5)], [], 0),
        ("-on-hold fail LOG 7.1", event(0) + event(12) + event(0, 1) + event(5, 1), [], [], 0),
    ],
)  # fmt: skip
def test_jobs_that_are_held(log: Log, words: str, begin: str, later: list[str], told: list[str], code: int) -> None:
    log.path.write_text(begin)
    log.later = list(later)
    done = run("condor_wait", *(word.replace("LOG", str(log.path)) for word in words.split()))
    assert done.code == code
    assert done.err.splitlines() == [
        f"condor_wait: job {job} is held: disk full; condor_release {job} lets it continue" for job in told
    ]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("7", (7, None, None)), ("7.0", (7, 0, None)), ("7.0.0", (7, 0, 0)), ("7.1.2", (7, 1, 2)),
        (" 7.1", (7, 1, None)),
        ("7.-1", (7, None, None)), ("-1", (None, None, None)), ("7.x", (7, None, None)),
    ],
)  # fmt: skip
def test_job_numbers(text: str, numbers: tuple[int | None, ...]) -> None:
    assert _job_number(text) == numbers


def wish(words: str) -> Wish:
    from condor_py.cli.options import parse

    return _wish(parse(wait._SPEC, words.split()))


def test_what_a_command_line_wishes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.cli.wait.time.time", lambda: 1000.0)
    assert wish("f") == Wish("f", (None, None, None), None, None, 1, False, None, False, False, None, "wait", False)
    assert wish("-log f 7").job == (7, None, None)
    assert wish("f -wait 5").stop == 1005.0
    assert [wish(f"f {words}").look_once for words in ("-wait 0", "-wait 5", "-allevents", "-allevents -wait 5")] == [
        True, False, True, False,
    ]  # fmt: skip
    assert (wish("f -event-id:3 9").event_id, wish("f -event-id:3 9").event_count) == (9, 3)
    assert (wish("f -echo").echo, wish("f -echo:JSON").echo) == ("", "JSON")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("f 1 2", "Extra argument: 2"), ("-log f 1 2", "Extra argument: 2"),
        ("f -num 0", "-num must be greater than zero"),
        ("f -num 1 -allevents", "-allevents cannot be used with -num"),
        ("f -allevents -num 1", "-num cannot be used with -allevents"),
        ("f -on-hold x", "-on-hold requires fail or wait"),
    ],
)  # fmt: skip
def test_wrong_wishes(words: str, told: str) -> None:
    done = run("condor_wait", *words.split())
    assert (done.err.splitlines()[0], done.code) == (told, 1)


def test_events_are_copied_as_asked(log: Log) -> None:
    told = event(28, second=6, text="Job ad information event triggered.\nB = 1\na = 2")
    begin = event(0, second=5) + told + event(5)
    out, _, _ = log.wait("-echo LOG", begin)
    head = "000 (007.000.000) 11/20 22:00:05 Job submitted from host: <127.0.0.1:9618>"
    assert out.startswith(f"{head}\n    some notes\n...\n")
    assert "028 (007.000.000) 11/20 22:00:06 Job ad information event triggered.\na = 2\nB = 1\n...\n" in out
    out, _, _ = log.wait("-echo:ISO_DATE LOG", begin)
    assert out.startswith("000 (007.000.000) 2026-11-20 22:00:05 Job submitted")
    out, _, _ = log.wait("-echo:JSON LOG", event(0) + event(5))
    first = json.loads(out[: out.index("}") + 1])
    assert (first["Cluster"], first["EventTypeNumber"]) == (7, 0)
    out, _, _ = log.wait("-echo:xml LOG", event(0) + event(5))
    assert '<a n="Cluster"><i>7</i></a>' in out


# ---- condor_check_userlogs ----------------------------------------------------------------------------------------


def check(path: Path, text: str) -> tuple[list[str], list[str], int]:
    path.write_text(text)
    done = run("condor_check_userlogs", str(path))
    return done.out.splitlines(), done.err.splitlines(), done.code


def test_the_lines_of_a_log_that_is_in_order(tmp_path: Path) -> None:
    text = event(0) + event(0, 1) + event(1) + event(12) + event(13) + event(5) + event(9, 1) + event(35) + event(36)
    text += event(12, 1, 9, text="Job was held.\n\tx") + event(0, 1, 9) + event(2, 1, 9) + event(9, 1, 9)
    out, err, code = check(tmp_path / "log", text)
    assert out == [
        'Log event: ULOG_SUBMIT (7.0.0) ("some notes")', " Total submitted: 1; net submitted: 1", "",
        'Log event: ULOG_SUBMIT (7.1.0) ("some notes")', " Total submitted: 2; net submitted: 2", "",
        "Log event: ULOG_EXECUTE (7.0.0)", "Log event: ULOG_JOB_HELD (7.0.0) (code=34 subcode=2)",
        "Log event: ULOG_JOB_RELEASED (7.0.0)",
        "Log event: ULOG_JOB_TERMINATED (7.0.0)", " Total submitted: 2; net submitted: 1", "",
        "Log event: ULOG_JOB_ABORTED (7.1.0)", " Total submitted: 2; net submitted: 0", "",
        "Log event: ULOG_CLUSTER_SUBMIT (7.0.0)", "Log event: ULOG_CLUSTER_REMOVE (7.0.0)",
        "Log event: ULOG_JOB_HELD (9.1.0) (code=0 subcode=0)",
        'Log event: ULOG_SUBMIT (9.1.0) ("some notes")', " Total submitted: 3; net submitted: 1", "",
        "Log event: ULOG_EXECUTABLE_ERROR (9.1.0)", " Total submitted: 3; net submitted: 0", "",
        "Log event: ULOG_JOB_ABORTED (9.1.0)", " Total submitted: 3; net submitted: -1", "",
        "Log outcome: ULOG_NO_EVENT ", "Log(s) are okay",
    ]  # fmt: skip
    assert (err, code) == ([], 0)


def test_events_of_several_logs_are_in_the_order_of_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(event(0, second=1) + event(5, second=4))
    (tmp_path / "b").write_text(event(0, 1, second=2) + event(5, 1, second=3))
    done = run("condor_check_userlogs", str(tmp_path / "a"), str(tmp_path / "b"))
    assert [line.split()[3] for line in done.out.splitlines() if "event:" in line] == [
        "(7.0.0)", "(7.1.0)", "(7.1.0)", "(7.0.0)",
    ]  # fmt: skip


def test_very_many_errors_are_cut(tmp_path: Path) -> None:
    """The text ends with the first error that makes it longer than 1024 characters."""
    out, err, code = check(tmp_path / "log", "".join(event(0, proc) for proc in range(100)))
    one = "BAD EVENT: job (7.{}.0) ended, total end count != 1 (0)"
    shown: list[str] = []
    while len("; ".join(shown)) <= 1024:
        shown.append(one.format(len(shown)))
    assert err == ["; ".join(shown) + " ...", "CheckAllJobs() result: EVENT_ERROR"]
    assert (out[-1], code) == ("Log(s) have error(s)", 1)
    _, err, _ = check(tmp_path / "log", event(0, 2) + event(0, 1))
    assert err[0] == f"{one.format(1)}; {one.format(2)}"


@pytest.mark.parametrize(
    ("numbers", "job", "wrong"),
    [
        ((16,), (-1, 0), []), ((16, 16), (-1, 0), []), ((16,), (7, 0), ["post script ended, total end count < 1 (0)"]),
        ((0, 16), (-1, 0), ["post script ended, total end count < 1 (0)"]),
    ],
)  # fmt: skip
def test_scripts_of_nodes_that_were_never_submitted(
    tmp_path: Path, numbers: tuple[int, ...], job: tuple[int, int], wrong: list[str]
) -> None:
    text = "".join(
        f"{number:03d} ({job[0]:03d}.{job[1]:03d}.000) 2026-11-20 22:00:00 Something.\n...\n" for number in numbers
    )
    _, err, _ = check(tmp_path / "log", text)
    assert [line.partition(") ")[2] for line in err if line.startswith("BAD") and "post" in line] == wrong
