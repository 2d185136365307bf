"""Families of samples, and their text in the OpenMetrics format and in the older one of Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
#: What the format does not allow in a label: lone surrogates, which represent bytes that are not UTF-8.
_REPLACED = dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")


@dataclass(slots=True)
class Family:
    """Samples of one name. ``kind`` is ``gauge`` or ``counter`` (whose samples get the suffix ``_total``)."""

    name: str
    kind: str
    help: str
    unit: str = ""
    samples: list[tuple[tuple[tuple[str, str], ...], float]] = field(default_factory=list)

    def add(self, value: float | None, labels: Mapping[str, str] | None = None) -> None:
        """Add a sample; None adds nothing."""
        if value is not None:
            self.samples.append((tuple((labels or {}).items()), value))


def text(families: Iterable[Family], *, openmetrics: bool = True) -> str:
    """The families that have samples."""
    lines: list[str] = []
    for family in families:
        if not family.samples:
            continue
        full = f"{family.name}_total" if family.kind == "counter" else family.name
        head = family.name if openmetrics else full
        lines.append(f"# TYPE {head} {family.kind}")
        if family.unit and openmetrics:
            lines.append(f"# UNIT {head} {family.unit}")
        lines.append(f"# HELP {head} {_escaped(family.help)}")
        lines += [f"{full}{_labels(labels)} {_number(value)}" for labels, value in family.samples]
    if openmetrics:
        lines.append("# EOF")
    return "".join(f"{line}\n" for line in lines)


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}" if labels else ""


def _escaped(value: str) -> str:
    return value.translate(_ESCAPES).translate(_REPLACED)


def _number(value: float) -> str:
    if isinstance(value, int) or (value == int(value) if abs(value) < 1e15 else False):
        return str(int(value))
    return {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}.get(repr(value), repr(value))
