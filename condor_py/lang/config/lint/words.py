"""Knobs whose values are words of a fixed set: modes, debug categories, daemons, formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.known import base_name, slot_part
from condor_py.lang.config.lint.subject import Subject, finding
from condor_py.lang.config.values import to_boolean
from condor_py.lang.macro import Macro
from condor_py.lang.macro.evaluate import classad_evaluate
from condor_py.model.spelling import nearest
from condor_py.model.states import Universe, universe_words

_TRUTH = "true false yes no t f 1 0"
_SECURITY = "NEVER OPTIONAL PREFERRED REQUIRED"
_UNIVERSES = " ".join([*universe_words(), *(str(int(universe)) for universe in Universe)])
#: Debug categories and what log lines can show, without their D_.
_CATEGORIES = (
    "ALWAYS ERROR STATUS ZKM JOB MACHINE CONFIG PROTOCOL PRIV DAEMONCORE FULLDEBUG SECURITY COMMAND MATCH NETWORK "
    "KEYBOARD PROCFAMILY IDLE THREADS ACCOUNTANT SYSCALLS CRON HOSTNAME PERF_TRACE LOAD 25 26 AUDIT TEST STATS "
    "MATERIALIZE DYE ALL ANY PID FDS IDENT LEVEL CATEGORY CAT SUB_SECOND TIMESTAMP BACKTRACE FAILURE GENERIC LOCK UID "
    "NODATE NOHEADER EXPR PROC NFS CKPT GENERAL GRIDMANAGER WORKFLOW SECONDS"
)


class Words(NamedTuple):
    """The words of a knob. ``many`` allows a list; ``then`` is what happens with another word."""

    words: tuple[str, ...]
    many: bool = False
    then: str = ""


def _of(words: str, *, many: bool = False, then: str = "") -> Words:
    return Words(tuple(words.split()), many, then)


_BOOLEAN = _of(_TRUTH)
#: Patterns of knob names, and their words.
_KNOBS: tuple[tuple[re.Pattern[str], Words], ...] = tuple(
    (re.compile(f"(?:{pattern})\\Z", re.IGNORECASE), words)
    for pattern, words in (
        ("MASTER_NEW_BINARY_RESTART", _of("GRACEFUL PEACEFUL FAST NEVER")),
        ("JOB_DEFAULT_NOTIFICATION", _of("never always complete error", then="jobs that do not say are not queued")),
        ("SUBMIT_DEFAULT_SHOULD_TRANSFER_FILES", _of("yes no if_needed true false auto never always")),
        ("DEFAULT_UNIVERSE", _of(_UNIVERSES, then="jobs that do not say are not queued")),
        ("SUBMIT_REQUEST_MISSING_UNITS", _of("error warn", then="nothing is said of missing units")),
        ("(?:STARTD|SCHEDD)_CRON_\\w+_MODE", _of("Periodic WaitForExit OneShot OnDemand", then="it is left out")),
        ("(?:STARTD_CRON|SCHEDD_CRON|BENCHMARKS)_AUTOPUBLISH", _of("NEVER ALWAYS IF_CHANGED", then="NEVER is used")),
        ("VM_TYPE", _of("kvm xen", then="no virtual machines are offered")),
        ("VM_NETWORKING_TYPE", _of("nat user bridge", many=True)),
        ("VM_NETWORKING_DEFAULT_TYPE", _of("nat user bridge")),
        (
            "DEFAULT_USERLOG_FORMAT_OPTIONS|EVENT_LOG_FORMAT_OPTIONS|USERLOG_FORMAT_OPTIONS",
            _of("ISO_DATE UTC SUB_SECOND XML JSON LEGACY !ISO_DATE !UTC !SUB_SECOND !XML !JSON", many=True),
        ),
        ("LVM_HIDE_MOUNT", _of("auto true false")),
        ("STARTER_LOG_NAME_APPEND", _of("slot true 1 false 0 cluster clusterid jobid", then="it counts as Slot")),
        ("SINGULARITY_USE_PID_NAMESPACES", _of(f"auto {_TRUTH}", then="it counts as auto")),
        ("SEC_\\w+_(?:AUTHENTICATION|ENCRYPTION|INTEGRITY|NEGOTIATION)", _of(_SECURITY)),
        ("HISTORY_CONTAINS_JOB_ENVIRONMENT|CONSUMPTION_POLICY|SUBMIT_SKIP_FILECHECKS", _BOOLEAN),
        ("SLOT_CONFIG_FAILURE_MODE", _of("CONTINUE CLEAR ABORT")),
        ("CGROUP_MEMORY_LIMIT_POLICY", _of("hard soft none custom")),
        ("DEFRAG_DRAINING_SCHEDULE", _of("graceful quick fast")),
        ("JOB_EXECDIR_PERMISSIONS", _of("user group world")),
        ("BACKFILL_SYSTEM", _of("BOINC COMMAND")),
        ("LINUX_HIBERNATION_METHOD", _of("pm-utils systemd /sys /proc")),
    )
)
#: Knobs that name a machine or a domain: no space and no quotation mark belongs to them.
_NAMES = re.compile(
    r"(?:(?:CONDOR|COLLECTOR|SCHEDD|CREDD|NETWORK|FULL)_HOST(?:NAME)?|(?:UID|FILESYSTEM|DEFAULT_DOMAIN|TRUST)_?DOMAIN(?:_NAME)?"
    r"|DEFAULT_DOMAIN_NAME|HOST_ALIAS|(?:SCHEDD|STARTD|MASTER|NEGOTIATOR)_NAME)\Z",
    re.IGNORECASE,
)
#: Knobs that name one machine, perhaps with a port.
_ADDRESSES = re.compile(r"(?:CONDOR|COLLECTOR)_HOST\Z", re.IGNORECASE)
_PORT = re.compile(r"[^\s,?<>\[\]]+:([^:,\s?]*)(?:\?\S*)?\Z")
_DEBUG = re.compile(r"\w+_DEBUG\Z", re.IGNORECASE)
_STATISTICS = re.compile(r"STATISTICS_TO_PUBLISH\Z", re.IGNORECASE)
_METRICS = re.compile(r"STARTD_CRON_\w+_METRICS\Z", re.IGNORECASE)
#: Groups of statistics that HTCondor's daemons have.
_GROUPS = (
    "ALL", "DEFAULT", "DC", "SCHEDULER", "SCHEDD", "STARTD", "NEGOTIATOR", "COLLECTOR", "MASTER", "TRANSFER",
    "DAEMONCORE", "SHADOW", "STARTER", "GRIDMANAGER",
)  # fmt: skip


def check_words(subject: Subject) -> Iterator[Finding]:
    """Words that the knob does not know."""
    for macro in subject.settings:
        if macro.origin.template:
            continue
        base = slot_part(macro.name) or base_name(macro.name)
        text = (subject.expand(macro.value) or "").strip()
        for pattern, words in _KNOBS:
            if text and pattern.match(base):
                yield from _in_set(macro, text, words)
        if text and _NAMES.match(base):
            yield from _names(macro, base, text)
        if text and _DEBUG.match(base) and subject.reads_as_knob(base):
            yield from _categories(macro, text)
        elif text and _STATISTICS.match(base):
            yield from _statistics(macro, _items(text))
        elif text and _METRICS.match(base):
            yield from _others(macro, (item.partition(":")[0] for item in _items(text)), ("SUM", "PEAK"), "no metric")


def _statistics(macro: Macro, items: list[str]) -> Iterator[Finding]:
    yield from _others(
        macro, (name for item in items if (name := item.partition(":")[0]).upper() != "NONE"), _GROUPS, "no daemon"
    )
    for item in items:
        options = item.partition(":")[2].upper()
        if options != "NONE" and "L" in options.partition("!")[2]:
            yield finding("note", macro, f"!L of {item} has no effect here: values over the whole life are published")


def _items(text: str) -> list[str]:
    return [item for item in re.split(r"[\s,|]+", text) if item]


def _in_set(macro: Macro, text: str, words: Words) -> Iterator[Finding]:
    known = {word.lower() for word in words.words}
    bare = text.strip('"')
    for item in _items(bare) if words.many else [bare]:
        if words.words == _BOOLEAN.words and to_boolean(item, classad_evaluate) is not None:
            continue  # an expression
        if item.lower() not in known:
            shown = ", ".join(word for word in words.words if not word.startswith("!") and not word.isdecimal())
            then = f"; {words.then}" if words.then else ""
            yield finding("error", macro, f"{item!r} is not one of {shown}{_like(item, words.words)}{then}")


def _names(macro: Macro, base: str, text: str) -> Iterator[Finding]:
    """Quotation marks, spaces and ports in what names machines or domains."""
    if text.startswith('"'):
        yield finding("warning", macro, f"the quotation marks of {text} are part of the name: leave them out")
        return
    addresses = [one.strip() for one in text.split(",")]
    if any(len(address.split()) > 1 for address in addresses):
        yield finding("warning", macro, f"{text!r} is no name of a machine or domain: it has a space")
    for address in addresses if _ADDRESSES.match(base) else ():
        if (match := _PORT.match(address)) and not match[1].isdecimal():
            yield finding("warning", macro, f"{match[1]!r} of {address} is no port")


def _categories(macro: Macro, text: str) -> Iterator[Finding]:
    names = [f"D_{name}" for name in _CATEGORIES.split()]
    known = set(names)
    for item in _items(text):
        name = item.lstrip("-").partition(":")[0].upper()
        if name not in known:
            like = _like(name if name.startswith("D_") else f"D_{name}", names)
            yield finding("warning", macro, f"{item} is no debug category{like}")
        elif item.partition(":")[2] not in ("", "0", "1", "2"):
            yield finding("warning", macro, f"{item}: the levels of a category are 0, 1 and 2")


def _others(macro: Macro, items: Iterator[str], known: tuple[str, ...], what: str) -> Iterator[Finding]:
    for item in items:
        if item.upper() not in known:
            like = _like(item, known) or f": there are {', '.join(known)}"
            yield finding("warning", macro, f"{item} is {what}{like}")


def _like(word: str, words: tuple[str, ...] | list[str]) -> str:
    near = nearest(word, words)
    return f", did you mean {near}?" if near else ""
