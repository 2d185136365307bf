"""Every event as it is written: its text and its attributes, plain and with everything it may tell; held in
every_event.txt beside this. ``python tests/unit/store/test_every_event.py`` (with PYTHONPATH=.) writes the file anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from condor_py.lang import events
from condor_py.lang.events import CpuUsage, JobEvent, Transfer
from condor_py.store.event_log import (
    Form,
    FormatOptions,
    event_items,
    event_text,
    format_event,
    parse,
    split_events,
    typed,
)

HELD = Path(__file__).with_name("every_event.txt")
UTC = FormatOptions(utc=True, sub_second=True)
KINDS = [kind for _, kind in sorted(events.KINDS.items())]
JOB = {"cluster": 7, "proc": 3, "subproc": 0, "time": 1_795_214_406.9996}


def full(name: str, kind: str, number: int) -> Any:
    """A value that tells which field it is of."""
    if kind.startswith("str"):
        return f"{name} of\n...\nit"
    if kind.startswith("bool"):
        return False
    if kind.startswith("int"):
        return 100 + number
    if kind.startswith("float"):
        return 1000.5 + number
    if kind == "CpuUsage":
        return CpuUsage(90_061.0 + number, 7.0)
    if kind == "Items":
        return (("Cpus", "2"), ("CpusUsage", "0.5"), ("RequestCpus", "1"), ("Odd", '"x"'))
    if kind == "Transfer":
        return Transfer.OUTPUT_STARTED
    raise AssertionError(f"a field of type {kind}: {name}")


def samples() -> Iterator[tuple[str, JobEvent]]:
    for kind in KINDS:
        own = [field for field in fields(kind) if field.name not in JOB]
        values = {field.name: full(field.name, str(field.type), at) for at, field in enumerate(own)}
        needed = {field.name for field in own if field.default is MISSING and field.default_factory is MISSING}
        yield f"{kind.__name__}, plain", kind(**JOB, **{name: values[name] for name in needed})
        yield f"{kind.__name__}, full", kind(**JOB, **values)
        for field in own:
            if str(field.type) in ("int | None", "bool"):
                other = None if "None" in str(field.type) else True
                yield f"{kind.__name__}, {field.name} {other}", kind(**JOB, **{**values, field.name: other})


def transcript() -> Iterator[str]:
    for name, event in samples():
        yield f"== {name}"
        yield from event_text(event, UTC).split("\n")[:-1]
        yield from format_event(event, Form.JSON, UTC).split("\n")[:-1]


def test_every_class_of_an_event_is_found_by_its_number() -> None:
    classes = {kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, JobEvent)}
    assert classes == {*KINDS, JobEvent, events.Future}
    assert len({kind.number for kind in KINDS}) == len(KINDS)


def test_every_event_is_written_as_it_is_held() -> None:
    assert list(transcript()) == HELD.read_text().split("\n")[:-1]


@pytest.mark.parametrize("options", [UTC, FormatOptions(utc=True), FormatOptions(iso_date=False, utc=True)])
def test_every_event_reads_back_as_its_kind(options: FormatOptions) -> None:
    for name, event in samples():
        text = event_text(event, options)
        (found,), end = split_events(text.encode(), "log")
        assert end == len(text), name
        assert type(typed(found)) is type(event), name
        assert (found.cluster, found.proc, found.number) == (7, 3, event.number), name


#: What a text does not tell again, or HTCondor's reader, which ours follows, does not understand: the line of a warning
#: is the warning, resources of evictions are not read, a size that was not told is 0, a new value has no name, and
#: whoever sends a message has met an error.
TOLD_OTHERWISE = {
    "Submit, full", "ImageSize, plain", "RemoteError, full", "AttributeUpdate, plain", "AttributeUpdate, full",
}  # fmt: skip


def test_what_was_read_is_written_as_it_was() -> None:
    changed = set()
    for name, event in samples():
        text = event_text(event, UTC)
        ((found,), _) = split_events(text.encode(), "log")
        if event_text(typed(found), UTC).splitlines() != [line for line in text.splitlines() if _is_read(event, line)]:
            changed.add(name)
    assert changed == TOLD_OTHERWISE


def _is_read(event: JobEvent, line: str) -> bool:
    return not isinstance(event, events.JobEvicted) or not line.startswith(("\tPartitionable", "\t   "))


@pytest.mark.parametrize("form", [Form.JSON, Form.XML])
def test_ads_of_events_read_back_as_they_are(form: Form) -> None:
    for name, event in samples():
        ((found,), _) = split_events(format_event(event, form, UTC).encode(), "log")
        told, read = dict(event_items(event, utc=True)), dict(parse(found))
        for items in (told, read):
            items.pop("StructuredNotes", None)  # made up here, and no expression
        if name == "ImageSize, plain":
            assert read.pop("ResidentSetSize") == "0", "as HTCondor's reader has it"
        assert read == told, name


if __name__ == "__main__":
    HELD.write_text("".join(f"{line}\n" for line in transcript()))
