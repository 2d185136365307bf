"""What other processes send: messages between daemons and tools, Chirp, what hooks, plugins, cron programs, container
engines and batch systems print.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import random
import re
import shutil
from collections.abc import Callable
from functools import cache
from typing import Any

import input_ads
from input_maker import Maker, Parser, text_of

import condor_py.model.messages
from condor_py.client import chirpwire
from condor_py.client.wire import Decoder, encode
from condor_py.core.routes import hooks as route_hooks
from condor_py.core.slots.cronoutput import CronOutput
from condor_py.daemons.common.program import Ended
from condor_py.daemons.starter.chirpsession import Grants, Session, Wanted
from condor_py.daemons.starter.starterhooks import decision
from condor_py.lang.classad import ClassAd, parse
from condor_py.machine.batch import arc, notices
from condor_py.machine.batch.lsf import Lsf
from condor_py.machine.batch.pbs import Pbs
from condor_py.machine.batch.sge import GridEngine
from condor_py.machine.batch.slurm import Slurm
from condor_py.machine.batch.system import Order, order_of
from condor_py.machine.run import builtin_urls, checkpointlists, dockerimages, plugins
from condor_py.machine.run.destination import InvalidCheckpoint
from condor_py.machine.run.engine import Answer, Engine
from condor_py.machine.run.failures import UrlError
from condor_py.machine.run.vm import qmp
from condor_py.model import jsontext
from condor_py.model.ids import JobId
from condor_py.model.messages.codec import (
    BadMessage,
    Message,
    Vocabulary,
    fields_of,
    head_of,
    read,
    read_answer,
    refusal,
)
from condor_py.model.settings.containers import DockerSettings

#: Values of fields by their annotation; those of others are of any kind.
_VALUES: dict[str, tuple[Any, ...]] = {
    "str": ("", "x", "1.0", "a@b", "slot1@h", "<1>", "\udcff", "a\nb", "x" * 3000, "\x1b[2J"),
    "Line": ("", "a\nb", "why", "\udcff\x00"),
    "int": (0, 1, -1, 5, 1 << 63, -(1 << 63), 1 << 70),
    "Natural": (0, 7, 1 << 62),
    "float": (0, 1.5, -1.0, 1e300, 5),
    "bool": (True, False),
    "JobId": ([1, 0], [7, -1], [1 << 62, 0]),
    "JobName": ("1.0", "01.-1", "7.-3", "1", ""),
    "Jobs": ([[1, 0], [2, 1]], []),
    "ChosenJobs": ([[1, 0]], []),
    "Pairs": ([["A", "1"], ["B", '"x"']], []),
    "Attributes": ({"A": "1", "b c": "2", "B": "1\n2"}, {}),
    "dict[str, str]": ({"A": "1"}, {}),
    "dict[str, Any]": ({"A": 1, "b": [None]}, {}),
    "Sequence[str]": (["a", "b"], []),
    "Sequence[int]": ([1, 2], []),
    "Sequence[float]": ([1, 2.5], []),
    "Sequence[Any]": ([1, "a", None, {}, []], []),
    "Sequence[Pairs]": ([[["A", "1"]]], []),
    "How": ("graceful", "fast"),
    "DrainHow": ("graceful", "quick"),
    "OnCompletion": ("nothing", "resume"),
}
_ODD = (None, True, 0, -1, 1.5, "", "x", [], {}, [[]], {"a": {}}, [1, 0], "1.0", 1 << 64, [None], ["a", 1])


@cache
def kinds() -> tuple[type[Message], ...]:
    """Every message, answer and part of a message."""
    package = condor_py.model.messages
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    found: list[type[Message]] = []
    waiting: list[type[Message]] = [Message]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind._kinds and kind not in found:
            found.append(kind)
    return tuple(sorted(found, key=lambda kind: (kind.__module__, kind.__qualname__)))


def _annotations(kind: type[Message]) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        found |= vars(base).get("__annotations__", {})
    return found


def _head(kind: type[Message], chance: random.Random, depth: int = 0) -> dict[str, Any]:
    head: dict[str, Any] = {"op": kind.op} if kind.op else {"ok": chance.random() < 0.9}
    annotations = _annotations(kind)
    for name, _, _, needed in kind._kinds:
        if needed or chance.random() < 0.7:
            head[name] = _value(annotations.get(name, ""), chance, depth)
    if chance.random() < 0.2:
        head[chance.choice(("new", "error", "op", "ok", ""))] = chance.choice(_ODD)
    return head


def _value(annotation: str, chance: random.Random, depth: int) -> Any:
    annotation = annotation.removesuffix(" | None")
    if chance.random() < 0.04:
        return chance.choice(_ODD)
    if annotation in _VALUES:
        return chance.choice(_VALUES[annotation])
    inner = annotation.removeprefix("Sequence[").removesuffix("]")
    parts = [kind for kind in kinds() if kind.__name__ == inner]
    if not parts or depth > 3:
        return chance.choice(_ODD)
    part = _head(parts[0], chance, depth + 1)
    return [part] if annotation.startswith("Sequence[") else part


def _message(maker: Maker) -> bytes:
    head = _head(maker.chance.choice(kinds()), maker.chance)
    return maker.pick([json.dumps(head)])


#: Two halves of a character, each sent as one of its own, which are that character when they are read again.
_PAIR = re.compile(r"\\ud[89ab]..\\ud[c-f]")


def _read_message(data: bytes) -> None:
    try:
        head = jsontext.read(data)
    except (ValueError, RecursionError):
        return
    if type(head) is not dict:
        return
    for kind in _of_word(head.get("op")):
        try:
            message = read(kind, head)
        except BadMessage as error:
            _check_refusal(head, error)
            continue
        text = jsontext.write(head_of(message))
        again = read(kind, jsontext.read(text.encode()))
        assert again == message or _PAIR.search(text), f"{message!r:.300} reads back as {again!r:.300}"
        assert jsontext.write(head_of(again)) == text
        assert dict(again.unknown) == dict(message.unknown)
        repr(message)
    try:
        _vocabulary().read(head)
    except BadMessage as error:
        _check_refusal(head, error)


def _check_refusal(head: dict[str, Any], error: BadMessage) -> None:
    """A refusal is one line, and a message itself."""
    told = refusal(head, error)
    assert "\n" not in str(error), f"several lines: {str(error)[:200]!r}"
    assert len(str(error)) < 400, f"a refusal of {len(str(error))} characters"
    jsontext.write(fields_of(told)).encode()
    read_answer(type(told), jsontext.read(jsontext.write(head_of(told)).encode()))


@cache
def _by_word() -> dict[object, list[type[Message]]]:
    found: dict[object, list[type[Message]]] = {}
    for kind in kinds():
        found.setdefault(kind.op, []).append(kind)
    return found


def _of_word(word: object) -> list[type[Message]]:
    return _by_word().get(word if type(word) is str else "", [])[:20]


@cache
def _vocabulary() -> Vocabulary:
    return Vocabulary(*(kind for kind in kinds() if kind.op))


def _frames(maker: Maker) -> bytes:
    parts = []
    for _ in range(maker.chance.randint(1, 3)):
        head = _head(maker.chance.choice(kinds()), maker.chance)
        body = maker.chance.choice((b"", b"{}", b'{"A":"1"}', b"x" * 50))
        parts.append(encode(head, body))
    return maker.pick([b"".join(parts)])


def _read_frames(data: bytes) -> None:
    once = Decoder(1 << 24, 1 << 23, 1 << 24, keeps_text=True)
    whole, problem = _all(once, [data])
    cut = random.Random(len(data)).randint(0, len(data))
    halves, other = _all(Decoder(1 << 24, 1 << 23, 1 << 24), [data[:cut], data[cut:]])
    assert (whole, problem) == (halves, other), "frames that come in two pieces are others"


def _all(decoder: Decoder, pieces: list[bytes]) -> tuple[list[Any], str]:
    found: list[Any] = []
    try:
        for piece in pieces:
            for one in decoder.feed(piece):
                found.append(repr(one))
    except Parser.errors as error:
        return found, str(error)
    assert decoder.promised >= decoder.waiting
    return found, ""


# Chirp

_CHIRP = (
    "get_job_attr A", "set_job_attr A 1", "set_job_attr_delayed ChirpA 1", "get_job_attr_delayed ChirpA", "constrain A",
    "ulog x", "version", "open f rwct 420", "open g r 0", "close 0", "close 1", "read 0 10", "pread 0 5 1",
    "sread 0 9 0 3 3", "write 0 3", "pwrite 0 2 1", "swrite 0 4 0 2 2", "lseek 0 0 2", "fsync 0", "fstat 0",
    "fstatfs 0", "fchmod 0 420", "ftruncate 0 10", "getfile f", "putfile f 420 3", "unlink f", "rename f g",
    "mkdir d 511", "rmdir d", "rmall d", "link f g", "symlink f h", "readlink h 100", "lookup f", "getdir .",
    "getlongdir .", "stat f", "lstat h", "statfs .", "access f 4", "chmod f 384", "truncate f 3", "utime f 1 2",
    "whoami 10", "bogus", "", "read 0 99999999999", "open a\\ b w 384", "pwrite 0 5 9999999999999", "sread 0 9 0 0 0",
    "abc",
)  # fmt: skip


def _chirp(maker: Maker) -> bytes:
    return maker.pick([maker.lines(_CHIRP, 6)])


class _Line:
    """The other end of a Chirp connection: gives what the job sends, and takes what it is answered."""

    def __init__(self, data: bytes) -> None:
        self.rest = data
        self.answers: list[bytes] = []
        self.size = 0

    def recv(self, size: int) -> bytes:
        data, self.rest = self.rest[: min(size, 1000)], self.rest[min(size, 1000) :]
        return data

    def sendall(self, data: bytes) -> None:
        self.size += len(data)
        self.answers.append(data[:20])


class _Asked:
    """The line to the starter."""

    def makefile(self, mode: str) -> _Asked:
        return self

    def write(self, data: bytes) -> None:
        """Nothing is kept."""

    def flush(self) -> None:
        """Nothing is kept."""

    def readline(self) -> bytes:
        return b'"1"\n'


def _read_chirp(data: bytes) -> None:
    there = os.getcwd()
    shutil.rmtree("chirp", ignore_errors=True)
    os.mkdir("chirp")
    # Nothing above the directory is reached: names with a slash or two dots are for the kernel's rights to refuse.
    if b"/" in data or b".." in data or b"~" in data:
        data = data.replace(b"/", b"_").replace(b"..", b"__").replace(b"~", b"_")
    line = _Line(data)
    grants = Grants(files=True, updates=True, delayed=True)
    wanted = Wanted(JobId(1, 0), os.path.join(there, "chirp"), os.path.join(there, "nothing"), grants)
    session = Session(line, b"", _Asked(), wanted)  # type: ignore[arg-type]
    before = _descriptors()
    try:
        session.serve()
    except OSError:
        pass  # the connection ends within a request
    finally:
        os.chdir(there)
        for number in _descriptors() - before:
            os.close(number)
    for answer in line.answers:
        code, newline, _ = answer.partition(b"\n")
        assert newline, f"no line: {answer!r}"
        int(code)


def _descriptors() -> set[int]:
    found = {int(name) for name in os.listdir("/proc/self/fd")}
    return {number for number in found if os.path.lexists(f"/proc/self/fd/{number}")}


def _read_chirp_words(data: bytes) -> None:
    for line in data.split(b"\n"):
        found = chirpwire.words(line)
        again = chirpwire.words(b" ".join(chirpwire.quoted(os.fsdecode(word)) for word in found))
        if not any(byte in word for word in found for byte in b"\v\f"):
            assert again == [word for word in found if word] or b"" in found, (
                f"{found!r:.200} reads back as {again!r:.200}"
            )
        for word in found:
            for reader in (chirpwire.number, chirpwire.text, chirpwire.path, chirpwire.open_flags):
                try:
                    reader(word)
                except chirpwire.Refused:
                    continue


# hooks, cron programs, plugins


def _printed(maker: Maker) -> bytes:
    ads = "".join(f"{name} = {text}\n" for name, text in input_ads.any_ad(maker).text_items())
    return maker.pick([ads + maker.chance.choice(("", "- update:true\n", "-tag\n", "------\n", "\n\n"))])


_JOB = (("ClusterId", "1"), ("ProcId", "0"), ("JobStatus", "1"), ("Cmd", '"x"'), ("Owner", '"a"'))


def _read_hooks(data: bytes) -> None:
    job = ClassAd.from_text_items(_JOB)
    for kind in route_hooks.Kind:
        answer = route_hooks.read(route_hooks.HookCall(kind, JobId(1, 0), None, "/h", "r"), data)
        after = route_hooks.model(job, answer)
        changes = [*route_hooks.differences(JobId(1, 0), job, after), *route_hooks.changes(JobId(1, 0), job, answer)]
        for _, name, text in _texts(after):
            assert "\n" not in text, f"{name} has several lines"
        repr(changes)
    for ended in (Ended(0, 0, data, b""), Ended(None, 9, data, data), Ended(3, 0, data, b"", cut=True)):
        prepared = decision("HOOK", "/h", ended)
        for name, text in prepared.changes:
            assert "\n" not in text, f"{name} has several lines"


def _texts(ad: ClassAd) -> list[tuple[int, str, str]]:
    return [(0, name, text) for name, text in ad.text_items()]


def _read_cron(data: bytes) -> None:
    whole, parts = CronOutput("P_"), CronOutput("P_")
    once = [*whole.feed(data, 5.0), *whole.finish(5.0)]
    twice = []
    for at in range(0, len(data), max(1, len(data) // 7)):
        twice += parts.feed(data[at : at + max(1, len(data) // 7)], 5.0)
    twice += parts.finish(5.0)
    assert once == twice, "what comes in pieces is something else"
    for ad in once:
        for name, text in ad.pairs:
            assert name.startswith("P_")
            assert "\n" not in text


def _plugin(maker: Maker) -> bytes:
    return maker.pick(
        (
            '[ TransferSuccess = true; TransferUrl = "http://x/y"; TransferFileName = "y"; TransferTotalBytes = 5 ]\n',
            'TransferSuccess = false\nTransferError = "no"\nTransferUrl = "x:y"\n\nTransferSuccess = true\n',
            'PluginVersion = "0.1"\nPluginType = "FileTransfer"\nSupportedMethods = "http,https"\n',
            '[ DeveloperData = [ a = 1 ]; TransferErrorData = { [ ErrorType = "Parameter"; ErrorCode = 5 ] } ]',
        )
    )


def _read_plugin(data: bytes) -> None:
    with open("plugin.out", "wb") as file:
        file.write(data)
    for ad in plugins._ads_of("plugin.out"):
        shown = plugins._in_line(ad)
        parse(shown)
        ad.eval_bool("TransferSuccess", False)
        ad.eval_str("TransferError", None)
        plugins.record_of(1, [plugins.Told("[ a = 1 ]", (shown,))])


# engines


class _Engine(Engine):
    """An engine that always answers the same."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def ask(self, *words: str, patience: float = 0.0) -> Answer:
        return Answer.of(0, self.data, b"")


def _inspected(maker: Maker) -> bytes:
    return maker.pick(
        (
            '{"Status":"exited","Running":false,"Pid":0,"ExitCode":3,"OOMKilled":true,"Error":"","FinishedAt":"x"}',
            '{"80/tcp":[{"HostIp":"0.0.0.0","HostPort":"32768"},{"HostIp":"::","HostPort":"32768"}],"90/tcp":null}',
            "debian:stable 5d0da3dc9764 124MB\nhtcondor.org/a/b:x 5d0da3dc9764 1.2GB\n<none> x 5 B\n",
            "sha256:5d0da3dc9764 2026-01-01 00:00:00 +0000 UTC\n",
        )
    )


def _read_inspected(data: bytes) -> None:
    engine = _Engine(data)
    state = engine.state("x")
    assert state is None or isinstance(state, dict)
    for inside, outside in engine.ports("x").items():
        assert inside >= 0
        assert outside >= 0
    images = dockerimages.Images(engine, DockerSettings())
    images.ours()
    images.bytes()
    images.architecture("x")
    engine.ask("x").line.encode("utf-8", "surrogateescape")


class _Socket:
    """The socket of a machine's monitor."""

    def __init__(self, data: bytes) -> None:
        self.rest = data

    def recv(self, size: int) -> bytes:
        data, self.rest = self.rest[:size], self.rest[size:]
        return data


def _monitor(maker: Maker) -> bytes:
    return maker.pick(
        (
            '{"QMP": {"version": {"qemu": {"minor": 2, "major": 7}}, "capabilities": []}}\n{"return": {}}\n',
            '{"event": "SHUTDOWN", "data": {"guest": true}}\n{"return": {"status": "running"}}\n',
            '{"error": {"class": "GenericError", "desc": "no"}}\n',
        )
    )


def _read_monitor(data: bytes) -> None:
    monitor = qmp.Monitor.__new__(qmp.Monitor)
    monitor._data = data + b"\n"
    monitor._happened = lambda name, told: None
    monitor._check = _hang_up
    try:
        while b"\n" in monitor._data:
            message = monitor._message(0.0)
            assert type(message) is dict
    except (qmp.Hangup, qmp.Refusal, TimeoutError):
        pass


def _hang_up() -> None:
    raise qmp.Hangup


_ORDER = Order("a_1_0", "/s", "/d", queue="q@c", project="p", runtime=60, cpus=2, memory=10, gpus=1)
_QSTAT = {
    "Jobs": {
        "5.server": {
            "Job_Name": "htc_5",
            "Job_Owner": "a@h",
            "job_state": "F",
            "Exit_status": 265,
            "comment": "x walltime",
        },
        "6.server": {"Job_Name": "htc_6", "Job_Owner": "a@h", "job_state": "R", "substate": 91},
    }
}
_PRINTED = (
    "12|RUNNING|None|a_1_0\n13|PENDING|(Resources)|a_2_0\n14|TIMEOUT|x|a_3_0\n15|CANCELLED by 5|None|b\n",
    "12;cluster\n", "5.server\n", "Job <5> is submitted to queue <normal>.\n", json.dumps(_QSTAT),
    "Job Id: 5.server\n    Job_Name = htc_5\n    Job_Owner = a@h\n    job_state = C\n    exit_status = 271\n"
    "    comment = a\n\tb\n",
    "<?xml version='1.0'?><job_info><queue_info><job_list state=\"running\"><JB_job_number>5</JB_job_number>"
    "<JB_name>a_1_0</JB_name><state>r</state></job_list></queue_info></job_info>",
    "12|EXIT|TERM_RUNLIMIT: job killed|a_1_0\n", "5 a RUN normal h1 h2 a_1_0 Jan 1 10:00\n",
)  # fmt: skip
_BATCH_WORDS = (
    "|",
    "RUNNING",
    "Job Id: ",
    " = ",
    "exit_status = ",
    "job_state = ",
    "<job_list>",
    "</job_list>",
    "Jobs",
    "[",
    "]",
    "{",
)


def _refused_in_words(step: Callable[[], object]) -> None:
    """Carry out a step, which may refuse what it gets."""
    refusal: BaseException | None = None
    try:
        step()
    except Parser.errors as error:
        refusal = error
    assert refusal is None or str(refusal).strip(), "a refusal without a word"


def _systems() -> tuple[Any, ...]:
    pbs = Pbs()
    return Slurm(), pbs, pbs.older, pbs.older.older, GridEngine(), Lsf(), Lsf().older


def _read_batch(data: bytes) -> None:
    printed = data.decode("utf-8", "replace")
    for system in _systems():
        for step in (
            lambda system=system: system.submitted(printed, _ORDER),
            lambda system=system: system.looked(printed, system.looks("a", ["5", "6@c"])[-1], "a"),
        ):
            _refused_in_words(step)
        system.is_away(printed)
        system.is_older(printed)
        system.knows_nothing(printed)


def _read_order(data: bytes) -> None:
    ad = ClassAd()
    ad.set_str("BatchExtraSubmitArgs", text_of(data))
    for name in ("BatchRuntime", "RequestMemory", "RequestCpus", "RequestGPUs", "BatchQueue", "Remote_RequestCpus"):
        ad.set_text(name, text_of(data))
    order = order_of("n", "s", "d", ad)
    for system in _systems():
        assert all(isinstance(word, str) for word in system.submit(order))


_ARC = (
    '{"job":[{"id":"abc","state":"FINISHED","status-code":"200"},{"id":"d","reason":"no","status-code":"500"}]}',
    '{"job":{"id":"abc","info_document":{"ComputingActivity":{"State":["arcrest:FINISHED"],"Error":["a","b"]}}}}',
    '{"file":["a","b"],"dir":"c"}',
    "",
    '{"job":[]}',
)


def _read_arc(data: bytes) -> None:
    for reader in (arc.jobs_of, arc.states_of, arc.entries_of, arc.created):
        _refused_in_words(lambda reader=reader: reader(data))
    for activity in arc.activities(data).values():
        arc.is_over(activity)
        arc.failure(activity)


def _notice(maker: Maker) -> bytes:
    times = "0m0.00s 0m0.00s\n0m1.50s 0m0.25s\n"
    return maker.pick(("5 host\n", f"{times}exit 3\n", "x\n1m2,5s 0m0s\nsignal 9\n", "cannot 13\n"))


def _read_notice(data: bytes) -> None:
    for end in (notices.BEGAN, notices.ENDED, notices.SAID):
        with open(f"job{end}", "wb") as file:
            file.write(data)
    notices.beginning(".", "job")
    notices.ending(".", "job")


def _manifest(maker: Maker) -> bytes:
    return maker.pick((f"{'0' * 64} *a\n{'1' * 64} *b c\n{'2' * 64} *MANIFEST.0001\n",))


def _read_manifest(data: bytes) -> None:
    with open("MANIFEST.0001", "wb") as file:
        file.write(data)
    for line in text_of(data).split("\n"):
        checkpointlists.file_of(line)
        checkpointlists.checksum_of(line)
        checkpointlists.checkpoint_number(line)
    for step in (checkpointlists.is_whole, checkpointlists.listed, checkpointlists.check_files):
        try:
            step("MANIFEST.0001")
        except (OSError, InvalidCheckpoint, *Parser.errors):
            continue


def _read_token(data: bytes) -> None:
    try:
        builtin_urls._token_in_json("https://x", text_of(data))
    except UrlError:
        pass
    dockerimages.size_of(text_of(data))


PARSERS = (
    Parser("messages", _message, _read_message),
    Parser("frames", _frames, _read_frames),
    Parser("chirp", _chirp, _read_chirp, _CHIRP),
    Parser("chirp-words", _chirp, _read_chirp_words, _CHIRP),
    Parser("hooks", _printed, _read_hooks, input_ads.WORDS),
    Parser("cron", _printed, _read_cron, (*input_ads.WORDS, "\n-", " update:false\n", "\n- tag update\n")),
    Parser("plugins", _plugin, _read_plugin, input_ads.WORDS),
    Parser("engine", _inspected, _read_inspected, ('"HostPort"', "null", '"ExitCode":', "/tcp", "MB")),
    Parser("monitor", _monitor, _read_monitor, ('"event"', '"error"', '"return"', '"data"', "{}", "[]")),
    Parser("batch", lambda maker: maker.pick(_PRINTED), _read_batch, _BATCH_WORDS),
    Parser("batch-order", lambda maker: maker.pick(("-x 'a b' \"c\"", "5", "1e300")), _read_order),
    Parser("arc", lambda maker: maker.pick(_ARC), _read_arc),
    Parser("batch-notices", _notice, _read_notice),
    Parser("manifests", _manifest, _read_manifest),
    Parser("oauth", lambda maker: maker.pick(('{"access_token": "abc"}', "12.5MB", "1.2 kB")), _read_token),
)
