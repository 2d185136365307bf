"""Messages told and read in C are the twin's: the same bytes, the same fields, and what is wrong is left to it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from declared_messages import declared
from said_heads import JSON, annotations_of, heads

from condor_py.client.wire import Decoder, encode
from condor_py.model.messages import codec
from condor_py.model.messages.codec import BadMessage, Message
from condor_py.model.messages.queue import Locate
from condor_py.model.messages.runs import BY_STARTER, FROM_STARTER, Ended, ExitReport, Notice, Start, Update
from condor_py.model.texts import one_line


def quick_half() -> Any:
    """What a daemon uses; the codec stays as it is."""
    before = codec._native
    codec.quicken()
    found, codec._native = codec._native, before
    return found


native = quick_half()
pytestmark = pytest.mark.skipif(native is None, reason="the extension is not built (or CONDOR_PY_NO_EXT=1)")
T = TypeVar("T")


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test leaves the codec as it was."""
    monkeypatch.setattr(codec, "_native", codec._native)


def both_ways(work: Callable[[], T]) -> tuple[T, T]:
    """What comes of it in C, and by the twin."""
    codec._native = native
    quick = work()
    codec._native = None
    return quick, work()


def reading(kind: type[Message], head: dict[str, Any]) -> Callable[[], object]:
    """The fields of a head and their types, or what is said of it."""

    def read() -> object:
        try:
            message = codec.read(kind, head)
        except BadMessage as error:
            return str(error)
        return message, list(message.__dict__), [*map(type, message.__dict__.values())], dict(message.unknown)

    return read


@pytest.mark.parametrize("kind", declared(), ids=lambda kind: kind.__name__)
def test_every_message_is_read_and_told_alike(kind: type[Message]) -> None:
    names = list(annotations_of(kind))

    @settings(max_examples=5, deadline=None, derandomize=True)
    @given(right=heads(kind), wrong=st.dictionaries(st.sampled_from([*names, "newer"]), JSON, max_size=4))
    def check(right: dict[str, Any], wrong: dict[str, Any]) -> None:
        word = {"op": kind.op} if kind.op else {"ok": True}
        for fields in (right, wrong, {**right, **wrong}):
            quick, slow = both_ways(reading(kind, {**word, **fields}))
            assert repr(quick) == repr(slow)
        message = codec.read(kind, {**word, **right, "newer": ["x"]})
        quick_frame, slow_frame = both_ways(lambda: encode(message, b"body"))
        assert quick_frame == slow_frame

    check()


def test_what_is_no_plain_json_is_told_by_the_twin() -> None:
    class Word(str):
        """A text of its own kind."""

    for value in (Word("x"), float("inf"), {1: "x"}, 10**5000 // 10**4000):
        message = Update("1.0", 1, {"A": value})  # type: ignore[dict-item]
        quick, slow = both_ways(lambda message=message: encode(message))
        assert quick == slow
    codec._native = native
    with pytest.raises(TypeError, match="no JSON"):
        encode(Update("1.0", 1, {"A": object()}))  # type: ignore[dict-item]
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        encode(Notice("1.0", 1, endless, critical=False))  # type: ignore[arg-type]


def test_a_job_and_its_report_go_there_and_back() -> None:
    """With texts of all kinds, numbers of any size, and a body that is not looked at."""
    codec._native = native
    text = 'quote " and \\ and \n and \x7f, \u00fc, \U0001f600 and \udc80'
    order = Start("claim", "1.0", 7, common=(text,))
    decoder = Decoder()
    decoder.add(encode(order, b"\0body") + encode(Ended(ExitReport("c", "1.0", 7, end_time=0.1, error=text))))
    first, last = decoder.next(), decoder.next()
    assert first is not None
    assert last is not None
    assert first[1] == b"\0body"
    assert BY_STARTER.read(first[0]) == order.but(common=[text])
    ended = FROM_STARTER.read(last[0])
    assert isinstance(ended, Ended)
    assert (ended.report.end_time, ended.report.error) == (0.1, one_line(text))


def test_nothing_is_kept_of_what_was_told_and_read() -> None:
    """A daemon does this for every job."""
    codec._native = native
    marker = "a text that nobody else has " * 2
    head = {"op": "update", "job": "1.0", "run": 1, "attributes": {"A": marker}}
    attributes = head["attributes"]
    before = sys.getrefcount(marker), sys.getrefcount(attributes)
    for _ in range(50):
        encode(codec.read(Update, head))
        assert isinstance(reading(Update, {**head, "run": "x"})(), str), "it is refused"
        assert isinstance(reading(Update, {"op": "update", "attributes": attributes})(), str)
    assert (sys.getrefcount(marker), sys.getrefcount(attributes)) == before


def test_arguments_of_other_kinds_are_refused() -> None:
    for call in (
        lambda: native.frame("x"),
        lambda: native.frame("x", {}, {}, [], b""),
        lambda: native.fields([], {}),
        lambda: native.parts({}, []),
        lambda: native.know(int),
    ):
        with pytest.raises(TypeError):
            call()
    assert json.loads(native.frame("locate", {}, {}, (), b"")[8:]) == {"op": Locate.op}
