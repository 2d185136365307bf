"""The ads and the style that a command line selects, and the messages about contradictions."""

from __future__ import annotations

import sys
from enum import IntEnum

from condor_py.cli.options import Args, Use
from condor_py.cli.status.spec import SPEC
from condor_py.model.errors import CondorError


class Style(IntEnum):
    """The displays, in the order in which a later option may replace an earlier one."""

    NONE = 0
    SLOTS = 1
    SERVER = 2
    STATE = 3
    CLAIMED = 4
    GPUS = 6
    BROKEN = 7
    LVM = 8
    SLOT_HEALTH = 9
    STARTD = 10
    STARTD_GPUS = 11
    STARTD_BROKEN = 12
    STARTD_LVM = 13
    STARTD_HEALTH = 14
    SCHEDD = 15
    SCHEDD_DATA = 16
    SCHEDD_RUN = 17
    SUBMITTERS = 18
    MASTER = 19
    COLLECTOR = 20
    CKPTSRVR = 21
    GRID = 22
    STORAGE = 23
    NEGOTIATOR = 24
    DEFRAG = 25
    ACCOUNTING = 26
    ANY = 28
    CUSTOM = 30
    LONG = 31


class Mode:
    """A mode: the kind of ads ("SLOTS", "STARTD" for the daemon ad, ...; "" for those of ``my_type``) and its
    style."""

    __slots__ = ("kind", "my_type", "name", "style")

    def __init__(self, name: str, kind: str, style: Style, my_type: str = "") -> None:
        self.name = name
        self.kind = kind
        self.style = style
        self.my_type = my_type


_MODES = {
    mode.name: mode
    for mode in (
        Mode("slots", "SLOTS", Style.SLOTS),
        Mode("avail", "SLOTS", Style.SLOTS),
        Mode("claimed", "SLOTS", Style.CLAIMED),
        Mode("cod", "SLOTS", Style.SLOTS),
        Mode("lvm", "SLOTS", Style.LVM),
        Mode("gpus", "SLOTS", Style.GPUS),
        Mode("broken", "SLOTS", Style.BROKEN),
        Mode("slot-health", "SLOTS", Style.SLOT_HEALTH),
        Mode("startd", "STARTD", Style.STARTD),
        Mode("startd-gpus", "STARTD", Style.STARTD_GPUS),
        Mode("startd-broken", "STARTD", Style.STARTD_BROKEN),
        Mode("startd-lvm", "STARTD", Style.STARTD_LVM),
        Mode("startd-health", "STARTD", Style.STARTD_HEALTH),
        Mode("schedd", "SCHEDD", Style.SCHEDD),
        Mode("schedd-data", "SCHEDD", Style.SCHEDD_DATA),
        Mode("schedd-run", "SCHEDD", Style.SCHEDD_RUN),
        Mode("submitters", "SUBMITTERS", Style.SUBMITTERS),
        Mode("master", "MASTER", Style.MASTER),
        Mode("collector", "COLLECTOR", Style.COLLECTOR),
        Mode("ckptsrvr", "CKPTSRVR", Style.CKPTSRVR),
        Mode("grid", "GRID", Style.GRID),
        Mode("license", "LICENSE", Style.LONG),
        Mode("storage", "STORAGE", Style.STORAGE),
        Mode("negotiator", "NEGOTIATOR", Style.NEGOTIATOR),
        Mode("defrag", "DEFRAG", Style.DEFRAG),
        Mode("accounting", "ACCOUNTING", Style.ACCOUNTING),
        Mode("generic", "GENERIC", Style.ANY),
        Mode("any", "ANY", Style.ANY),
    )
}
_SUBSYSTEMS = {
    "machine": "slots",
    **{
        name: name
        for name in [
            "schedd",
            "submitters",
            "slots",
            "startd",
            "defrag",
            "grid",
            "accounting",
            "negotiator",
            "master",
            "collector",
            "generic",
        ]
    },
}
_PLAIN = frozenset(
    [
        "avail",
        "claimed",
        "cod",
        "schedd-data",
        "defrag",
        "grid",
        "license",
        "storage",
        "negotiator",
        "generic",
        "any",
        "submitters",
        "master",
        "collector",
        "ckptsrvr",
    ]
)


class Chosen:
    """The outcome: ``mode``, ``style``, whether rows are compact, and lines for stderr about ignored options."""

    def __init__(self) -> None:
        self.mode: Mode | None = None
        self.style = Style.NONE
        self.compact = False
        self.messages: list[str] = []
        self._mode_use: Use | None = None
        self._style_use: Use | None = None

    def set(self, name: str, use: Use | None, *, again: bool = False) -> None:
        """Chooses a mode; ``again`` lets an option refine an earlier one. CondorError on contradiction."""
        if self._mode_use is None or again:
            self.mode = _MODES.get(name) or Mode(name, "", Style.ANY, name)
            self._mode_use = use
            self.restyle(self.mode.style, use)
        elif use is not None and use.spelling != self._mode_use.spelling:
            first = self._mode_use
            raise CondorError(
                f"Error:  Arg {use.position + 1} ({use.spelling}) contradicts "
                f"arg {first.position + 1} ({first.spelling})"
            )

    def restyle(self, style: Style, use: Use | None) -> None:
        """Chooses a style, unless a whole-ad or custom form was asked for before."""
        if self._style_use is not None and use is None:
            return
        if self.style in (Style.LONG, Style.CUSTOM) and style not in (Style.LONG, Style.CUSTOM):
            return
        health = self.style is Style.STARTD_HEALTH and style is Style.SLOT_HEALTH
        if style is Style.LONG or self._style_use is None or self.style <= style or health:
            self.style, self._style_use = style, use
        elif use is not None:
            first = self._style_use
            self.messages.append(
                f"Error:  arg {use.position + 1} ({use.spelling}) contradicts "
                f"arg {first.position + 1} ({first.spelling})"
            )

    @property
    def name(self) -> str:
        """The mode's name."""
        return self.mode.name if self.mode is not None else ""

    def conflict(self, spelling: str) -> CondorError:
        """The error of -compact with something that is no slot."""
        first = self._mode_use
        more = "remove -startd from command or use -slot instead" if self.mode and self.mode.kind == "STARTD" else ""
        at, text = (first.position + 1, first.spelling) if first is not None else (0, "DEFAULT")
        return CondorError(f"Error:  arg ({spelling}) contradicts arg {at} ({text}) {more}")


def choose(args: Args) -> Chosen:
    """Return what the options together select. CondorError on contradiction."""
    chosen = Chosen()
    for use in args.uses:
        _apply(chosen, use)
    for message in chosen.messages:
        sys.stderr.write(message + "\n")
    chosen.set("slots", None)
    if chosen.compact and chosen.mode is not None and chosen.mode.kind != "SLOTS":
        raise chosen.conflict("-compact")
    return chosen


def _apply(chosen: Chosen, use: Use) -> None:
    name = use.name
    if name in ("long", "xml", "json", "toml"):
        chosen.restyle(Style.LONG, use)
    elif name in ("format", "autoformat", "print-format"):
        chosen.restyle(Style.CUSTOM, use)
    elif name == "server":
        chosen.restyle(Style.SERVER, use)
    elif name == "state":
        chosen.restyle(Style.STATE, use)
    elif name in ("compact", "nocompact"):
        chosen.compact = name == "compact"
    elif name == "subsystem":
        _subsystem(chosen, use)
    elif name in _PLAIN:
        chosen.set(name, use)
    elif name in _REFINING:
        _REFINING[name](chosen, use)


def _subsystem(chosen: Chosen, use: Use) -> None:
    wanted = str(use.values[0])
    if wanted.startswith("-"):
        raise CondorError(
            f'{SPEC.name}: -subsystem requires another argument\nUse "{SPEC.name} -help subsys" for details'
        )
    known = next((mode for tag, mode in _SUBSYSTEMS.items() if tag == wanted.lower()), wanted)
    if known == wanted:
        from condor_py.cli.suggest import hint
        from condor_py.model.spelling import nearest

        like = nearest(wanted.lower(), _SUBSYSTEMS)
        hint(f"{SPEC.name}: no daemon publishes ads as {wanted}" + (f": did you mean {like}?" if like else ""))
    chosen.set(known, use)


def _refine(chosen: Chosen, use: Use, table: dict[str, str], otherwise: str) -> None:
    """The mode that ``use`` makes of the present one, else a mode of its own."""
    found = table.get(chosen.name)
    chosen.set(found or otherwise, use, again=found is not None)


def _run(chosen: Chosen, use: Use) -> None:
    _refine(chosen, use, {"slots": "claimed", "claimed": "claimed", "schedd": "schedd-run"}, "schedd-run")


def _data(chosen: Chosen, use: Use) -> None:
    _refine(chosen, use, {"schedd": "schedd-data", "schedd-data": "schedd-data"}, "schedd-data")


def _schedd(chosen: Chosen, use: Use) -> None:
    if chosen.name not in ("schedd", "schedd-data", "schedd-run"):
        _refine(chosen, use, {"claimed": "schedd-run"}, "schedd")


def _gpus(chosen: Chosen, use: Use) -> None:
    _refine(chosen, use, {"startd": "startd-gpus"}, "gpus")


def _broken(chosen: Chosen, use: Use) -> None:
    _refine(chosen, use, {"startd": "startd-broken"}, "broken")


def _lvm(chosen: Chosen, use: Use) -> None:
    _refine(chosen, use, {"startd": "startd-lvm"}, "lvm")


def _healthy(chosen: Chosen, use: Use) -> None:
    _refine(chosen, use, {"startd": "startd-health", "slots": "slot-health"}, "startd-health")


_OF_STARTDS = {"gpus": "startd-gpus", "broken": "startd-broken", "lvm": "startd-lvm"}


def _startd(chosen: Chosen, use: Use) -> None:
    if chosen.name != "startd-health":
        _refine(chosen, use, _OF_STARTDS, "startd")


def _slots(chosen: Chosen, use: Use) -> None:
    _refine(chosen, use, {"startd-health": "slot-health", "slot-health": "slot-health"}, "slots")
    chosen.compact = False


_REFINING = {
    "run": _run,
    "data": _data,
    "schedd": _schedd,
    "gpus": _gpus,
    "broken": _broken,
    "lvm": _lvm,
    "healthy": _healthy,
    "startd": _startd,
    "slots": _slots,
}
