"""Fuzzed inputs for every parser: whatever the input is, a value or the parser's own error comes of it, soon.

Documents of each language are made from grammars and samples and then damaged: bytes, tokens and lines changed,
spliced with others, repeated, made very long or very deep. A parser must give a value or its documented error; what it
has read must print and read back equal. An input may take 5 seconds of CPU (20 with -sanitized), and its cost may not
grow with the square of its size. Batches run in children, so that a crash of compiled code costs one input and is
found.

``-parser NAME`` (several times) chooses; ``-list`` prints the names. ``-only INDEX`` repeats one input of a seed.
``-keep DIR`` saves the input of each finding there. With the package ``coverage`` and ``-guided``, one input of sixteen
is measured, and those that reach new lines of condor_py become samples. ``-sanitized`` builds the compiled parts with
AddressSanitizer and UBSan first (tests/attack/sanitized; gcc is needed). The last line has the inputs by parser.
"""

from __future__ import annotations

import argparse
import gc
import json
import mmap
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
for _folder in (_ROOT / "tests" / "campaigns", _ROOT / "tests" / "attack", _ROOT):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))

import campaign
from input_maker import Maker, grown
from input_parsers import PARSERS, Parser

#: How much more time programs take under sanitizers.
_SLOWER = 4.0 if "libasan" in os.environ.get("LD_PRELOAD", "") else 1.0
#: Seconds of CPU that one input may take, and after which the child is killed because nothing else ends it.
_SOON = 5.0 * _SLOWER
_KILL = 20.0 * _SLOWER
#: Seconds of real time after which a child waits for something that never comes.
_STUCK = 120
#: Bytes of memory that a child may take.
_MEMORY = 3 << 30
#: Inputs of one child.
_BATCH = 2000
_SMALL_BATCH = 20
#: One input of so many is grown; sizes in bytes; seconds below which nothing is concluded.
_GROWN_EVERY = 997
_SMALL, _LARGE = 50_000, 200_000
_TELLING = 0.6
#: The larger, four times as large, may take so many times as long.
_MOST_GROWTH = 9.0
#: Tries to make the input of a finding shorter, and seconds for that.
_SHRINKS, _PATIENCE = 400, 6.0
#: The exit status of a child that fails by a fault of the campaign.
_BROKEN = 70
_MEASURED_EVERY = 16
_MOST_KEPT = 400


class TooSlow(BaseException):
    """The input has taken too much CPU."""


@dataclass
class Fault:
    """Something that a parser did which it may not do. ``place`` is the last line of ours that was reached."""

    parser: str
    index: int
    what: str
    place: str
    data: bytes

    @property
    def key(self) -> tuple[str, str, str]:
        """Faults with the same key are one."""
        return self.parser, self.what.partition(":")[0], self.place


@dataclass
class Batch:
    """A child at work on inputs of one parser."""

    parser: Parser
    first: int
    count: int
    kept: list[bytes] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    done: int = 0


def _too_slow(signum: int, frame: FrameType | None) -> None:
    raise TooSlow


def trial(parser: Parser, data: bytes) -> tuple[str, str]:
    """What is wrong with what a parser does with an input, and where; ("", "") for nothing."""
    signal.setitimer(signal.ITIMER_PROF, _SOON)
    try:
        try:
            parser.read(data)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except parser.errors as error:
        return _judged(parser, error)
    except TooSlow as error:
        return f"TooSlow: more than {_SOON:g} s of CPU for {len(data)} bytes", _place(error)
    except MemoryError as error:
        return f"MemoryError: {len(data)} bytes", _place(error)
    except Exception as error:
        text = str(error)
        return f"{type(error).__name__}: {text[:300]}", _place(error)
    return "", ""


def _judged(parser: Parser, error: BaseException) -> tuple[str, str]:
    """Whether an error is one that a user can read."""
    text = str(error)
    if not text.strip():
        return f"an error without a word: {type(error).__name__}", _place(error)
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "an error that cannot be printed: " + ascii(text)[:200], _place(error)
    if "Traceback" in text:
        return f"an error with a traceback: {text[-200:]!r}", _place(error)
    if parser.where and parser.where not in text:
        return f"an error that does not name {parser.where}: {text[:200]!r}", _place(error)
    return "", ""


def _place(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name != _too_slow.__name__]
    ours = [frame for frame in frames if "/condor_py/" in frame.filename] or frames
    last = ours[-1]
    return f"{last.filename.rpartition('/condor_py/')[2]}:{last.lineno}"


def made(parser: Parser, seed: int, index: int, pool: Sequence[bytes] = ()) -> bytes:
    """The input of a parser, a seed and a number."""
    maker = Maker(f"{seed} {parser.name} {index}", parser.words, pool)
    return maker.damaged(parser.make(maker), lambda: parser.make(maker))


def shorter(parser: Parser, data: bytes, what: str, place: str) -> bytes:
    """The shortest input found that does the same."""
    wanted = (what.partition(":")[0], place)
    deadline, tries = time.monotonic() + _PATIENCE, 0
    step = max(1, len(data) // 2)
    while step and tries < _SHRINKS:
        at = 0
        while at < len(data) and tries < _SHRINKS and time.monotonic() < deadline:
            less = data[:at] + data[at + step :]
            tries += 1
            found, where = trial(parser, less)
            if (found.partition(":")[0], where) == wanted:
                data = less
            else:
                at += step
        step //= 2
    return data


def growth(parser: Parser, data: bytes, chance: random.Random) -> tuple[str, bytes]:
    """What is wrong with how the cost of an input grows, and the input that shows it; "" for nothing."""
    state = chance.getstate()
    sizes: list[tuple[float, bytes]] = []
    for size in (_SMALL, _LARGE):
        chance.setstate(state)
        larger = grown(data, chance, size)
        gc.collect()
        gc.disable()  # what it costs depends on all that the process has
        begun = time.process_time()
        found, _ = trial(parser, larger)
        seconds = time.process_time() - begun
        gc.enable()
        if found:
            return found, larger
        sizes.append((seconds, larger))
    (small, _), (large, larger) = sizes
    if large < _TELLING or large < _MOST_GROWTH * small:
        return "", b""
    return f"grows: {large:.2f} s for {_LARGE} bytes, {small:.2f} s for {_SMALL}", larger


class Guide:
    """Measures which lines of condor_py an input reaches; does nothing without the package ``coverage``."""

    def __init__(self, wanted: bool) -> None:
        self.known: set[tuple[str, int]] = set()
        self._coverage: Any = None
        if wanted:
            import coverage

            self._coverage = coverage.Coverage(data_file=None, include=["*/condor_py/*"], messages=False)

    def news(self, parser: Parser, data: bytes) -> list[tuple[str, int]]:
        """The lines that an input reaches and none before it did."""
        if self._coverage is None:
            return []
        self._coverage.erase()
        self._coverage.start()
        try:
            trial(parser, data)
        finally:
            self._coverage.stop()
        found = self._coverage.get_data()
        lines = {(name, line) for name in found.measured_files() for line in found.lines(name) or ()}
        news = lines - self.known
        self.known |= news
        return sorted(news)


def work(parser: Parser, numbers: range, seed: int, pool: list[bytes], guide: Guide) -> Iterator[dict[str, Any]]:
    """Carry out a batch; what it has to tell."""
    for index in numbers:
        yield {"at": index}
        data = made(parser, seed, index, pool)
        if index % _MEASURED_EVERY == 0 and len(data) < 5000 and (news := guide.news(parser, data)):
            yield {"keep": data.hex(), "lines": news}
        what, place = trial(parser, data)
        if not what and index % _GROWN_EVERY == _GROWN_EVERY // 2:
            what, data = growth(parser, data, random.Random(f"{seed} {index}"))
        elif what and not what.startswith(("TooSlow", "MemoryError")):
            data = shorter(parser, data, what, place)
            what = trial(parser, data)[0] or what
        if what:
            yield {"fault": what, "place": place, "index": index, "data": data.hex()}


def child(batch: Batch, seed: int, pool: list[bytes], guide: Guide, marks: mmap.mmap, out: int, limit: bool) -> None:
    """The life of a child: tells the parent what it finds, a line of JSON each."""
    signal.signal(signal.SIGPROF, _too_slow)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if limit:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.freeze()  # so that a collection looks at what the inputs have left, and at nothing else
    devnull = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(devnull, number)
    with os.fdopen(out, "w") as stream:
        for told in work(batch.parser, range(batch.first, batch.first + batch.count), seed, pool, guide):
            if "at" in told:
                marks[:8] = told["at"].to_bytes(8, "little")
                signal.setitimer(signal.ITIMER_VIRTUAL, _KILL)
                signal.alarm(_STUCK)
            else:
                stream.write(json.dumps(told) + "\n")
                stream.flush()


class Inputs:
    """The campaign: batches of all parsers, one after the other."""

    def __init__(self, run: campaign.Campaign, parsers: Sequence[Parser], guide: Guide) -> None:
        self.run, self.parsers, self.guide = run, parsers, guide
        self.pools: dict[str, list[bytes]] = {parser.name: [] for parser in parsers}
        self.faults: dict[tuple[str, str, str], int] = {}
        self.seconds: dict[str, float] = {parser.name: 0.0 for parser in parsers}
        self.counts: dict[str, int] = {parser.name: 0 for parser in parsers}
        self.marks = mmap.mmap(-1, 8)
        self.stderr = os.dup(2)
        self.limit = "libasan" not in os.environ.get("LD_PRELOAD", "")

    def carry_out(self) -> None:
        """All inputs that were asked for."""
        left = {parser.name: share for parser, share in zip(self.parsers, self._shares(), strict=True)}
        while any(left.values()):
            for parser in self.parsers:
                if left[parser.name]:
                    left[parser.name] -= self._batch(parser, min(_BATCH, left[parser.name]))

    def batches(self, wanted: Callable[[], bool]) -> None:
        """A small batch of each parser, while they are ``wanted``."""
        for parser in self.parsers:
            if wanted():
                self._batch(parser, _SMALL_BATCH)

    def _shares(self) -> list[int]:
        each, more = divmod(self.run.size, len(self.parsers))
        return [each + (at < more) for at in range(len(self.parsers))]

    def _batch(self, parser: Parser, count: int) -> int:
        """Some inputs of one parser; how many there were."""
        begun = time.monotonic()
        batch = Batch(parser, self.counts[parser.name], count)
        status = self._child(batch)
        batch.done = count
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _BROKEN:
            raise RuntimeError(f"the campaign itself failed at an input of {parser.name}; see above")
        if status:
            index = int.from_bytes(self.marks[:8], "little")
            batch.done = index - batch.first + 1
            data = made(parser, self.run.seed, index, self.pools[parser.name])
            batch.faults.append(Fault(parser.name, index, f"child {_ended(status)}: {len(data)} bytes", "", data))
        self.seconds[parser.name] += time.monotonic() - begun
        self.counts[parser.name] += batch.done
        self.pools[parser.name] = (self.pools[parser.name] + batch.kept)[-_MOST_KEPT:]
        for fault in batch.faults:
            self._tell(fault)
        self.run.step(batch.done)
        return batch.done

    def _child(self, batch: Batch) -> int:
        reader, writer = os.pipe()
        pid = os.fork()
        if not pid:
            code = _BROKEN
            try:
                os.close(reader)
                child(batch, self.run.seed, self.pools[batch.parser.name], self.guide, self.marks, writer, self.limit)
                code = 0
            except BaseException:
                os.write(self.stderr, traceback.format_exc().encode("utf-8", "replace"))
            finally:
                os._exit(code)
        os.close(writer)
        with os.fdopen(reader) as stream:
            try:
                for line in stream:
                    self._hear(batch, json.loads(line))
            except BaseException:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                raise
        return os.waitpid(pid, 0)[1]

    def _hear(self, batch: Batch, told: dict[str, Any]) -> None:
        if "keep" in told:
            batch.kept.append(bytes.fromhex(told["keep"]))
            self.guide.known.update((name, line) for name, line in told["lines"])
        elif "fault" in told:
            data = bytes.fromhex(told["data"])
            batch.faults.append(Fault(batch.parser.name, told["index"], told["fault"], told["place"], data))

    def _tell(self, fault: Fault) -> None:
        """A finding, once."""
        known = self.faults.get(fault.key, 0)
        self.faults[fault.key] = known + 1
        if known:
            return
        shown = repr(fault.data[:300]) + ("..." if len(fault.data) > 300 else "")
        self.run.found(f"{fault.parser} {fault.index} at {fault.place}: {fault.what}\n    {shown}")
        if self.run.options.keep:
            folder = Path(self.run.options.keep)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{fault.parser}.{fault.index}").write_bytes(fault.data)


def _ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"ended with status {os.waitstatus_to_exitcode(status)}"


def chosen(names: Sequence[str]) -> list[Parser]:
    """The parsers of these names, or whose names begin so; all without names."""
    found = [parser for parser in PARSERS if not names or any(parser.name.startswith(name) for name in names)]
    if not found:
        raise campaign.CannotRun(f"no parser is called {' or '.join(names)}; -list prints their names")
    return found


def attack(until: float, seed: int) -> int:
    """Inputs of all parsers until a monotonic time; how many there were. AssertionError for the first finding."""
    run = campaign.Campaign("inputs", "inputs", 1 << 40, seed, argparse.Namespace(keep=""))
    with _directory(PARSERS):
        inputs = Inputs(run, PARSERS, Guide(wanted=False))
        while time.monotonic() < until and not run.findings:
            inputs.batches(lambda: time.monotonic() < until)
    assert not run.findings, run.findings[0]
    return run.done


@contextmanager
def _directory(parsers: Sequence[Parser]) -> Iterator[None]:
    """A directory for the files of inputs, which is the current one meanwhile."""
    place = tempfile.mkdtemp(prefix="inputs.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    before, environment = os.getcwd(), dict(os.environ)
    try:
        for parser in parsers:
            parser.prepare(place)
        os.chdir(place)
        for parser in parsers:
            made(parser, 0, 0)  # samples are read once, and not in each child
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        shutil.rmtree(place, ignore_errors=True)


def _body(run: campaign.Campaign) -> None:
    options = run.options
    if options.list:
        print("\n".join(parser.name for parser in PARSERS))
        return
    parsers = chosen(options.parser)
    if options.sanitized:
        _sanitized()
    try:
        guide = Guide(options.guided)
    except ImportError:
        raise campaign.CannotRun("-guided needs the package coverage") from None
    with _directory(parsers):
        if options.only is not None:
            _one(run, parsers, options.only)
            return
        inputs = Inputs(run, parsers, guide)
        inputs.carry_out()
    run.figures["by parser"] = inputs.counts
    run.figures["seconds by parser"] = {name: round(seconds, 1) for name, seconds in inputs.seconds.items()}
    run.figures["per second"] = round(run.done / max(0.001, sum(inputs.seconds.values())))
    if options.guided:
        run.figures["lines reached"] = len(guide.known)
        run.figures["kept"] = {name: len(pool) for name, pool in inputs.pools.items()}


def _one(run: campaign.Campaign, parsers: Sequence[Parser], index: int) -> None:
    signal.signal(signal.SIGPROF, _too_slow)
    for parser in parsers:
        data = made(parser, run.seed, index)
        print(repr(data[:2000]))
        what, place = trial(parser, data)
        if what:
            run.found(f"{parser.name} {index} at {place}: {what}")
        run.step()


def _sanitized() -> None:
    """Start again with the compiled parts under sanitizers, unless they are."""
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return
    if shutil.which("gcc") is None:
        raise campaign.CannotRun("-sanitized needs gcc")
    words = [str(_ROOT / "tests" / "attack" / "sanitized"), "-program", __file__, *sys.argv[1:]]
    raise SystemExit(subprocess.run(words, check=False).returncode)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-parser", action="append", default=[], metavar="NAME", help="only parsers that begin so")
    parser.add_argument("-list", action="store_true", help="print the names of the parsers")
    parser.add_argument("-only", type=int, metavar="INDEX", help="repeat one input")
    parser.add_argument("-keep", metavar="DIR", help="save the inputs of findings here")
    parser.add_argument("-guided", action="store_true", help="keep inputs that reach new lines (needs coverage)")
    parser.add_argument("-sanitized", action="store_true", help="build the compiled parts with sanitizers first")


def main(arguments: Sequence[str] | None = None) -> int:
    """The campaign as a command."""
    signal.signal(signal.SIGTERM, lambda signum, frame: sys.exit(143))  # the directory of inputs is removed
    return campaign.main(
        _body,
        name="inputs",
        about=__doc__,
        unit="inputs",
        size=1_000_000,
        options=_options,
        arguments=arguments,
    )


if __name__ == "__main__":
    sys.exit(main())
