"""condor_adstash: what it makes of histories, and what a search engine gets."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Done, Spool, run

from condor_py.cli.adstash import documents, targets
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError


class Engine:
    """A search engine with one index behind an alias, for whom a password is needed."""

    def __init__(self) -> None:
        self.documents: dict[str, dict[str, Any]] = {}
        self.created: dict[str, Any] = {}
        self.mappings: dict[str, Any] = {}
        self.refused: set[str] = set()
        self.broken = False
        self.asked: list[str] = []
        engine = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                self._answer(*engine.answer("HEAD", self.path, b""), empty=True)

            def do_GET(self) -> None:
                self._answer(*engine.answer("GET", self.path, b""))

            def do_PUT(self) -> None:
                self._answer(*engine.answer("PUT", self.path, self._body()))

            do_POST = do_PUT

            def _body(self) -> bytes:
                return self.rfile.read(int(self.headers["Content-Length"]))

            def _answer(self, status: int, content: object, *, empty: bool = False) -> None:
                if self.headers.get("Authorization") != f"Basic {base64.b64encode(b'me:secret').decode()}":
                    status, content = 401, {"error": {"reason": "who are you?"}}
                body = b"" if empty else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.place = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, object]:
        """Status and content of an answer."""
        self.asked.append(f"{method} {path}")
        if self.broken:
            return 503, {"error": {"reason": "out of order"}}
        if path == "/search/_alias/jobs":
            return 200, {"jobs-1": {"aliases": {"jobs": {}}}, "jobs-2": {"aliases": {"jobs": {"is_write_index": True}}}}
        if path == "/search/jobs-2" and method == "HEAD":
            return (200 if self.created else 404), {}
        if path == "/search/jobs-2":
            self.created = json.loads(body)
            self.mappings = self.created["mappings"]
            return 200, {"acknowledged": True}
        if path == "/search/jobs-2/_mapping" and body:
            for name, value in json.loads(body).items():
                self.mappings[name] = {**self.mappings.get(name, {}), **value} if isinstance(value, dict) else value
            return 200, {"acknowledged": True}
        if path == "/search/jobs-2/_mapping":
            return 200, {"jobs-2": {"mappings": self.mappings}}
        if path == "/search/jobs/_bulk":
            return 200, self._bulk([json.loads(line) for line in body.decode().splitlines()])
        return 404, {"error": "no such path"}

    def _bulk(self, lines: list[dict[str, Any]]) -> dict[str, Any]:
        items = []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            name = action["index"]["_id"]
            if name in self.refused:
                items.append({"index": {"error": {"type": "mapper_parsing_exception", "reason": "no date"}}})
            else:
                self.documents[name] = document
                items.append({"index": {"result": "created"}})
        return {"errors": bool(self.refused), "items": items}

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.stop()


def _record(cluster: int, kind: str = "Offset = 0", **attributes: str) -> str:
    names = {
        "GlobalJobId": f'"vm#{cluster}.0#17"', "ClusterId": str(cluster), "ProcId": "0", "JobStatus": "4",
        "JobUniverse": "5", "CompletionDate": str(1_700_000_000 + cluster), "EnteredCurrentStatus": str(cluster),
        "LastRemoteHost": '"slot1_2@node"', "Owner": '"ann"',
    } | attributes  # fmt: skip
    lines = "".join(f"{name} = {text}\n" for name, text in names.items())
    return f'{lines}*** {kind} ClusterId = {cluster} ProcId = 0 Owner = "ann" CompletionDate = 5\n'


class World:
    """Histories, and the tool on them."""

    def __init__(self, spool: Spool) -> None:
        self.directory = spool.path.parent
        self.log = self.directory.parent / "log"
        self.log.mkdir()

    def add(self, name: str, text: str) -> None:
        """Add records to a history."""
        with (self.directory / name).open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def send(self, *options: str) -> Done:
        """Run the tool once."""
        return run("condor_adstash", "--standalone", *options)

    @property
    def checkpoint(self) -> Any:
        """The content of the checkpoint file."""
        return json.loads((self.log / "adstash_checkpoint.json").read_text())

    def files(self) -> list[dict[str, Any]]:
        """The documents in all files of JSON."""
        return [json.loads(line) for path in sorted(self.log.glob("1*.json")) for line in path.open()]


@pytest.fixture
def world(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("_CONDOR_FULL_HOSTNAME", "vm")
    monkeypatch.setenv("_CONDOR_STARTD_HISTORY", str(spool.path.parent / "startd_history"))
    monkeypatch.setenv("_CONDOR_JOB_EPOCH_HISTORY", str(spool.path.parent / "epoch_history"))
    for number in range(8):
        monkeypatch.delenv(f"ADSTASH_{number}", raising=False)
    return World(spool)


def test_new_jobs_are_written_once_and_none_twice(world: World) -> None:
    world.add("history", _record(1) + _record(2))
    options = ("--schedd_history", "--interface=jsonfile")
    assert world.send(*options) == Done("", "", 0)
    assert [each["_id"] for each in world.files()] == ["vm#2.0#17#1700000002", "vm#1.0#17#1700000001"]
    assert world.checkpoint == {"vm": {"ClusterId": 2, "ProcId": 0}}
    world.add("history", _record(3))
    world.send(*options)
    world.send(*options)
    assert [each["ClusterId"] for each in world.files()] == [2, 1, 3]
    shown = json.loads((world.log / "condor_adstash_jsonfile_last_mappings.json").read_text())
    assert shown["mappings"]["properties"]["CompletionDate"] == {"type": "date", "format": "epoch_second"}
    about = world.files()[0]["metadata"]
    assert (about["condor_adstash_source"], about["condor_history_host_name"]) == ("schedd_history", "vm")
    log = (world.log / "adstash.log").read_text()
    assert "Schedd vm schedd_history: response count: 1" in log


def test_histories_of_one_name_keep_their_own_checkpoints(world: World) -> None:
    world.add("history", _record(1))
    world.add("startd_history", _record(5))
    world.add(
        "epoch_history",
        _record(7, "EPOCH", EpochWriteDate="70", JobStatus="2") + _record(8, "INPUT", EpochWriteDate="9"),
    )
    every = ("--schedd_history", "--startd_history", "--schedd_job_epoch_history", "--schedd_transfer_epoch_history")
    for _ in range(2):
        assert world.send(*every, "--interface", "jsonfile") == Done("", "", 0)
    assert sorted(each["_id"] for each in world.files()) == [
        "vm#1.0#17#1700000001",
        "vm#5.0#17#1700000005",
        "vm#7.0#17#70",
        "vm#8.0#0#unknown#unknown#9#0_1",
    ]
    assert set(world.checkpoint) == {"vm", "Job Epoch vm", "Transfer Epoch vm"}
    assert set(world.checkpoint["vm"]) == {"ClusterId", "ProcId", "GlobalJobId", "EnteredCurrentStatus"}


def test_a_search_engine_gets_them(world: World, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add("history", "".join(map(_record, range(1, 6))))
    secret = world.log / "secret"
    secret.write_text("secret\nand more")
    knobs = {
        "SCHEDD_HISTORY": "true", "INTERFACE": "OpenSearch", "SE_HOST": engine.place, "SE_URL_PREFIX": "/search/",
        "SE_USERNAME": "me", "SE_PASSWORD_FILE": str(secret), "SE_INDEX_NAME": "jobs", "SE_BUNCH_SIZE": "2",
    }  # fmt: skip
    for name, value in knobs.items():
        monkeypatch.setenv(f"_CONDOR_ADSTASH_{name}", value)
    engine.refused = {"vm#4.0#17#1700000004"}
    done = world.send()
    assert done.code == 0
    assert "1 errors encountered during bulk index: mapper_parsing_exception (1 times)" in done.err
    assert sorted(engine.documents) == [f"vm#{number}.0#17#170000000{number}" for number in (1, 2, 3, 5)]
    assert engine.created["settings"]["mapping.total_fields.limit"] == 5000
    assert engine.mappings["properties"]["Owner"] == {"type": "keyword"}
    assert (world.log / "condor_adstash_opensearch_last_mappings.json").exists()

    engine.broken = True
    world.add("history", _record(6))
    failed = world.send()
    assert (failed.code, "answers 503" in failed.err) == (1, True)
    assert world.checkpoint["vm"]["ClusterId"] == 5
    engine.broken = False
    engine.refused = set()
    del engine.mappings["properties"]["Owner"]
    assert world.send().code == 0
    assert "vm#6.0#17#1700000006" in engine.documents
    assert "Owner" in engine.mappings["properties"]
    monkeypatch.setenv("ADSTASH_SE_USERNAME", "you")
    world.add("history", _record(7))
    refused = world.send()
    assert refused.code == 1
    assert "who are you?" in refused.err
    assert "secret" not in refused.err + (world.log / "adstash.log").read_text()


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--interface", "paper"], 1, "--interface: Unknown interface selected: paper.\nChoose from: null, elastic"),
        (["--se_timeout", "soon"], 1, "--se_timeout must be an integer (got: soon)"),
        (["--nosuch"], 2, "condor_adstash: error: unrecognized arguments: --nosuch"),
        (["--se_host"], 2, "condor_adstash: error: argument --se_host: expected one argument"),
        (["--log_level=loud"], 1, "--log_level: Invalid log level: loud"),
        (["--ad_file", "nosuch"], 1, "nosuch"),
        (["--schedd_history", "--interface=elasticsearch", "--se_host=127.0.0.1:1"], 1, "cannot reach 127.0.0.1:1: "),
        (["--schedd_history", "--interface=opensearch", "--se_host=a b"], 1, "cannot reach a b: "),
        (["--schedd_history", "--interface=jsonfile", "--json_dir=/dev/null"], 1, "cannot write"),
        (["--schedd_history", "--checkpoint_file=damaged"], 1, "the checkpoint file damaged is damaged"),
        (["--log_file", "/dev/null/log"], 1, "cannot make its directory"),
    ],
)  # fmt: skip
def test_what_is_refused(world: World, options: list[str], code: int, told: str) -> None:
    world.add("history", _record(1))
    Path("damaged").write_text("{")
    done = world.send("--process_name", "FOO", *options)
    assert (done.code, told in done.err) == (code, True), done
    assert "internal error" not in done.err


def test_help_shows_what_is_in_force(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_FOO_SAMPLE_INTERVAL", "77")
    assert "[default: 77]" in run("condor_adstash", "--process_name=FOO", "--help").out
    world.add("history", _record(1))
    assert "another pool" not in (world.send("--schedd_h", "--dry_run").err)
    world.send("--schedd_history", "--dry_run", "--collectors", "elsewhere.example.net")
    assert "elsewhere.example.net is another pool" in (world.log / "adstash.log").read_text()


def test_ads_of_a_file(world: World) -> None:
    world.add("ads", _record(1) + _record(2) + "Owner = 5\n*** Offset = 9\n")
    assert world.send("--ad_file", str(world.directory / "ads"), "--interface", "jsonfile").code == 0
    assert {each["ClusterId"] for each in world.files()} == {1, 2}
    assert (world.log / "adstash.log").read_text().count("an ad without GlobalJobId is left out\n") == 1


def _document(**attributes: str) -> dict[str, Any]:
    ad = ClassAd()
    for name, text in {"GlobalJobId": '"vm#1.0#2"', **attributes}.items():
        ad.set_text(name, text)
    ((_, found),) = documents.of_job(ad, 5)
    json.dumps(found, allow_nan=False)
    return found


def test_fields_of_a_document() -> None:
    found = _document(
        REQUESTMEMORY="2048.7", requestgpus="undefined", RequestFoo="3", WantX="1", isReady="0", MyOwn="7",
        MyList='{1,"a"}', SomeDate="0", OtherDate="12", CPUsUsage="real(\"NaN\")", ToE='[How="x"; Code=1]',
        ClaimId='"secret"', Environment='"A=b"', ExitCode='"none"', Args='"%s"' % ("x" * 300), JobStatus="2",
        Owner='"a\udc80b"', RequestDisk="DiskUsage + 1",
    )  # fmt: skip
    assert found["RecordTime"] == 5
    assert (found["RequestMemory"], found["RequestFoo"], found["WantX"]) == (2048, 3, True)
    assert found["requestgpus" if "requestgpus" in found else "RequestGpus_EXPR"] == "undefined"
    assert (found["IsReady" if "IsReady" in found else "Isready"], found["myown"], found["OtherDate"]) == (
        False,
        "7",
        12,
    )
    assert found["mylist"] == "[1, 'a']"
    assert found["ToE"] == {"How": "x", "Code": 1}
    assert found["CPUsUsage_STRING"] == "nan"
    assert found["ExitCode_STRING"] == "none"
    assert len(found["Args"]) == 256
    assert found["Owner"] == "a\ufffdb"
    assert found["RequestDisk_EXPR"] == "DiskUsage + 1"
    assert not {"ClaimId", "Environment", "SomeDate"} & set(found)


def test_attempts_of_transfers() -> None:
    ad = ClassAd()
    for name, text in {
        "GlobalJobId": '"vm#4.2#2"', "EpochWriteDate": "77", "RemoteHost": '"slot1@node"', "NumShadowStarts": "1",
        "InputPluginResultList": '{ [TransferUrl="osdf+https://x/y"; TransferSuccess=true; TransferTotalBytes=12;'
        "DeveloperData=[Attempts=2; TransferFileBytes0=5; TransferFileBytes1=7; Endpoint=\"e\"];"
        'TransferErrorData={[ErrorType="slow"; DeveloperData=[ErrorCode=4]]}] }',
    }.items():  # fmt: skip
        ad.set_text(name, text)
    found = list(documents.of_transfer(ad, 5))
    assert [name for name, _ in found] == ["vm#4.2#1#https#download#77#0_2", "vm#4.2#1#https#download#77#1_2"]
    first, last = (document for _, document in found)
    assert (first["AttemptFileBytes"], first["ErrorType"], first["ErrorCode"]) == (5, "slow", 4)
    assert "TransferTotalBytes" not in first
    assert (last["AttemptFileBytes"], last["FinalAttempt"], last["TransferTotalBytes"]) == (7, True, 12)
    assert (last["StartdName"], last["ClusterId"], last["ProcId"], last["Endpoint"]) == ("node", 4, 2, "e")


@pytest.mark.parametrize("option", ["--read_only", "--dry_run"])
def test_nothing_is_sent_where_that_is_asked_for(world: World, option: str) -> None:
    """The older ways to name the interface null."""
    world.add("history", _record(1))
    assert world.send("--schedd_history", "--interface=jsonfile", option) == Done("", "", 0)
    assert world.files() == []
    assert "Schedd vm schedd_history: response count: 1" in (world.log / "adstash.log").read_text()


def test_files_are_written_where_the_older_option_asks_for_them(world: World) -> None:
    world.add("history", _record(1))
    assert world.send("--schedd_history", "--interface=null", "--json_local").code == 0
    assert len(world.files()) == 1


def test_some_attributes_of_each_job(world: World) -> None:
    """Those that documents are named and ordered by come with them; without a list all are sent."""
    world.add("history", _record(1, Args='"-v"', NumRestarts="3"))
    assert world.send("--schedd_history", "--interface=jsonfile", "--log_level=INFO").code == 0
    (whole,) = world.files()
    assert {"Args": "-v", "NumRestarts": 3, "Owner": "ann"}.items() <= whole.items()
    world.add("history", _record(2, Args='"-v"', NumRestarts="3"))
    words = ("--schedd_history", "--interface=jsonfile", "--log_level=INFO")
    assert world.send(*words, "--schedd_history_projection", "NumRestarts, Args").code == 0
    part = world.files()[-1]
    assert {"Args": "-v", "NumRestarts": 3, "ClusterId": 2, "GlobalJobId": "vm#2.0#17"}.items() <= part.items()
    assert "Owner" not in part
    log = (world.log / "adstash.log").read_text()
    assert "Getting all of schedd_history\n" in log
    assert "Getting schedd_history since (ClusterId == 1) && (ProcId == 0)\n" in log


def test_a_limit_on_the_ads_of_one_look(world: World) -> None:
    """The newest are sent, and the others never."""
    world.add("history", _record(1) + _record(2) + _record(3))
    assert world.send("--schedd_history", "--interface=jsonfile", "--schedd_history_max_ads=2").code == 0
    assert [each["ClusterId"] for each in world.files()] == [3, 2]
    (world.log / "adstash_checkpoint.json").unlink()
    assert world.send("--schedd_history", "--interface=jsonfile", "--schedd_history_max_ads=1").code == 0
    assert [each["ClusterId"] for each in world.files()[2:]] == [3]
    (world.log / "adstash_checkpoint.json").unlink()
    assert world.send("--schedd_history", "--interface=jsonfile", "--schedd_history_max_ads=0").code == 0
    assert [each["ClusterId"] for each in world.files()[3:]] == [3, 2, 1]  # no limit


@pytest.mark.parametrize(("host", "place"), [("a:80", "a:80"), ("a", "a:9200"), ("a:b", "a:b:9200"), ("80", "80:9200")])
def test_the_port_of_a_search_engine(host: str, place: str) -> None:
    assert targets._with_port(host) == place


@pytest.mark.parametrize(
    ("wanted", "known", "missing"),
    [
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1}, {"a": 2}, {}),
        ({"p": {"x": 1, "y": 2}}, {"p": {"x": 3}}, {"p": {"y": 2}}),
        ({"p": {"x": 1}}, {"p": {"x": 3}}, {}),
        ({"p": {"x": 1}}, {"p": 5}, {}),
        ({"p": 5, "q": {"x": 1}}, {"p": {"x": 1}}, {"q": {"x": 1}}),
    ],
)
def test_what_the_mappings_of_an_index_lack(wanted: Any, known: Any, missing: Any) -> None:
    assert targets._missing(wanted, known) == missing


def test_errors_of_a_search_engine_are_counted_by_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The three most common are named, and the reason of the first."""
    told: list[tuple[str, str]] = []
    engine = targets.SearchEngine(
        targets.Server("h"), "jobs", targets.Mappings(""), lambda level, text: told.append((level, text))
    )
    kinds = ["b", "a", "a", "c", "c", "c", "d", "d"]
    items = [{"index": {"error": {"type": kind, "reason": f"of {kind}"}}} for kind in kinds]
    answer = {"errors": True, "items": [*items, {"index": {"result": "created"}}, 5, {"index": 5}]}
    monkeypatch.setattr(engine, "_prepare", lambda fields: None)
    monkeypatch.setattr(engine, "_ask", lambda *words: answer)
    assert engine.post([(str(number), {}) for number in range(11)], {}, documents.of_jobs()) == 3
    assert told == [
        ("ERROR", "8 errors encountered during bulk index: c (3 times), a (2 times), d (2 times)"),
        ("ERROR", "Example reason: of b"),
    ]


@pytest.mark.parametrize(("user", "password"), [("me", ""), ("", "secret")])
def test_half_of_an_account_is_none(user: str, password: str) -> None:
    told: list[str] = []
    targets.SearchEngine(
        targets.Server("h", "", user, password), "i", targets.Mappings(""), lambda level, text: told.append(text)
    )
    assert told == ["Only one of username and password have been defined, attempting anonymous connection to h"]


def test_authorities_that_cannot_be_read() -> None:
    engine = targets.SearchEngine(
        targets.Server("h", https=True, authorities="/nowhere"), "i", targets.Mappings(""), lambda level, text: None
    )
    with pytest.raises(CondorError, match=r"^cannot read /nowhere: No such file or directory$"):
        engine.post([], {}, documents.of_jobs())


def test_the_index_that_an_alias_writes_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a mark the last by name, without an alias the index of that name."""
    engine = targets.SearchEngine(targets.Server("h"), "jobs", targets.Mappings(""), lambda level, text: None)
    answers: list[Any] = [
        {"jobs-1": {"aliases": {"jobs": {"is_write_index": True}}}, "jobs-2": {"aliases": {"jobs": {}}}},
        {"jobs-1": {"aliases": {"jobs": {}}}, "jobs-3": {"aliases": {}}, "jobs-2": {}},
        {},
        [],
    ]
    monkeypatch.setattr(engine, "_exists", lambda path, quoted=False: True)
    monkeypatch.setattr(engine, "_ask", lambda method, path: answers.pop(0))
    assert [engine._active() for _ in range(4)] == ["jobs-1", "jobs-3", "jobs", "jobs"]
    monkeypatch.setattr(engine, "_exists", lambda path, quoted=False: False)
    assert engine._active() == "jobs"


@pytest.mark.parametrize(
    ("server", "url", "account"),
    [
        (targets.Server("h:1", "/a/", "me", "x", timeout=7), "http://h:1/a/i", "Basic bWU6eA=="),
        (targets.Server("h", "", "me", timeout=7), "http://h:9200/i", None),
        (targets.Server("h", "a/b", "", "x", timeout=7), "http://h:9200/a/b/i", None),
    ],
)
def test_what_a_search_engine_is_sent(
    monkeypatch: pytest.MonkeyPatch, server: targets.Server, url: str, account: str | None
) -> None:
    sent: list[Any] = []

    class Answer(io.BytesIO):
        status = 200

    class Opener:
        def open(self, request: Any, timeout: int) -> Answer:
            sent.append((request, timeout))
            return Answer(b"{}")

    monkeypatch.setattr(targets, "_opener", lambda server: Opener())
    engine = targets.SearchEngine(server, "i", targets.Mappings(""), lambda level, text: None)
    assert engine._ask("PUT", "i", b"body") == {}
    engine._ask("POST", "i", b"more", "application/x-ndjson")
    engine._ask("GET", "i")
    assert [(request.method, request.full_url, request.data, request.get_header("Content-type"), timeout)
            for request, timeout in sent] == [
        ("PUT", url, b"body", "application/json", 7), ("POST", url, b"more", "application/x-ndjson", 7),
        ("GET", url, None, None, 7),
    ]  # fmt: skip
    assert {request.get_header("Authorization") for request, _ in sent} == {account}
