"""Messages and their heads: what is sent comes back, and what is wrong is refused by name, whatever it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from declared_messages import declared, vocabularies
from said_heads import JSON, annotations_of, heads

from condor_py.client.wire import Decoder, encode
from condor_py.model.ids import JobId
from condor_py.model.messages import claims, codec, kinds
from condor_py.model.messages.claims import FROM_STARTD
from condor_py.model.messages.codec import BadMessage, Message, Refused, Request, head_of, read
from condor_py.model.messages.common import ConfigGet, Reconfigured, Shutdown
from condor_py.model.messages.machine import CancelDrain, Drain, Draining, DrainWish
from condor_py.model.messages.master import BY_MASTER, Command, MasterStatus, Off
from condor_py.model.messages.queue import BY_SCHEDD
from condor_py.model.messages.runs import BY_STARTER, FROM_STARTER, ExitReport, RunEnded, RunNotice, RunUpdate, StartJob
from condor_py.model.texts import one_line


def refusal(reading: Callable[[], object]) -> str:
    """What is said of what cannot be read; "" when it can."""
    try:
        reading()
    except BadMessage as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", declared(), ids=lambda kind: kind.__name__)
def test_what_is_sent_comes_back(kind: type[Message]) -> None:
    @settings(max_examples=12, deadline=None, derandomize=True)
    @given(fields=heads(kind), more=st.sampled_from([{}, {"of_a_newer_peer": [1]}]))
    def check(fields: dict[str, Any], more: dict[str, Any]) -> None:
        head = {**({"op": kind.op} if kind.op else {"ok": True}), **fields, **more}
        message = read(kind, json.loads(json.dumps(head)))
        assert json.loads(json.dumps(head_of(message))) == json.loads(json.dumps(head))
        assert message == read(kind, json.loads(json.dumps(head_of(message))))
        assert dict(message.unknown) == more

    check()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(JSON, max_size=6))
def test_whatever_comes_only_a_bad_message_is_raised(values: list[Any]) -> None:
    """Each field of each message gets each of the values; where these are fewer than the fields, some are missing."""
    for kind in declared():
        names = [*annotations_of(kind), "of_a_newer_peer"]
        for first in range(len(names)):
            fields = dict(zip([*names[first:], *names[:first]], values, strict=False))
            told = refusal(lambda kind=kind, fields=fields: read(kind, {"op": kind.op, **fields}))
            assert "\n" not in told, (kind, fields)
            assert len(told) < 200, (kind, fields)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from(["op", "error", "ok", "x"]), JSON))
def test_no_vocabulary_fails_over_a_head(head: dict[str, Any]) -> None:
    for words in vocabularies():
        assert "\n" not in refusal(lambda words=words: words.read(head))


@pytest.mark.parametrize("kind", declared(), ids=lambda kind: kind.__name__)
def test_what_is_missing_is_named(kind: type[Message]) -> None:
    for name, (owner, _) in annotations_of(kind).items():
        if name not in vars(owner):
            with pytest.raises(BadMessage, match=r"\w+ is missing"):
                read(kind, {"op": kind.op})
            return
    read(kind, {"op": kind.op})


@pytest.mark.parametrize(
    ("kind", "head", "told"),
    [
        (Shutdown, {"how": "softly"}, "shutdown: how must be one of graceful, fast, peaceful"),
        (Shutdown, {"how": ["fast"]}, "shutdown: how must be one of graceful, fast, peaceful"),
        (ConfigGet, {}, "config-get: names is missing"),
        (ConfigGet, {"names": 5}, "config-get: names must be a list, not a whole number"),
        (ConfigGet, {"names": ["A", None]}, "config-get: names must be a list of texts"),
        (CancelDrain, {"request_id": 5}, "cancel-drain: request_id must be a text, not a whole number"),
        (Off, {"drain": {"how": 1}}, "off: drain has a wrong part: how must be one of graceful, quick, fast"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(kind: type[Message], head: dict[str, Any], told: str) -> None:
    with pytest.raises(BadMessage) as raised:
        read(kind, {"op": kind.op, **head})
    assert str(raised.value) == told


def test_an_unknown_word_is_refused_by_name() -> None:
    for head, told in (
        ({"op": "fly"}, "unknown request 'fly'"),
        ({"op": "x" * 1000}, f"unknown request {'x' * 40!r}"),
        ({"op": ["on"]}, "a message without a word (op)"),
        ({}, "a message without a word (op)"),
    ):
        with pytest.raises(BadMessage) as raised:
            BY_MASTER.read(head)
        assert str(raised.value) == told


def test_refusals_are_heard_by_those_who_are_told_of_what_they_sent() -> None:
    assert FROM_STARTD.read({"error": "no"}) == Refused("no")
    with pytest.raises(BadMessage):
        BY_SCHEDD.read({"error": "no"})


def test_a_field_that_is_not_set_is_not_sent() -> None:
    assert head_of(CancelDrain()) == {"op": "cancel-drain"}
    assert CancelDrain().request_id is None
    assert head_of(Off(drain=DrainWish("fast", "new disk"))) == {
        "op": "off",
        "drain": {"how": "fast", "reason": "new disk"},
    }


def test_a_refusal_is_known_from_an_answer() -> None:
    assert codec.read_answer(Draining, {"ok": True, "request_id": "1"}) == Draining("1")
    assert codec.read_answer(Draining, {"ok": False, "error": "no", "error_code": 7}) == Refused("no", 7)
    assert codec.read_answer(Draining, {"error": "no"}) == Refused("no")  # as daemons said it once
    assert codec.read_answer(Draining, {"ok": True, "request_id": "1", "error": "", "error_code": 0}) == Draining("1")
    assert head_of(Refused("no")) == {"ok": False, "error": "no"}


def test_what_is_passed_on_keeps_what_we_do_not_know() -> None:
    wish = read(DrainWish, {"op": "", "how": "fast", "newer": 5})
    drain = codec.onward(Drain, wish, on_completion="exit")
    assert head_of(drain) == {"op": "drain", "newer": 5, "how": "fast", "on_completion": "exit"}
    assert drain.but(how="quick").how == "quick"


def test_the_answer_of_a_request_is_in_its_type() -> None:
    assert codec.answer_of(Drain()) is Draining
    assert codec.answer_of(Off()).__name__ == "Done"
    for kind in declared():
        if issubclass(kind, Request):
            assert issubclass(codec.answer_of(kind.__new__(kind)), Message)


def test_a_kind_of_field_that_nobody_knows_is_an_error_of_the_program() -> None:
    with pytest.raises(TypeError, match="no kind of field"):
        kinds.kind_of("complex", lambda name: None)


def test_numbers_are_bounded() -> None:
    with pytest.raises(BadMessage, match="pid is too large a number"):
        read(MasterStatus, {"pid": 1 << 64, "daemons": {}, "off": []})


def test_the_class_of_a_message_shows_its_fields() -> None:
    assert repr(Off("fast", "STARTD")) == "Off(how='fast', daemon='STARTD')"
    assert Reconfigured("x") != Reconfigured("y")
    match Off("fast", "STARTD"):
        case Command(how, daemon):
            assert (how, daemon) == ("fast", "STARTD")


def test_a_job_and_its_report_go_there_and_back() -> None:
    """With texts of all kinds, numbers of any size, and a body that is not parsed."""
    text = 'quote " and \\ and \n and \x7f, \u00fc, \U0001f600 and \udc80'
    order = StartJob("claim", "1.0", 7, common=(text,))
    decoder = Decoder()
    decoder.add(encode(order, b"\0body") + encode(RunEnded(ExitReport("c", "1.0", 7, end_time=0.1, error=text))))
    first, last = decoder.next(), decoder.next()
    assert first is not None
    assert last is not None
    assert first[1] == b"\0body"
    assert BY_STARTER.read(first[0]) == order.but(common=[text])
    ended = FROM_STARTER.read(last[0])
    assert isinstance(ended, RunEnded)
    assert (ended.report.end_time, ended.report.error) == (0.1, one_line(text))


def test_a_message_that_is_passed_on_is_what_came() -> None:
    """Byte for byte, with what we do not know; a changed copy is written anew."""
    head = b'{"op" : "started", "claim":"c","job":"1.0","run":7,"pid":5,"when":1.50,"scratch":"/s","newer":[1, 2]}'
    came = len(head).to_bytes(4, "big") + bytes(4) + head
    decoder = Decoder(keeps_text=True)
    decoder.add(came)
    told = decoder.next()
    assert told is not None
    message = FROM_STARTER.read(told[0])
    message.head_text = decoder.head_text
    assert encode(message) == came
    decoder.add(encode(message.but(run=8)))
    assert decoder.next() == ({**told[0], "run": 8}, b"")


def test_what_is_no_json_is_not_sent() -> None:
    with pytest.raises(TypeError, match="no JSON"):
        encode(RunUpdate("c", JobId(1, 0), 1, {"A": object()}))  # type: ignore[dict-item]
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        encode(RunNotice("c", JobId(1, 0), 1, endless, critical=False))  # type: ignore[arg-type]


def test_heads_between_schedd_and_startd_are_those_of_older_versions() -> None:
    """One of the two may be older, while an upgrade is under way: what it needs is there, under the same words."""
    job = JobId(7, 0)
    for message, head in (
        (
            claims.RequestClaim("1", "slot1@vm", JobId(7, -100), "a@b", (), False, claims.NO_GROUPS),
            {"op": "claim", "id": "1", "slot": "slot1@vm", "job": "7.-100", "submitter": "a@b", "victims": (),
             "by_rank": False, "groups": ("<none>", False, "")},
        ),
        (claims.Activate("c", job, 1, ()), {"op": "activate", "claim": "c", "job": "7.0", "run": 1, "common": ()}),
        (claims.WithdrawClaim("1"), {"op": "withdraw", "id": "1"}),
        (claims.ReleaseClaim("c"), {"op": "release", "claim": "c"}),
        (
            claims.ClaimLost("c", 1, "x", idle=True),
            {"op": "lost", "claim": "c", "code": 1, "reason": "x", "idle": True},
        ),
        (claims.ClaimRefused("1", "x", fault=False), {"op": "refused", "id": "1", "reason": "x", "fault": False}),
        (claims.ClaimReleased("c"), {"op": "released", "claim": "c"}),
        (
            RunUpdate("c", job, 1, {"A": "1"}),
            {"op": "update", "claim": "c", "job": "7.0", "run": 1, "attributes": {"A": "1"}},
        ),
    ):  # fmt: skip
        assert codec.head_of(message) == head
