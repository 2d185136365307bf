"""The twin of ``_logreader.c``, for where it could not be built and as its measure."""

from __future__ import annotations

from functools import cache

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.record import Binding, bind

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Collection

#: How the lines of a log begin; what an ad that was not read yet sets is without "103 KEY ".
HEAD = "1"


def load(data: bytes, jobs: bool) -> None:
    """Always None: Python reads a log record by record (see ``adlog.scan``)."""


def image(source: int | bytes, size: int, jobs: bool, index: bytes | None) -> None:
    """Always None, as ``load``."""


def arrivals(lines: bytes) -> None:
    """Always None, as ``load``."""


def job_lines(
    key: str, first: int, jobs: list[list[tuple[str, str]]], forms: tuple[tuple[bytes, bytes], ...],
    hidden: tuple[str, ...], special: tuple[str, ...],
) -> None:  # fmt: skip
    """Always None: jobs are made record by record (see ``records.submit_records``)."""


def fill(attrs: dict[str, Binding], lines: bytes) -> None:
    """Applies an ad's own 103 and 104 lines, or what is left of them, to its attributes. ValueError for other bytes."""
    for name, value in _assignments(lines):
        if value is None:
            attrs.pop(name.lower(), None)
            continue
        binding = bind(name, value)
        before = attrs.get(binding.key)
        if before is not None and before.name != name:
            binding = bind(before.name, value)
        attrs[binding.key] = binding


def own_texts(ads: list[ClassAd], keys: tuple[str, ...], gone: str) -> list[list[str | None]]:
    """For each of the lower-case names in ``keys``: what each ad itself, not its parent, says. The compiled twin tells
    ``gone`` of what the lines of an ad delete; here the ads are read, which answers that."""
    return [[_said(ad.attrs.get(key)) for ad in ads] for key in keys]


def kinds(ads: list[ClassAd], keys: tuple[str, ...]) -> list[list[int]]:
    """The places of ads that say the same themselves of all of ``keys``. For the compiled twin an ad that was read is
    never the same as one that was not; here all are read."""
    found: dict[tuple[str | None, ...], list[int]] = {}
    for place, texts in enumerate(zip(*own_texts(ads, keys, ""), strict=True)):
        found.setdefault(texts, []).append(place)
    return list(found.values())


def change(ads: list[ClassAd], changes: tuple[object, ...]) -> list[ClassAd]:
    """The ads that are to be changed when they have been read: here all."""
    return list(ads)


def records(
    ads: list[ClassAd], begin: int, shared: list[tuple[bytes, bytes]], words: tuple[bytes, bytes, bytes, bytes],
    environment: bool, place: tuple[int, int], limit: int, now: int,
) -> tuple[bytes, int, tuple[int, int]]:  # fmt: skip
    """None of these: each is printed as any other."""
    return b"", 0, place


@cache
def _event() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"(?:\A|^\.\.\.\r?\n)(\d{3}) \(0*(\d{1,18})\.(-?)0*(\d{1,18})\.-?\d+\)", re.MULTILINE)


def events(data: bytes, end: int, clusters: Collection[int]) -> dict[int, dict[int, tuple[int, ...]]]:
    """By cluster and proc: the numbers of the events of the jobs of these clusters, as a tuple that those share which
    have had the same, from the first ``end`` bytes of an event log of the text form."""
    found: dict[int, dict[int, list[int]]] = {}
    for match in _event().finditer(data, 0, end):
        cluster = int(match[2])
        if cluster in clusters:
            found.setdefault(cluster, {}).setdefault(int(match[3] + match[4]), []).append(int(match[1]))
    shared: dict[tuple[int, ...], tuple[int, ...]] = {}
    numbers_of = (
        (cluster, [(proc, tuple(numbers)) for proc, numbers in procs.items()]) for cluster, procs in found.items()
    )
    return {cluster: {proc: shared.setdefault(one, one) for proc, one in procs} for cluster, procs in numbers_of}


def _said(binding: Binding | None) -> str | None:
    if binding is None:
        return None
    return binding.raw if binding.raw is not None else binding.text


def _assignments(lines: bytes) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for line in lines.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        words = line.split(" ", 3) if line[:1] == HEAD else ["103", "", *line.split(" ", 1)]
        if len(words) < 3 + (words[0] == "103"):
            raise ValueError("not the lines of an ad")
        found.append((words[2], words[3] if words[0] == "103" else None))
    if not lines.endswith(b"\n") and lines:
        raise ValueError("not the lines of an ad")
    return found
