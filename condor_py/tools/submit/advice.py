"""Warns a person of new jobs that cannot be meant so: words where numbers belong, files that are not there.

HTCondor's tool says nothing of these: nothing is printed where standard error is no terminal.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from condor_py.classad import ClassAd, ClassAdError, parse
from condor_py.classad.bare import bare_words
from condor_py.classad.nodes import Attr
from condor_py.model import attributes

_REQUESTS = {"RequestCpus": 1, "RequestMemory": 0, "RequestDisk": 0, "RequestGPUs": 0}
_NUMBERS = ("JobLeaseDuration", "DeferralTime", "NextJobStartDelay", "AllowedJobDuration", "AllowedExecuteDuration",
            "KeepClaimIdle", "DeferralWindow", "JobMaxRetries")  # fmt: skip
_CONDITIONS = ("Requirements", "PeriodicHold", "PeriodicRelease", "PeriodicRemove", "PeriodicVacate", "OnExitHold",
               "OnExitRemove", "Rank")  # fmt: skip
#: Fields of a crontab with their least and greatest value.
_CRON = {"CronMinute": (0, 59), "CronHour": (0, 23), "CronDayOfMonth": (1, 31), "CronMonth": (1, 12),
         "CronDayOfWeek": (0, 7)}  # fmt: skip
_CRON_PART = re.compile(r"(\*|\d+)(?:-(\d+))?(?:/\d+)?\Z")
_LIMIT = re.compile(r"[A-Za-z_][\w.]*(?::\d+(?:\.\d+)?)?\Z")
_COMMAND = re.compile(r"\s*([\w.+]+)\s*=\s*(.*?)\s*\Z")


def advice(ads: Iterable[Iterable[tuple[str, str]]]) -> list[str]:
    """A line for everything in the ads of new jobs, (name, text), that cannot be meant so."""
    found: dict[str, None] = {}
    for items in ads:
        texts = dict(items)
        ad = ClassAd.from_text_items(list(texts.items()))
        for check in (_requests, _conditions, _crontab, _limits, _files):
            found.update(dict.fromkeys(check(texts, ad)))
    return list(found)


def _requests(texts: Mapping[str, str], ad: ClassAd) -> Iterator[str]:
    for name in (*_REQUESTS, *_NUMBERS):
        text = texts.get(name)
        if text is None:
            continue
        if word := _unknown_word(text, ad):
            yield f"{name} = {word}: {word} is no number, and no ad has an attribute of this name"
        value = ad.eval_text(text)
        if name in _REQUESTS and type(value) in (int, float) and value < _REQUESTS[name]:
            yield f"{name} = {text}: it cannot be less than {_REQUESTS[name]}"


def _unknown_word(text: str, ad: ClassAd) -> str:
    try:
        node = parse(text).node
    except ClassAdError:
        return ""
    if not isinstance(node, Attr) or node.scope is not None:
        return ""
    return "" if attributes.is_known(node.name) or ad.has(node.name) else text.strip()


def _conditions(texts: Mapping[str, str], ad: ClassAd) -> Iterator[str]:
    def known(name: str) -> bool:
        return attributes.is_known(name) or ad.has(name)

    for name in _CONDITIONS:
        for word in bare_words(texts.get(name, "true"), known):
            yield f'{name}: {word} is the name of an attribute that no ad has: a string has quotation marks, "{word}"'
    if re.match(r"\(?\s*false\s*\)?(?:\s*&&|\Z)", texts.get("Requirements", ""), re.IGNORECASE):
        yield "Requirements: they begin with False, no machine will do"


def _crontab(texts: Mapping[str, str], ad: ClassAd) -> Iterator[str]:
    for name, (low, high) in _CRON.items():
        value = ad.eval_text(texts[name]) if name in texts else None
        for part in str(value).replace(" ", "").split(",") if isinstance(value, (str, int)) else ():
            match = _CRON_PART.match(part)
            numbers = [int(one) for one in match.groups() if one and one != "*"] if match else []
            if match is None or not all(low <= number <= high for number in numbers):
                yield f"{name} = {value}: {part} is not a number from {low} to {high}, a range or *"
        if name in texts and (word := _unknown_word(texts[name], ad)):
            yield f"{name} = {word}: {word} is not a number from {low} to {high}, a range or *"


def _limits(texts: Mapping[str, str], ad: ClassAd) -> Iterator[str]:
    value = ad.eval_text(texts["ConcurrencyLimits"]) if "ConcurrencyLimits" in texts else ""
    for item in value.split(",") if isinstance(value, str) and value else ():
        if not _LIMIT.match(item.strip()):
            yield f"ConcurrencyLimits: {item.strip()!r} is not NAME or NAME:NUMBER"


def _files(texts: Mapping[str, str], ad: ClassAd) -> Iterator[str]:
    """Files and directories that are not there; those of jobs whose files come later are not known yet."""

    def string(name: str) -> str:
        value = ad.eval_text(texts[name]) if name in texts else ""
        return value if isinstance(value, str) and "$$" not in value else ""

    iwd = string("Iwd")
    if not iwd or "StageInStart" in texts:
        return
    if not os.path.isdir(iwd):
        yield f"Iwd = {iwd}: there is no such directory"
        return
    for name in ("UserLog", "Out", "Err"):
        path = string(name)
        folder = os.path.dirname(os.path.join(iwd, path))
        if path and "://" not in path and not os.path.isdir(folder):
            yield f"{name} = {path}: there is no directory {folder}"
    if os.path.isdir(os.path.join(iwd, string("Cmd") or "nothing")):
        yield f"Cmd = {string('Cmd')}: this is a directory, no program"
    for name in ("In", "TransferInput"):
        for path in string(name).split(","):
            path = path.strip()
            if path and "://" not in path and not os.path.lexists(os.path.join(iwd, path)):
                yield f"{name}: there is no file {path}"
    remaps = string("TransferOutputRemaps")
    for item in remaps.split(";"):
        if item.strip() and "=" not in item:
            yield f"TransferOutputRemaps: {item.strip()!r} is not NAME = NEWNAME"


def blamed_lines(text: str, report: str) -> Iterator[str]:
    """The lines of a submit file that an error report is about, as far as it numbers or names them."""
    lines = text.split("\n")
    found = re.search(r"on Line (\d+) of ", report)
    if found is not None:
        if int(found[1]) <= len(lines):
            yield f"Line {found[1]}: {lines[int(found[1]) - 1].strip()}"
        return
    said = re.sub(r"[^a-z0-9]", "", report.lower())
    for number, line in enumerate(lines, 1):
        match = _COMMAND.match(line)
        if match is None:
            continue
        name = re.sub(r"[^a-z0-9]", "", match[1].lower())
        if (len(name) > 2 and name in said) or (len(match[2]) > 1 and match[2] in report) or not name:
            yield f"Line {number}: {line.strip()}"
