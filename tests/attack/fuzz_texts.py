"""Texts that other accounts write and we read: ads in every format, expressions, queue logs, event logs.

Whatever is in them, what comes is an ad or the error that says why not, soon, and what was read prints and reads back.
With the compiled parts built by tests/attack/sanitized it is also a test of their memory.
"""

from __future__ import annotations

import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable

from hostile import VALUES, attributes

from condor_py.lang.classad import ClassAd, ClassAdException, ParserType, parse, parseAds, parseNext, symmetric_match
from condor_py.model.errors import CondorError
from condor_py.store import logreader
from condor_py.store.event_log import EventReader
from condor_py.store.job_queue import JobQueue

#: Seconds that one text may take.
_SOON = 5.0
_WORDS = (
    "[", "]", "{", "}", "(", ")", ";", ",", "=", "=?=", "=!=", "?:", "?", ":", "&&", "||", "!", "~", "<<", ">>>",
    "%", "/", "*", "-", '"', "'", "\\", "\\u12", "\\u0000", "\\ud800", "\n", "\r\n", "\0", "\ufeff", " ", "0x", "1e",
    "1e999", "-0.0", "9223372036854775808", "INF", "NaN", "true", "null", "undefined", "error", "MY.", "TARGET.",
    ".", "..", "<c>", "</c>", '<a n="', '"/>', "<e>", "</e>", "<i>", "<s>", "<l>", "<un/>", "&lt;", "&#0;",
    "&#x110000;", "&bogus;", "<![CDATA[", "<?xml", "<!DOCTYPE", "<!--", "\\/Expr(", ")\\/", "//", "/*", "*/", "#",
    "...", "\u00e9", "\U0001f600", "\udcff",
)  # fmt: skip
_LOG_LINES = (
    "101 1.0 Job Machine", "103 1.0 Foo 1", "104 1.0 Foo", "105 ", "106 ", "102 1.0", "107 1 CreationTimestamp 5",
    "103 01.-1 Owner \"x\"", "101 01.-1 Job Machine", "999 x", "103 1.0", "",
    "000 (001.000.000) 2026-01-01 00:00:00 x", "...",
)  # fmt: skip


class Texts:
    """Documents of a seed, whole ones and what is left of them after damage."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def ad(self) -> ClassAd:
        """An ad of values that nobody expects."""
        chance = self.chance
        ad = ClassAd()
        for name in chance.sample(attributes(), chance.randint(0, 6)):
            ad.set_text(name, self.expression() if chance.random() < 0.5 else chance.choice(VALUES))
        return ad

    def expression(self, depth: int = 0) -> str:
        """An expression, as deep as chance wants."""
        chance = self.chance
        if depth > 5 or chance.random() < 0.3:
            return chance.choice((*VALUES, *attributes()[:20], "MY.RequestDisk", "TARGET.Cpus"))
        left, right = self.expression(depth + 1), self.expression(depth + 1)
        forms = (
            f"({left} + {right})", f"({left} ?: {right})", f"{left} =?= {right}", f"({left} ? {right} : 1)", f"-{left}",
            f"strcat({left}, {right})", f"{{{left}, {right}}}[0]", f"[a = {left}; b = a].b", f"regexp({left}, {right})",
            f"substr({left}, {right})", f"member({left}, {{{right}}})", f"({left} << {right})", f"({left} % {right})",
            f"split({left})", f"int({left})", f"formatTime({left}, {right})", f"join({left}, {right})", f"eval({left})",
        )  # fmt: skip
        return chance.choice(forms)

    def damaged(self, text: str) -> str:
        """A text with pieces cut, doubled, moved and put in; or as it is."""
        chance = self.chance
        for _ in range(chance.choice([0, 1, 1, 2, 5])):
            at, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
            end = min(end, at + chance.choice([0, 1, 3, 50]))
            middle = chance.choice(
                ("", text[at:end] * chance.choice([2, 100]), chance.choice(_WORDS) * chance.randint(1, 3))
            )
            text = text[:at] + middle + text[end:]
        if chance.random() < 0.02:
            text = chance.choice(_WORDS) * 20_000 + text
        return text


def _ads(texts: Texts) -> None:
    ad = texts.ad()
    document = texts.chance.choice((str, repr, ClassAd.printOld, ClassAd.printJson, _xml))(ad)
    text = texts.damaged(document)
    for parser in ParserType:
        try:
            found = [*parseAds(text, parser)]
            parseNext(text, parser)
        except ClassAdException:
            continue
        for one in found[:5]:
            for shown in (str(one), repr(one), one.printOld(), one.printJson(), _xml(one)):
                shown.encode("utf-8", "surrogateescape")
            again = ClassAd(repr(one))
            assert len(again) == len(one), f"{one!r} reads back as {again!r}"


def _xml(ad: ClassAd) -> str:
    from condor_py.lang.classad.formats import xml

    return str(xml.ad_to_xml(list(ad.bindings())))


def _expressions(texts: Texts) -> None:
    try:
        tree = parse(texts.damaged(texts.expression()))
    except ClassAdException:
        return
    mine, other = texts.ad(), texts.ad()
    mine.raw(tree, other)
    str(tree)
    parse(str(tree))
    mine.set_text("Requirements", str(tree))
    symmetric_match(mine, other)


def _queue_logs(texts: Texts) -> None:
    lines = [texts.chance.choice(_LOG_LINES) for _ in range(texts.chance.randint(0, 30))]
    lines += [f"103 1.0 {name} {texts.chance.choice(VALUES)}" for name in texts.chance.sample(attributes(), 5)]
    texts.chance.shuffle(lines)
    data = texts.damaged("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
    for jobs in (True, False):
        logreader.load(data, jobs)
    try:
        logreader.fill({}, data)
    except ValueError:
        pass  # not the lines of an ad
    with tempfile.TemporaryDirectory() as folder:
        for name in ("job_queue.log", "event.log"):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(data)
        try:
            queue = JobQueue(f"{folder}/job_queue.log", uid_domain="x", readonly=True)
            [ad.text_items() for _, ad in queue.jobs()]
        except CondorError:
            pass
        try:
            EventReader(f"{folder}/event.log").read()
        except CondorError:
            pass


PARTS: tuple[Callable[[Texts], None], ...] = (_ads, _ads, _expressions, _expressions, _queue_logs)


def run(seed: int, until: float = math.inf, most: int = 1 << 60) -> int:
    """So many texts, or until a monotonic time; how many there were. What fails names its seed."""
    count = 0
    while count < most and time.monotonic() < until:
        texts = Texts(seed + count)
        part = PARTS[texts.chance.randrange(len(PARTS))]
        begun = time.process_time()
        try:
            part(texts)
        except Exception as error:
            raise AssertionError(
                f"{part.__name__} with seed {seed + count}: {type(error).__name__}: {error}"
            ) from error
        spent = time.process_time() - begun
        assert spent < _SOON, f"{part.__name__} with seed {seed + count} took {spent:.1f} s"
        count += 1
    return count


if __name__ == "__main__":
    print(run(int(sys.argv[2]) if len(sys.argv) > 2 else os.getpid(), time.monotonic() + float(sys.argv[1])))
