"""Queue statements: count, items, slices, variables (condor_submit manual, "queue")."""

from __future__ import annotations

import pytest

from condor_py.lang.submit.build import clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.items import split_item
from condor_py.lang.submit.queue_args import Slice, parse_queue, queue_arguments
from condor_py.lang.submit.text import evaluate


def _args(alice, queue: str) -> list[str]:
    text = f"executable = /bin/true\narguments = $(Item)|$(x)|$(y)|$(Process) $(Step) $(Row)\n{queue}\n"
    return [job["Args"].strip('"') for job in alice.jobs(text)]


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("queue", ["|||0 0 0"]),
        ("queue 0", ["|||0 0 0"]),
        ("queue 2", ["|||0 0 0", "|||1 1 0"]),
        ("queue 1 + 1", ["|||0 0 0", "|||1 1 0"]),
        ("queue in (a b)", ["a|||0 0 0", "b|||1 0 1"]),
        ("queue 2 x in (a,b)", ["|a||0 0 0", "|a||1 1 0", "|b||2 0 1", "|b||3 1 1"]),
        ("queue x, y from (\n1 , 2\n1, 2\n\n3\n)", ["|1|, 2|0 0 0", "|1|2|1 0 1", "|1|2|2 0 2", "|3||3 0 3"]),
        ("queue x in [1:] (a b c)", ["|b||0 0 1", "|c||1 0 2"]),
        ("queue x in [2] (a b c d)", ["|c||0 0 2", "|d||1 0 3"]),
        ("queue x in [::2] (a b c d e)", ["|a||0 0 0", "|c||1 0 2", "|e||2 0 4"]),
        ("queue x in [-1:] (a b c)", ["|c||0 0 2"]),
        ("queue x from (a b)", ["|a b||0 0 0"]),
        ("queue x in (\n# no item\na\nb )\n)", ["|a||0 0 0", "|b||1 0 1", "|)||2 0 2"]),
    ],
)
def test_jobs_of_a_queue_statement(alice, queue: str, expected: list[str]) -> None:
    assert _args(alice, queue) == expected


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("queue from table (\nx,y\n1,2\n3 4\n)", ["|1|2|0 0 0", "|3 4||1 0 1"]),
        ("queue 2 from table (\nx,y\n1,2\n)", ["|1|2|0 0 0", "|1|2|1 1 0"]),
        ("queue from table (x,y\n1,2\n)", ["|1|2|0 0 0"]),
        ("queue from [1:] table (\nx,y\n1,2\n3,4\n)", ["|3|4|0 0 1"]),
        ("queue x,y from table(header=none) (\n1,2\n)", ["|1|2|0 0 0"]),
        ("queue x,y from table(csv) (\n1 2,3\n)", ["|1 2|3|0 0 0"]),
        ("queue x,y from table(standard) (\n1 2\n)", ["|1|2|0 0 0"]),
        ("queue x,y from table (\nx,y\n\n1,2\n\n3,4\n)", ["|||0 0 0", "|1|2|1 0 1", "|1|2|2 0 2", "|3|4|3 0 3"]),
        ("queue from table (\n\n1,2\n)", ["1,2|||0 0 0"]),
        ("queue x,y from table (\n\n1,2\n)", ["|1|2|0 0 0"]),
        ("queue from table(sep=;, header=x, skip=y, trim=z) (\nx;y\n1;2\n)", ["|1|2|0 0 0"]),
    ],
)
def test_tables_in_the_submit_file(alice, queue: str, expected: list[str]) -> None:
    assert _args(alice, queue) == expected


def test_items_from_a_file_and_a_command(alice) -> None:
    alice.write("list.txt", "one\n two \n")
    alice.commands["seq 2"] = "1\n2\n"
    assert _args(alice, "queue x from list.txt") == ["|one||0 0 0", "|two||1 0 1"]
    assert _args(alice, "queue x from seq 2 |") == ["|1||0 0 0", "|2||1 0 1"]
    assert _args(alice, "queue x from seq 2|") == ["|1||0 0 0", "|2||1 0 1"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("yes", ["a1.dat", "a3.dir/"]), ("True", ["a1.dat", "a3.dir/"]), ("no", ["a1.dat"]), ("never", ["a1.dat"]),
        ("False", ["a1.dat"]), ("only", ["a3.dir/"]), ("odd", None),
    ],
)  # fmt: skip
def test_what_matching_takes_without_a_word(alice, words: str, found: list[str] | None) -> None:
    """SubmitMatchDirectories counts where the queue line names neither files nor directories."""
    alice.write("a1.dat", "")
    (alice.directory / "a3.dir").mkdir()
    text = f"executable = /bin/true\narguments = $(x)\nSubmitMatchDirectories = {words}\nqueue x matching {{}} a*\n"
    if found is None:
        with pytest.raises(SubmitError, match="odd is not a valid value for SubmitMatchDirectories"):
            alice.jobs(text.format(""))
        return
    assert [job["Args"].strip('"') for job in alice.jobs(text.format(""))] == found
    assert [job["Args"].strip('"') for job in alice.jobs(text.format("files"))] == ["a1.dat"]
    assert [job["Args"].strip('"') for job in alice.jobs(text.format("dirs"))] == ["a3.dir/"]


def test_matching_files_and_directories(alice) -> None:
    for name in ("a1.dat", "a2.dat"):
        alice.write(name, "")
    (alice.directory / "a3.dir").mkdir()
    assert [line.split("|")[1] for line in _args(alice, "queue x matching a*")] == ["a1.dat", "a2.dat", "a3.dir/"]
    assert [line.split("|")[1] for line in _args(alice, "queue x matching files a*")] == ["a1.dat", "a2.dat"]
    assert [line.split("|")[1] for line in _args(alice, "queue x matching dirs a*")] == ["a3.dir/"]


def test_matching_reports_duplicates_and_fails_on_request(alice) -> None:
    alice.write("a", "")
    assert len(_args(alice, "queue x matching a a*")) == 1
    assert alice.shown == ["\nWARNING: 'a' matching pattern 'a*' is a duplicate of item 0, skipping"]
    with pytest.raises(SubmitError, match="no matches for pattern"):
        alice.parse("executable=/bin/true\nSubmitFailEmptyMatches = true\nqueue x matching nothing*\n")


def test_a_queue_without_items_makes_no_job(alice) -> None:
    file = alice.parse("executable = /bin/true\nqueue x in ()\n")
    assert (file.job_count, clusters_of(file)) == (0, [])


@pytest.mark.parametrize(
    ("queue", "message"),
    [
        ("queue abc", "Invalid Queue count expression"),
        ("queue -1", "Queue count out of range"),
        ("queue 2147483647", "Queue count out of range"),
        ("queue x in [a] (b)", "Invalid [::] statement"),
        ("queue x in files (b)", "Queue keyword conflict"),
        ("queue x from nosuchfile", "can't open file nosuchfile: No such file or directory"),
        ("queue x in (\na", "Reached end of file without finding closing brace ')' for Queue command on line 2"),
    ],
)
def test_bad_queue_statements(alice, queue: str, message: str) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.parse(f"executable = /bin/true\n{queue}\n", "bad.sub")
    assert message in caught.value.report
    assert caught.value.report.endswith(f"\nERROR: Failed to parse command file (line {queue.count(chr(10)) + 2}).\n")


def test_variables_may_hold_digits_after_a_letter() -> None:
    args = parse_queue("3 x2,y3 from (a b)", evaluate)
    assert (args.count, args.variables, args.items) == (3, ["x2", "y3"], ["a b"])


def test_what_is_a_queue_statement() -> None:
    assert queue_arguments("QUEUE  3") == "3"
    assert queue_arguments("iterate x in (a)") == "x in (a)"
    assert queue_arguments("queued = 1") is None


def test_slices_stay_inside_the_items() -> None:
    assert list(Slice(-5, 10, 2).rows(3)) == [0, 2]
    assert list(Slice().rows(2)) == [0, 1]


def test_an_item_with_the_unit_separator_is_cut_there_only() -> None:
    assert split_item("a b\x1fc, d", 2) == ["a b", "c, d"]
    assert split_item("   ", 2) == []


def test_a_command_may_be_a_queue_variable(alice) -> None:
    jobs = alice.jobs("executable = /bin/true\nqueue priority, arguments from (\n5 a b\n6 c\n)\n")
    assert [(job["JobPrio"], job["Args"]) for job in jobs] == [("5", '"a b"'), ("6", '"c"')]


_COUNTERS = "arguments = -$(node) $(STEP) $(row) $(itemindex) $(process) $(procid) $(cluster) $(clusterid)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node = bb\nqueue 2", ["-bb 0 0 0 0 0 7 7", "-bb 1 0 0 1 1 7 7"]),
        ("Node=n\nstep=s\nROW=r\nitemindex=i\nprocid=p\nclusterid=c\nqueue", ["-n s r i 0 p 7 c"]),
        ("step = s$(Process)\nqueue 2", ["- s0 0 0 0 0 7 7", "- s1 0 0 1 1 7 7"]),
        ("queue step in (x y)", ["- x 0 0 0 0 7 7", "- y 1 1 1 1 7 7"]),
        ("step = s\nqueue 2 step in (x)", ["- x 0 0 0 0 7 7", "- x 0 0 1 1 7 7"]),
        ("queue Row,Process,Node from (\nx y z\na b c\n)", ["-z 0 x 0 y 0 7 7", "-c 0 a 1 b 1 7 7"]),
        ("queue cluster,itemindex from (\nx y\na b\n)", ["- 0 0 y 0 0 x 7", "- 0 1 b 1 1 a 7"]),
        ("universe=parallel\nmachine_count=2\nqueue", ["-#pArAlLeLnOdE# 0 0 0 0 0 7 7"]),
        ("universe=parallel\nmachine_count=2\nnode=zz\nqueue", ["-zz 0 0 0 0 0 7 7"]),
        ("node=a\nqueue\nstep=$(node)x\nqueue node in (b)", ["-a 0 0 0 0 0 7 7", "-b bx 0 0 1 1 7 7"]),
    ],
)
def test_a_name_of_the_user_hides_the_counter_of_that_name(alice, text: str, expected: list[str]) -> None:
    jobs = alice.jobs(f"executable = /bin/true\n{_COUNTERS}{text}\n")
    assert [job["Args"].strip('"') for job in jobs] == expected


def test_the_variables_of_a_dag_keep_their_values(alice) -> None:
    text = "executable = /bin/true\narguments = $(node) $(step) $(row)\nqueue 2\n"
    jobs = alice.jobs(text, defines=[("NODE", "bb"), ("step", "1st")], appends=["row = $(Process)r"])
    assert [job["Args"] for job in jobs] == ['"bb 1st 0r"', '"bb 1st 1r"']


def test_a_failing_item_is_named_whatever_its_variable_is_called(alice) -> None:
    with pytest.raises(SubmitError) as failure:
        alice.jobs("executable = /bin/true\npriority = $(row)\nqueue row in (1 b)\n")
    assert "in item 2 of the queue statement on line 3: b" in failure.value.report


def test_items_may_hold_macros(alice) -> None:
    jobs = alice.jobs("executable=/bin/true\nb = B\narguments = $(x)\nqueue x in (\n$(b)1 p.$(Process) q\n)\n")
    assert [job["Args"] for job in jobs] == ['"B1"', '"p.1"', '"q"']
