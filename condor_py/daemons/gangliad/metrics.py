"""Metrics for Ganglia: their definitions, and their values in the ads of daemons. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Collection as Container
from dataclasses import dataclass, field, replace

from condor_py.lang.classad import ClassAd, ClassAdParseError, Value, parse
from condor_py.model.errors import ConfigError
from condor_py.model.settings.ganglia import Rules

_COLUMNS = ("Name", "Value", "TargetType", "Aggregate", "Units", "Scale", "Type", "Verbosity", "Group", "Derivative")
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
_TYPES = frozenset((*_INTEGERS, "float", "double", "string", "boolean"))
_GROUPS = {"scheduler": "HTCondor Schedd", "machine": "HTCondor Startd", "daemonmaster": "HTCondor Master"}


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure: ``machine`` is the host that it is shown for. ``kind`` is a type of Ganglia's."""

    name: str
    value: str
    kind: str
    machine: str
    ip: str = ""
    group: str = ""
    units: str = ""
    title: str = ""
    description: str = ""
    cluster: str = ""
    #: Ganglia shows the change a second.
    derivative: bool = False
    #: Seconds that it is kept; -1 for the usual.
    lifetime: int = -1


def usual() -> list[ClassAd]:
    """Return the definitions of the metrics that are sent without any of one's own."""
    found = []
    with open(os.path.join(os.path.dirname(__file__), "metrics.tsv"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                ad = ClassAd()
                for name, text in zip(_COLUMNS, line.rstrip("\n").split("\t"), strict=True):
                    if text:
                        ad.set_text(name, text)
                found.append(ad)
    return found


def check(definition: ClassAd, path: str) -> None:
    """Raise ConfigError for a definition that can never be used."""
    if not definition.eval_str("TargetType", ""):
        raise ConfigError(f"{path}: no target type specified for metric {definition.text('Name') or ''}")
    words: tuple[tuple[str, Container[str]], ...] = (("Aggregate", _HOW), ("Type", _TYPES))
    for name, allowed in words:
        word = definition.eval_str(name, "")
        if word and word.lower() not in allowed:
            raise ConfigError(f"{path}: Invalid {name} {word} of metric {definition.text('Name') or ''}")
    try:
        re.compile(definition.eval_str("Regex", ""))
    except re.error as error:
        raise ConfigError(f"{path}: Invalid regex {definition.eval_str('Regex', '')}: {error}") from None


@dataclass(slots=True)
class _Sum:
    """Numbers of one aggregate metric."""

    how: str
    whole: bool
    pattern: Metric
    scale: float
    numbers: list[float] = field(default_factory=list)

    def metric(self) -> Metric:
        """The metric of all of them."""
        total = _HOW[self.how](self.numbers)
        return replace(self.pattern, value=_number(int(total) if self.whole else float(total), self.scale))


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


_HOW: dict[str, Callable[[Sequence[float]], float]] = {"sum": sum, "min": min, "max": max, "avg": _mean}


def _number(value: int | float, scale: float) -> str:
    return str(int(value * scale)) if isinstance(value, int) else f"{value * scale:g}"


class Collection:
    """The metrics of one look at the ads. ``before`` are the numbers of the look before, for aggregates of changes."""

    def __init__(self, rules: Rules, host: str, before: dict[str, float] | None = None) -> None:
        self._rules = rules
        self._host = host
        self._before = before or {}
        self._sums: dict[str, _Sum] = {}
        self.numbers: dict[str, float] = {}
        self.found: list[Metric] = []

    def take(self, definitions: Iterable[ClassAd], ads: Iterable[ClassAd]) -> list[Metric]:
        """Return the metrics of these ads."""
        wanted = [each for each in definitions if each.eval_int("Verbosity", 0) <= self._rules.verbosity]
        for ad in ads:
            if self._rules.requirements and ad.eval_text(self._rules.requirements) is not True:
                continue
            for definition in wanted:
                if _applies(definition, ad):
                    self._one(definition, ad)
        return [*self.found, *(each.metric() for each in self._sums.values())]

    def _one(self, definition: ClassAd, ad: ClassAd) -> None:
        """Add the metrics of one definition: one, or with a regular expression one for each attribute that fits."""
        pattern = _text(definition, "Regex", ad)
        if not pattern:
            self._add(_Use(definition, ad, _text(definition, "Name", ad) or ""))
            return
        for name in ad:
            match = re.match(pattern, name)
            if match:
                use = _Use(definition, ad, name, tuple(match[index] or "" for index in range(match.re.groups + 1)))
                self._add(replace_name(use))

    def _add(self, use: _Use) -> None:
        if not use.name or use.evaluated("Requirements", True) is not True:
            return
        value, kind = use.value()
        if value is None:
            return
        metric = self._metric(use, kind)
        scale = float(use.definition.eval_real("Scale", 1.0))
        how = (use.definition.eval_str("Aggregate", "") or "").lower()
        if metric is None:
            return
        if not how:
            shown = str(int(value)) if isinstance(value, bool) else value if isinstance(value, str) else ""
            self.found.append(replace(metric, value=shown or _number(value, scale)))  # type: ignore[arg-type]
            return
        if isinstance(value, str | bool):
            return
        if metric.derivative:
            value = self._change(use, value)
            if value is None:
                return
        key = use.text("AggregateGroup") or use.name
        pattern = replace(metric, derivative=False)
        whole = kind in _INTEGERS
        self._sums.setdefault(key, _Sum(how, whole, pattern, scale)).numbers.append(float(value))

    def _change(self, use: _Use, value: float) -> float | None:
        """The growth since the look before; None for the first look, and after a restart of the daemon."""
        ad = use.ad
        key = "/".join(
            (use.name, ad.eval_str("Name", ""), ad.eval_str("MyType", ""), str(ad.eval_int("DaemonStartTime", 0)))
        )
        self.numbers[key] = float(value)
        before = self._before.get(key)
        return None if before is None or value < before else value - before

    def _metric(self, use: _Use, kind: str) -> Metric | None:
        """Everything but the value; None where it is not wanted."""
        my_type = use.ad.eval_str("MyType", "").lower()
        is_sum = use.definition.has("Aggregate")
        if my_type == "machine" and not is_sum and not self._rules.per_execute_node:
            return None
        group = "HTCondor Pool" if is_sum else _GROUPS.get(my_type, f"HTCondor {use.ad.eval_str('MyType', '')}")
        machine = self._host if is_sum else _machine_of(use, my_type)
        return Metric(
            name=use.name,
            value="",
            kind={"boolean": "int8"}.get(kind, kind),
            machine=use.text("Machine") or _default(self._rules.machine, use.ad) or machine,
            ip=use.text("IP") or _default(self._rules.ip, use.ad),
            group=use.text("Group") or group,
            units=use.text("Units"),
            title=use.text("Title"),
            description=use.text("Desc"),
            cluster=use.text("Cluster") or _default(self._rules.cluster, use.ad),
            derivative=use.definition.eval_bool("Derivative", False),
            lifetime=use.definition.eval_int("Lifetime", -1),
        )


@dataclass(frozen=True, slots=True)
class _Use:
    """A definition on an ad; ``groups`` are what its regular expression has matched."""

    definition: ClassAd
    ad: ClassAd
    name: str
    groups: tuple[str, ...] = ()

    def evaluated(self, attribute: str, default: object = None) -> object:
        """The value of an attribute of the definition, in which the ad's are known."""
        return _evaluated(self.definition, attribute, self.ad, default)

    def text(self, attribute: str) -> str:
        """A text, in which ``\\1`` is the first group; "" for none."""
        value = self.evaluated(attribute)
        if not isinstance(value, str):
            return ""
        return re.sub(r"\\(\d{1,3})", self._group, value) if self.groups else value

    def _group(self, match: re.Match[str]) -> str:
        number = int(match[1])
        return self.groups[number] if number < len(self.groups) else ""

    def value(self) -> tuple[bool | int | float | str | None, str]:
        """The value and its type; None for none, and for one that is not of the type that is asked for."""
        value = self.evaluated("Value")
        if value is None:
            attribute = self.groups[0] if self.groups else self.name
            value = self.ad.evaluate(attribute) if self.ad.has(attribute) else None
        kind = (self.definition.eval_str("Type", "") or "").lower()
        if isinstance(value, Value) or not isinstance(value, bool | int | float | str):
            return None, kind
        if not kind:
            kinds = ((bool, "boolean"), (int, "int32"), (float, "float"), (str, "string"))
            kind = next(name for each, name in kinds if isinstance(value, each))
        if kind in ("float", "double"):
            return (float(value) if type(value) in (int, float) else None), kind
        return (value if type(value) is {"string": str, "boolean": bool}.get(kind, int) else None), kind


def replace_name(use: _Use) -> _Use:
    """The same with the name that the definition gives to what its regular expression has matched."""
    return _Use(use.definition, use.ad, use.text("Name") or use.name, use.groups)


def _evaluated(definition: ClassAd, attribute: str, ad: ClassAd, default: object = None) -> object:
    text = definition.text(attribute)
    if text is None:
        return default
    value = ad.evaluate(parse(text))
    return default if value is Value.Undefined else value


def _text(definition: ClassAd, attribute: str, ad: ClassAd) -> str:
    value = _evaluated(definition, attribute, ad)
    return value if isinstance(value, str) else ""


def _default(text: str, ad: ClassAd) -> str:
    """The value of a knob's expression; "" for none."""
    if not text:
        return ""
    value = ad.eval_text(text)
    return value if isinstance(value, str) else ""


def _applies(definition: ClassAd, ad: ClassAd) -> bool:
    """Whether a definition is about ads of this type."""
    targets = [word.lower() for word in definition.eval_str("TargetType", "").replace(",", " ").split()]
    my_type = ad.eval_str("MyType", "").lower()
    if "any" in targets or my_type in targets:
        return True
    is_first = ad.eval_int("SlotID", 1) == 1 and not ad.eval_bool("DynamicSlot", False)
    return my_type == "machine" and "machine_slot1" in targets and is_first


def _machine_of(use: _Use, my_type: str) -> str:
    ad = use.ad
    if my_type == "collector" or (
        my_type == "machine" and "slot1" in use.definition.eval_str("TargetType", "").lower()
    ):
        return ad.eval_str("Machine", "")
    return ad.eval_str({"submitter": "ScheddName", "accounting": "NegotiatorName"}.get(my_type, "Name"), "")


def spoofed(metric: Metric) -> str:
    """The host as Ganglia knows it: ``IP:HOST``, without characters that its pages do not like."""
    host = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "." for letter in metric.machine
    )
    return f"{metric.ip or metric.machine}:{host}"


def definitions_of(text: str, path: str) -> Iterator[ClassAd]:
    """Yield the definitions in a file: ads in the new form. ConfigError."""
    from condor_py.lang.classad.formats.read import read_ads

    bare = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    bare = re.sub(r"^[^\S\n]*(?://|#).*$", "", bare, flags=re.MULTILINE)
    bare = re.sub(r"\]\s*,\s*(?=\[)", "]\n", bare)
    try:
        found = list(read_ads(bare, "New")) if bare.strip() else []
    except ClassAdParseError as error:
        raise ConfigError(f"{path}: {error}") from None
    for ad in found:
        check(ad, path)
        yield ad
