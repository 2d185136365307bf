"""The files of late materialization, letter by letter, and how many jobs are made in one go."""

from __future__ import annotations

import json
from typing import Any

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.submit.build import clusters_of, storage_order, wants_factory
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.factory import Factory, FactoryText, PackedTexts, cluster_items, make_text, materialize


def factory_text(alice: Any, description: str) -> FactoryText:
    """The files of a description."""
    (draft,) = clusters_of(alice.parse(description))
    return make_text(draft, 6, "/spool/6")


@pytest.mark.parametrize(
    ("queue", "statement", "items", "total"),
    [
        ("queue", "Queue 1", "", 1),
        ("queue 3", "Queue 3", "", 3),
        ("queue 0", "Queue 1", "", 1),
        ("queue x in (a b)", "Queue 1 x from {file}", "a\nb\n", 2),
        ("queue in (a b)", "Queue 1 Item from {file}", "a\nb\n", 2),
        ("queue 2 x,y from (\na b\nc, d\n)", "Queue 2 x,y from {file}", "a\x1fb\nc\x1fd\n", 4),
        ("queue x in [1:] (a b c)", "Queue 1 x from [1::] {file}", "a\nb\nc\n", 2),
        ("queue x in [:2] (a b c)", "Queue 1 x from [:2:] {file}", "a\nb\nc\n", 2),
        ("queue x in [::2] (a b c)", "Queue 1 x from [::2] {file}", "a\nb\nc\n", 2),
        ("queue x in [0:2:1] (a b c)", "Queue 1 x from [0:2:1] {file}", "a\nb\nc\n", 2),
        ("queue from table (\nx,y\n1,2\n)", "Queue 1 x,y from {file}", "1\x1f2\n", 1),
    ],
)
def test_the_digest_ends_with_its_queue_statement(
    alice: Any, queue: str, statement: str, items: str, total: int
) -> None:
    text = factory_text(alice, f"executable = /bin/true\nx @=e\n1\n2\n@e\nmax_idle = 2\n{queue}\n")
    head, *lines = text.digest.split("\n")
    assert head.startswith("# condor_py factory ")
    assert json.loads(head.removeprefix("# condor_py factory ")) == {
        "directory": str(alice.directory), "file": "job.sub", "environment": {},
    }  # fmt: skip
    assert lines[:2] == ["FACTORY.Requirements=MY.Requirements", f"FACTORY.Iwd={alice.directory}"]
    assert "x @=end_of_value\n1\n2\n@end_of_value\n" in text.digest
    assert len(lines) == 11
    assert {"executable=/bin/true", "max_idle=2"} < set(lines)
    assert lines[-3:] == ["", statement.replace("{file}", "/spool/6/condor_submit.6.items"), ""]
    assert (text.items, text.item_count, text.total) == (items, items.count("\n"), total)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("getenv = HOME", True), ("GetEnv = HOME", True), ("arguments = $ENV(HOME)", True),
        ("arguments = $env(HOME)", True), ("arguments = ENV", False), ("x = getenv", False),
    ],
)  # fmt: skip
def test_the_environment_is_in_the_digest_of_jobs_that_depend_on_it(alice: Any, line: str, kept: bool) -> None:
    head = factory_text(alice, f"executable = /bin/true\n{line}\nqueue 2\n").digest.split("\n")[0]
    assert json.loads(head.removeprefix("# condor_py factory "))["environment"] == (alice.env if kept else {})


@pytest.mark.parametrize(
    ("limit", "shown"),
    [("3", "3"), ("7", "5"), ("5", "5"), ("0", "5"), ("1", "1"), (None, "5"), ("x", "5"), ("-1", "5")],
)
def test_no_more_jobs_than_there_are_may_be_made_at_once(limit: str | None, shown: str) -> None:
    ad = [("Cmd", '"x"')] + ([] if limit is None else [("JobMaterializeLimit", limit)])
    assert cluster_items(FactoryText("", "", 5), 6, "/s", ad) == [
        ("JobMaterializeLimit", shown),
        ("JobMaterializeDigestFile", '"/s/condor_submit.6.digest"'),
        ("JobMaterializeNextProcId", "0"),
        ("JobMaterializeNextRow", "0"),
    ]
    with_items = dict(cluster_items(FactoryText("", "a\nb\n", 0), 6, "/s", ad))
    assert with_items["JobMaterializeItemsFile"] == '"/s/condor_submit.6.items"'
    assert with_items["JobMaterializeItemCount"] == "2"
    assert with_items["JobMaterializeLimit"] == "1" or limit in ("3", "7")


def factory(alice: Any, description: str) -> Factory:
    """A factory as the schedd has it."""
    (draft,) = clusters_of(alice.parse(description))
    built = draft.build_factory(6, "alice@example.net", "alice", alice.options)
    ad = ClassAd.from_text_items(built.ad_items)
    return Factory(factory_text(alice, description), 6, ad, alice.settings)


FIVE = "executable = /bin/true\narguments = $(Process) $(Step) $(Row)\nqueue 2 x in [1:] (a b c d)\n"


@pytest.mark.parametrize(
    ("first", "count", "made", "following"),
    [
        (0, 100, [0, 1, 2, 3, 4, 5], (6, -1)), (0, 3, [0, 1, 2], (3, 2)), (2, 2, [2, 3], (4, 3)),
        (5, 1, [5], (6, -1)), (5, 9, [5], (6, -1)), (0, 0, [], (0, 1)), (1, 1, [1], (2, 2)),
    ],
)  # fmt: skip
def test_jobs_are_made_from_where_it_stopped(
    alice: Any, first: int, count: int, made: list[int], following: tuple[int, int]
) -> None:
    found = materialize(factory(alice, FIVE), first, count)
    assert [proc for proc, _ in found.procs] == made
    assert (found.next_proc, found.next_row, found.failure) == (*following, "")
    assert [dict(items)["Args"] for proc, items in found.procs if proc] == [
        f'"{proc} {proc % 2} {1 + proc // 2}"' for proc in made if proc
    ]


def test_it_stops_when_there_is_enough_or_the_texts_are_long(alice: Any) -> None:
    enough = iter((False, False, True))
    assert materialize(factory(alice, FIVE), 0, 100, lambda: next(enough)).next_proc == 3
    assert materialize(factory(alice, FIVE), 1, 100, most_text=1).next_proc == 2
    size = sum(len(text) for _, text in factory(alice, FIVE).make(1))
    assert materialize(factory(alice, FIVE), 1, 100, most_text=size).next_proc == 3
    assert materialize(factory(alice, FIVE), 6, 1).failure == "there is no job 6: the digest makes 6"


def test_packed_texts_are_a_list_of_texts() -> None:
    for texts in ([], [""], ["a"], ["a", "", "bc", "d"], ["", "x"]):
        packed = PackedTexts(iter(texts))
        assert len(packed) == len(texts)
        assert list(packed) == texts
        assert packed[1:] == texts[1:]
        assert packed[::-1] == texts[::-1]
        assert packed[:] == texts
        if texts:
            assert (packed[0], packed[-1], packed[-len(texts)]) == (texts[0], texts[-1], texts[0])
    with pytest.raises(IndexError):
        PackedTexts(["a"])[1]


PRUNED = "FACTORY.Requirements=MY.Requirements\narguments=$(x)\nlog=$(x).log\n{}\nQueue 1 x from {}\n"


@pytest.mark.parametrize(
    "ad",
    [
        {"WantDocker": "true", "DockerImage": '"i"'}, {"WantContainer": "true", "ContainerImage": '"docker://i"'},
        {"JobUniverse": "12"}, {},
    ],
)  # fmt: skip
def test_a_digest_of_htcondor_without_its_common_commands(alice: Any, ad: dict[str, str]) -> None:
    """The cluster ad knows the universe, the program and the image."""
    parent = ClassAd.from_text_items(
        {"Cmd": '"/bin/x"', "JobUniverse": "5", "Iwd": '"/home"', "QDate": "5", "Owner": '"bob"', **ad}.items()
    )
    for line, place in (("FACTORY.Iwd = /tmp", "/tmp"), ("priority = $(Row)", "/home")):
        digest = PRUNED.format(line, "/s/condor_submit.6.items")
        made = dict(Factory(FactoryText(digest, "a\nc\n", 2), 6, parent, alice.settings).make(1))
        assert (made["Args"], made["UserLog"]) == ('"c"', f'"{place}/c.log"')
        assert made.get("JobPrio") == ("1" if place == "/home" else None)
        assert not {"Cmd", "JobUniverse", "Iwd", "Requirements", "DockerImage", "ContainerImage"} & made.keys()


@pytest.mark.parametrize(
    ("ad", "clause"),
    [
        ({"WantDocker": "true", "DockerImage": '"i"'}, "TARGET.HasDocker &&"),
        ({"WantContainer": "true", "ContainerImage": '"docker://i"'}, "TARGET.HasContainer && TARGET.HasDockerURL &&"),
        ({"WantDocker": "false", "WantContainer": "false"}, '(TARGET.OpSys == "LINUX") &&'),
    ],
)
def test_requirements_and_flags_of_jobs_of_such_a_digest(alice: Any, ad: dict[str, str], clause: str) -> None:
    parent = ClassAd.from_text_items({"Cmd": '"/bin/x"', "JobUniverse": "5", "Iwd": '"/home"', **ad}.items())
    commands = "requirements=X > $(x)\ntransfer_executable=$(x) == 2"
    digest = PRUNED.format(commands, "/s/condor_submit.6.items").replace("$(x) == 2", "$CHOICE(x,false,true,false)")
    made = dict(Factory(FactoryText(digest, "1\n2\n", 2), 6, parent, alice.settings).make(1))
    assert made["TransferExecutable"] == "false"
    assert made["Requirements"].startswith("(X > 2) && ")
    assert clause in made["Requirements"]


def test_a_digest_knows_when_it_was_submitted_and_where(alice: Any) -> None:
    items = {"Cmd": '"/bin/x"', "JobUniverse": "5", "Iwd": '"/home"', "QDate": "1234567", "JobSubmitFile": '"a.sub"'}
    for line, place in (("FACTORY.Iwd = /tmp", "/tmp"), ("", "/home")):
        digest = (
            f"{line}\narguments=$(submit_time) $(SUBMIT_FILE) $(x)\nlog=$(x)\nQueue 1 x from /s/condor_submit.6.items\n"
        )
        parent = ClassAd.from_text_items(items.items())
        made = dict(Factory(FactoryText(digest, "b\na\n", 2), 6, parent, alice.settings).make(1))
        assert (made["Args"], made["UserLog"]) == ('"1234567 a.sub a"', f'"{place}/a"')


def test_a_digest_reads_its_items_once_and_nothing_else(alice: Any) -> None:
    parent = ClassAd.from_text_items({"Cmd": '"/bin/x"', "JobUniverse": "5"}.items())
    for name, said in (("/s/condor_submit.7.items", "is not a file of this factory"), ("/etc/passwd", "is not a file")):
        with pytest.raises(SubmitError, match=said):
            Factory(FactoryText(PRUNED.format("", name), "a\n", 1), 6, parent, alice.settings)
    with pytest.raises(SubmitError, match="x is not run again by a factory"):
        Factory(FactoryText("executable=x\nQueue 1 x from x |\n", "a\n", 1), 6, parent, alice.settings)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("max_materialize = 3", True), ("JobMaterializeLimit = 3", True), ("max_idle = 3", True),
        ("JobMaterializeMaxIdle = 3", True), ("materialize_max_idle = 3", True), ("max_idle = 1 + 1", True),
        ("max_idle = -1", True), ("max_idle =", False), ("", False), ("max_idle = 2147483646", True),
    ],
)  # fmt: skip
def test_commands_that_ask_for_late_materialization(alice: Any, command: str, wanted: bool) -> None:
    (draft,) = clusters_of(alice.parse(f"executable = /bin/true\n{command}\nqueue 2\n"))
    assert wants_factory(draft) is wanted


@pytest.mark.parametrize("value", ["x", "2147483647", "-2147483649", '"3"'])
@pytest.mark.parametrize("command", ["max_materialize", "max_idle", "materialize_max_idle"])
def test_a_limit_that_is_no_number_is_refused(alice: Any, command: str, value: str) -> None:
    (draft,) = clusters_of(alice.parse(f"executable = /bin/true\n{command} = {value}\nqueue 2\n"))
    with pytest.raises(SubmitError) as caught:
        wants_factory(draft)
    assert caught.value.report == f"ERROR: {command}={value} is invalid, must eval to an integer.\n"


def test_a_cluster_as_the_queue_takes_it(alice: Any) -> None:
    alice.set(rounding=(("ImageSize", "4"), ("RequestMemory", "25%")))
    text = "executable = /bin/true\nimage_size = 5\nrequest_memory = $(x)\nhold = $(x) > 100\nqueue x in (101 1001 7)\n"
    (draft,) = clusters_of(alice.parse(text))
    built = draft.build(6, "alice@example.net", "alice", alice.options)
    ad = dict(built.ad_items)
    assert (ad["ClusterId"], ad["Owner"], ad["User"]) == ("6", '"alice"', '"alice@example.net"')
    assert (ad["ImageSize"], ad["ImageSize_RAW"]) == ("10000", "5")
    assert (ad["RequestMemory"], ad["RequestMemory_RAW"]) == ("125", "101")
    assert (ad["NumHolds"], ad["NumHoldsByReason"]) == ("1", "[ SubmittedOnHold = 1 ]")
    second = dict(built.procs[1])
    assert (second["RequestMemory"], second["RequestMemory_RAW"], second["JobStatus"]) == ("1250", "1001", "5")
    assert [dict(items)["JobStatus"] for items in built.procs] == ["5", "5", "1"]
    names = [name.lower() for name, _ in built.ad_items]
    assert names == sorted(names, key=lambda name: (len(name), name))
    assert storage_order({"bb": ("Bb", "1"), "a": ("A", "2"), "ab": ("aB", "3")}) == [
        ("A", "2"), ("aB", "3"), ("Bb", "1"),
    ]  # fmt: skip


def test_a_spooled_cluster_counts_its_hold(alice: Any) -> None:
    from condor_py.lang.submit.build import BuildOptions

    (draft,) = clusters_of(alice.parse("executable = /bin/true\nqueue\n"))
    built = draft.build(6, "alice@example.net", "alice", BuildOptions(user="alice", remote=True))
    assert dict(built.ad_items)["NumHoldsByReason"] == "[ SpoolingInput = 1 ]"
