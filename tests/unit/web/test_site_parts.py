"""Parts of the site, each at its bounds: refusals, forms, logins, streams, children that work, files of jobs."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool
from visits import Clock, Visited

from condor_py.cli.web import actions, app, events, openapi, security, userfiles, work, works
from condor_py.cli.web.events import Streams
from condor_py.cli.web.login import Doorkeeper
from condor_py.cli.web.page import WHOLE, BadRequest, Forbidden, Page, Parameter, Place, Viewer
from condor_py.cli.web.turns import TooMany, Turns
from condor_py.cli.web.userfiles import JobFile
from condor_py.cli.web.works import State, Works
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.web import WebSettings

# ---- requests that are refused ---------------------------------------------------------------------------------------


def request(
    method: str = "GET", client: str = "127.0.0.1", path: str = "/pool", query: bytes = b"", **headers: str
) -> Any:
    given = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return {
        "type": "http", "method": method, "path": path, "query_string": query, "headers": given,
        "client": (client, 4000) if client else None, "server": ("127.0.0.1", 9680),
    }  # fmt: skip


GUARD = security.Guarded(Any, WebSettings(interface="127.0.0.9", host_names=("Pool.example.net",)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "client", "status"),
    [
        ("localhost", "10.0.0.1", 0), ("LOCALHOST:80", "10.0.0.1", 0), ("127.0.0.1:9680", "10.0.0.1", 0),
        ("[::1]:80", "10.0.0.1", 0), ("127.0.0.9", "10.0.0.1", 0), ("pool.example.net", "10.0.0.1", 0),
        ("POOL.EXAMPLE.NET:443", "10.0.0.1", 0), ("evil.example", "10.0.0.1", 421), ("evil.example", "", 421),
        ("evil.example", "account:ann", 0), ("evil.example", "local:1000", 421), ("[::1", "account:ann", 0),
        ("localhost@evil.example", "10.0.0.1", 421), ("", "10.0.0.1", 421),
    ],
)  # fmt: skip
def test_names_of_the_site(host: str, client: str, status: int) -> None:
    assert GUARD._refused(request(client=client, host=host)) == status


def test_a_request_has_one_host_and_a_known_method() -> None:
    twice = request(host="localhost")
    twice["headers"] *= 2
    assert GUARD._refused(twice) == 421
    assert GUARD._refused(request()) == 421
    methods = [GUARD._refused(request(method, host="localhost")) for method in ("GET", "HEAD", "POST", "PUT", "TRACE")]
    assert methods == [0, 0, 0, 405, 405]


@pytest.mark.parametrize(("more", "status"), [(0, 0), (1, 431)])
def test_the_head_of_a_request_is_bounded(more: int, status: int) -> None:
    """Each header counts with the four characters between its parts."""
    size = 16384 - len("/pool") - len("a=1") - (len("host") + len("localhost") + 4) - (len("x") + 4)
    assert GUARD._refused(request(query=b"a=1", host="localhost", x="y" * (size + more))) == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 0), ({"sec_fetch_site": "same-origin"}, 0), ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "none"}, 403), ({"origin": "null"}, 0), ({"origin": "http://localhost:9680"}, 0),
        ({"origin": "http://localhost"}, 403), ({"origin": "http://evil.example"}, 403), ({"origin": ""}, 403),
        ({"origin": "null", "sec_fetch_site": "cross-site"}, 403), ({"referer": "http://evil.example"}, 0),
    ],
)  # fmt: skip
def test_forms_of_other_sites(headers: dict[str, str], status: int) -> None:
    assert GUARD._refused(request("POST", host="localhost:9680", **headers)) == status
    assert GUARD._refused(request("GET", host="localhost:9680", **headers)) == 0


@pytest.mark.parametrize(
    ("scope", "status", "body"),
    [
        (request("PUT", host="localhost"), 405, "This method is not served.\n"),
        (request(host="evil.example"), 421, "This server does not answer for that host name.\n"),
        (request("POST", host="localhost", origin="http://x"), 403, "This form comes from another site.\n"),
        (request(host="localhost", x="y" * 20000), 431, "The head of this request is too long.\n"),
    ],
)
def test_a_refusal_says_why(scope: Any, status: int, body: str) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(GUARD(scope, Any, send))  # type: ignore[arg-type]
    start, end = sent
    headers = dict(start["headers"])
    assert (start["status"], end["body"].decode()) == (status, body)
    assert headers[b"content-length"].decode() == str(len(body))
    assert (headers[b"content-type"], headers[b"cache-control"]) == (b"text/plain; charset=utf-8", b"no-store")
    assert headers[b"x-frame-options"] == b"DENY"
    assert headers[b"permissions-policy"] == b"camera=(), geolocation=(), microphone=()"


# ---- forms and addresses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format_", "accept", "form"),
    [
        ("", "", "html"), ("", "application/json", "json"), ("", "text/html, application/json", "html"),
        ("", "*/*", "html"), ("json", "text/html", "json"), ("svg", "", "svg"), ("html", "application/json", "html"),
        ("odd", "application/json", "json"), ("odd", "", "html"),
    ],
)  # fmt: skip
def test_what_form_is_asked_for(format_: str, accept: str, form: str) -> None:
    assert app._form(Request(request(query=f"format={format_}".encode(), accept=accept))) == form


@pytest.mark.parametrize(
    ("client", "account", "user"),
    [("account:ann", "account:ann", "at account:ann"), ("local:5", "local:5", "at local:5"),
     ("10.0.0.1", "", "at 10.0.0.1"), ("", "", "at ")],
)  # fmt: skip
def test_who_asks(client: str, account: str, user: str) -> None:
    asked = Request(request(client=client))
    assert (app._account(asked), app._user(None, asked)) == (account, user)
    assert app._user(app.Entered(Viewer("", False), ""), asked) == user
    assert app._user(app.Entered(Viewer("ann", False), ""), asked) == "ann"


def test_the_cookie_has_the_port() -> None:
    scope = request()
    assert app._cookie(Request(scope)) == "condor_web_9680"
    for server in (None, ("/run/x", None)):
        assert app._cookie(Request({**scope, "server": server})) == "condor_web"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (b"", {}), (b"a=1&b=", {"a": "1", "b": ""}), (b"a=1&a=2", {"a": "1"}), (b"a=%20x+y", {"a": " x y"}),
        (b"a=%ff", {"a": "\ufffd"}), (b"&".join([b"a=1"] * 20), {"a": "1"}), (b"&".join([b"a=1"] * 21), None),
        ("a=ä".encode(), None),
    ],
)  # fmt: skip
def test_fields_of_a_form(body: bytes, fields: dict[str, str] | None) -> None:
    if fields is None:
        with pytest.raises(BadRequest, match="this is not a form"):
            app._fields(body)
    else:
        assert app._fields(body) == fields


@pytest.mark.parametrize(("size", "fits"), [(1 << 15, True), ((1 << 15) + 1, False)])
def test_a_form_is_bounded(size: int, fits: bool) -> None:
    async def stream() -> Any:
        yield b"x" * 10
        yield b"x" * (size - 10)

    asked: Any = SimpleNamespace(stream=stream)
    if fits:
        assert len(asyncio.run(app._body(asked))) == size
    else:
        with pytest.raises(BadRequest, match="a form has at most 32768 bytes"):
            asyncio.run(app._body(asked))


def test_a_form_that_comes_slowly_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_FORM_PATIENCE", 0.01)

    async def stream() -> Any:
        yield b"a"
        await asyncio.sleep(60)

    with pytest.raises(BadRequest, match="a form has to come within 0 seconds"):
        asyncio.run(app._body(SimpleNamespace(stream=stream)))  # type: ignore[arg-type]


def test_addresses_and_answers() -> None:
    assert app.url("/queue/a b") == "/queue/a%20b"
    assert app.url("/queue", a="x y", b="", c=None, d=0, e="ä") == "/queue?a=x+y&d=0&e=%C3%A4"
    assert app.url("/q\ud800", a="\ud800") == "/q%3F?a=%3F"
    odd = {"a": [1.0, float("inf"), {"b": float("nan")}], "c": (1, float("-inf")), "d": "x", "e": True}
    assert json.loads(app._json(odd).body) == {"a": [1.0, None, {"b": None}], "c": [1, None], "d": "x", "e": True}
    assert app._json({"a": 1}).body == b'{"a": 1}\n'
    assert app._html("a\ud800").body == b"a?"
    assert app._Given({"a": "1"})["b"] == ""


FORM = {"token": "secret", "action": "hold", "jobs": "17.0 18"}


@pytest.mark.parametrize(
    ("more", "wish"),
    [
        ({}, actions.Wish("hold", (JobId(17, 0),), (18,), 0)),
        ({"jobs": "17.999999999", "priority": "5"}, actions.Wish("hold", (JobId(17, 999_999_999),), (), 0)),
        ({"action": "prio", "priority": "-5"}, actions.Wish("prio", (JobId(17, 0),), (18,), -5)),
        ({"action": "prio", "priority": " +1000000 "}, actions.Wish("prio", (JobId(17, 0),), (18,), 1_000_000)),
        ({"jobs": " ".join(["1"] * 1000)}, actions.Wish("hold", (), (1,) * 1000, 0)),
    ],
)
def test_what_a_form_asks_for(more: dict[str, str], wish: actions.Wish) -> None:
    assert actions.checked({**FORM, **more}, "secret", True) == wish


@pytest.mark.parametrize(
    ("more", "kind", "problem"),
    [
        ({"token": "secreT"}, Forbidden, "not from a page of yours"), ({"token": ""}, Forbidden, "not from a page"),
        ({"token": "ä\ud800"}, Forbidden, "not from a page"),
        ({"action": "burn"}, BadRequest, "action is one of hold, release, remove, prio"),
        ({"jobs": ""}, BadRequest, "jobs names 1 to 1000 jobs"),
        ({"jobs": " ".join(["1"] * 1001)}, BadRequest, "1 to 1000"),
        *(({"jobs": word}, BadRequest, "jobs names jobs .17.0. and clusters .17., not")
          for word in ("0", "01", "17.", "17.00", "x", "1234567890", "1.1234567890", "17.0.0", "٣")),
        *(({"action": "prio", "priority": text}, BadRequest, "from -1000000 to 1000000")
          for text in ("", "x", "1000001", "-1000001", "1.5", "٣", "1234567890")),
    ],
)  # fmt: skip
def test_forms_that_are_not_done(more: dict[str, str], kind: type[Exception], problem: str) -> None:
    with pytest.raises(kind, match=problem):
        actions.checked({**FORM, **more}, "secret", True)
    with pytest.raises(Forbidden, match="WEB_ALLOW_ACTIONS is not set"):
        actions.checked({**FORM, **more}, "secret", False)


@pytest.mark.parametrize(
    ("action", "done", "refused", "words"),
    [
        ("hold", 1, {}, "1 job held"),
        ("release", 0, {}, "0 jobs released"),
        ("remove", 2, {}, "2 jobs removed"),
        ("prio", 3, {"not found": 1, "failed": 2}, "3 jobs changed; 1 not found; 2 failed"),
    ],
)
def test_the_outcome_in_words(action: str, done: int, refused: dict[str, int], words: str) -> None:
    assert actions.told({"action": action, "done": done, "refused": refused}) == words


# ---- logins ----------------------------------------------------------------------------------------------------------


def door(**settings: Any) -> tuple[Doorkeeper, Clock]:
    clock = Clock()
    return Doorkeeper(WebSettings(**settings), lambda user: user == "boss", "", clock), clock


def test_tokens_and_sessions_end_at_their_second() -> None:
    made, clock = door(session_lifetime=100)
    token = made.token("ann")
    clock.now += 59.9
    assert made.owner_of(token) == "ann"
    key = made.enter(token, "local:5")
    assert key is not None
    assert made.enter(token) is None
    late = made.token("ann")
    clock.now += 60
    assert (made.owner_of(late), made.enter(late)) == (None, None)
    session = made.session(key, "local:5")
    assert session is not None
    assert (session.user, session.account, session.ends) == ("ann", "local:5", 1159.9)
    assert made.session(key) is made.session(key, "local:6") is None
    clock.now = 1159.8
    assert made.session(key, "local:5") is not None
    clock.now = 1159.9
    assert made.session(key, "local:5") is None
    assert made._sessions == {}


def test_an_account_has_thirty_two_tokens_and_sessions() -> None:
    made, _ = door()
    tokens = [made.token("ann") for _ in range(33)]
    other = made.token("bea")
    assert [made.owner_of(token) for token in (tokens[0], tokens[1], tokens[-1], other)] == [None, "ann", "ann", "bea"]
    keys = [made.enter(token) or "" for token in (*tokens[1:], other)]
    last = made.enter(made.token("ann")) or ""
    held = [made.session(key) is not None for key in (keys[0], keys[1], keys[-1], last)]
    assert held == [False, True, True, True]
    made.leave(last)
    made.leave("wrong")
    assert (made.session(last), len(made._sessions)) == (None, 32)


@pytest.mark.parametrize(
    ("client", "named", "user"),
    [
        ("10.0.0.5", ["ann"], "ann"),
        ("10.0.0.5", [" ann "], "ann"),
        ("10.0.0.5", [], None),
        ("10.0.0.5", ["ann", "ann"], None),
        ("10.0.0.5", [""], None),
        ("10.0.0.5", ["x" * 128], "x" * 128),
        ("10.0.0.5", ["x" * 129], None),
        ("10.0.0.6", ["ann"], None),
        ("account:www", ["ann"], "ann"),
        ("local:www", ["ann"], None),
    ],
)
def test_users_that_a_proxy_names(client: str, named: list[str], user: str | None) -> None:
    made, _ = door(proxy_addresses=("10.0.0.5", "www"))
    assert made.by_proxy(client, named) == user


def test_random_texts_of_any_length_are_looked_up() -> None:
    from condor_py.cli.web.login import _equal_key

    table = {"a": 1, "x" * 128: 2, "y" * 129: 3}
    assert [_equal_key(table, key) for key in ("a", "x" * 128, "y" * 129, "", "b", "\udcff")] == [
        "a", "x" * 128, None, None, None, None,
    ]  # fmt: skip


# ---- streams and turns -----------------------------------------------------------------------------------------------


def test_streams_of_a_user_and_of_all_are_bounded() -> None:
    made = Streams(SimpleNamespace(changed=set))  # type: ignore[arg-type]
    made._users["ann"] = 11
    made.open("ann")
    made._users["ann"] = 12
    with pytest.raises(TooMany, match="too many pages are open"):
        made.open("ann")
    made.open("bea")
    made._users["bea"] = 128 - 12
    with pytest.raises(TooMany):
        made.open("cyd")
    made._users["bea"] -= 1
    made.open("cyd")


def test_a_stream_says_what_changed_or_after_a_while_that_it_is_alive() -> None:
    async def lines() -> list[str]:
        stream = events._Stream()
        stream.tell({"slots"})
        stream.tell({"queue"})
        found = [await stream.next()]
        for _ in range(29):
            stream.tell(set())
        assert not stream.event.is_set()
        stream.tell(set())
        return [*found, await stream.next()]

    assert asyncio.run(lines()) == ["event: changed\ndata: queue slots\n\n", ": quiet\n\n"]


def test_requests_of_a_user_that_wait_are_bounded() -> None:
    async def inside() -> None:
        turns = Turns(2)
        order: list[str] = []

        async def take(name: str) -> None:
            async with turns.of("ann"):
                order.append(f"{name} begins")
                await asyncio.sleep(0)
                order.append(f"{name} ends")

        first, second = asyncio.create_task(take("first")), asyncio.create_task(take("second"))
        await asyncio.sleep(0)
        with pytest.raises(TooMany, match="too many requests of yours wait"):
            async with turns.of("ann"):
                pass
        async with turns.of("bea"):
            pass
        await asyncio.gather(first, second)
        assert order == ["first begins", "first ends", "second begins", "second ends"]
        assert (turns._asked, turns._locks) == ({}, {})

    asyncio.run(inside())


# ---- children --------------------------------------------------------------------------------------------------------


class Child:
    """A child that says what a test gives it."""

    def __init__(self, name: str, request: dict[str, Any]) -> None:
        self.name, self.request = name, request
        self.lines: list[dict[str, Any]] | None = []
        self.ended = False
        self.patience: list[float] = []

    def news(self, patience: float) -> list[dict[str, Any]] | None:
        self.patience.append(patience)
        lines = self.lines
        if lines is not None:
            self.lines = []
        return lines

    def end(self) -> None:
        self.ended = True


class Site:
    """Works whose children a test sees."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.children: list[Child] = []
        self.works = Works(self._start, self.clock)

    def _start(self, name: str, request: dict[str, Any]) -> Child:
        self.children.append(Child(name, request))
        return self.children[-1]

    def ask(self, key: str, user: str = "", **more: Any) -> State:
        return self.works.ask("use", key, {"key": key}, user=user, **more)


def test_a_result_is_kept_a_hundred_times_as_long_as_it_took() -> None:
    site = Site()
    assert site.ask("a") == State(None, 0.0, 1000.0, 0, "", 1.0)
    (child,) = site.children
    assert (child.name, child.request, child.patience) == ("use", {"key": "a"}, [works.PATIENCE])
    child.lines = [{"steps": 7}]
    assert site.ask("a", patience=0.5) == State(None, 0.0, 1000.0, 7, "", 1.0)
    assert child.patience[1:] == [0.0, 0.5]
    site.clock.now = 1005.0
    child.lines = [{"steps": 9}, {"result": {"x": 1}, "seconds": 0.5}, {"failed": "no"}]
    assert site.ask("a") == State({"x": 1}, 1005.0, None, 9, "", 50.0)
    assert child.ended
    site.clock.now = 1054.5
    assert site.ask("a").again == 1.0
    assert len(site.children) == 1
    site.clock.now = 1055.0
    assert site.ask("a") == State({"x": 1}, 1005.0, 1055.0, 0, "", 1.0)
    assert len(site.children) == 2
    assert site.children[1].patience == [], "who has a result does not wait for the next"


@pytest.mark.parametrize(
    ("newer_than", "after", "children"), [(1000.0, 10.0, 2), (1000.0, 9.9, 1), (999.0, 10.0, 1), (0.0, 10.0, 1)]
)
def test_a_result_is_made_again_for_one_who_wants_a_newer_one(newer_than: float, after: float, children: int) -> None:
    site = Site()
    site.ask("a")
    site.children[0].lines = [{"result": {}, "seconds": 5.0}]
    site.ask("a")
    site.clock.now += after
    site.ask("a", newer_than=newer_than)
    assert len(site.children) == children


def test_two_children_work_at_a_time_and_one_for_a_user() -> None:
    site = Site()
    waits = [
        site.ask(key, user).works for key, user in (("a", "ann"), ("b", "ann"), ("c", "bea"), ("d", "cyd"), ("e", ""))
    ]
    assert (waits, [child.request["key"] for child in site.children]) == ([1000.0] * 5, ["a", "c"])
    site.children[0].lines = None
    assert site.ask("d", "cyd").result is None
    assert [child.request["key"] for child in site.children] == ["a", "c", "d"]
    failed = site.ask("a", "ann")
    assert (failed.failed, failed.works, failed.again) == ("the work ended without a result", None, 10.0)
    both = Site()
    both.ask("a")
    both.ask("b")
    assert len(both.children) == 2, "what is the same for all counts for no user"


def test_a_child_that_nobody_waits_for_is_ended() -> None:
    site = Site()
    site.ask("a")
    site.clock.now += 30.0
    site.ask("b")
    assert not site.children[0].ended
    site.clock.now += 0.5
    site.ask("b")
    assert site.children[0].ended
    assert site.ask("a").works == site.clock.now
    assert len(site.children) == 3
    site.works.close()
    assert [child.ended for child in site.children] == [True] * 3
    assert not site.works.knows("use", "a")


@pytest.mark.parametrize(("user", "kept"), [("ann", 8), ("", 24)])
def test_the_results_asked_for_last_are_kept(user: str, kept: int) -> None:
    site = Site()
    for number in range(30):
        site.ask(str(number), user)
        site.children[-1].lines = [{"result": {}}]
        site.ask(str(number), user)
    known = [number for number in range(30) if site.works.knows("use", str(number))]
    assert known == list(range(30 - kept, 30))
    assert not site.works.knows("starts", "29")


def test_a_child_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource
    import signal

    done: list[Any] = []
    monkeypatch.setattr(os, "nice", lambda by: done.append(("nice", by)))
    monkeypatch.setattr(signal, "alarm", lambda seconds: done.append(("alarm", seconds)))
    monkeypatch.setattr(signal, "signal", lambda number, handler: done.append(("signal", number)))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: done.append((what, limits)))
    for hard, most in ((resource.RLIM_INFINITY, 2 << 30), (1 << 40, 2 << 30), (1 << 30, 1 << 30)):
        monkeypatch.setattr(resource, "getrlimit", lambda what, hard=hard: (5, hard))
        done.clear()
        work._bounded()
        assert done == [
            ("nice", 10), ("signal", signal.SIGALRM), ("alarm", 300), (resource.RLIMIT_AS, (most, hard)),
        ]  # fmt: skip


# ---- files of jobs ---------------------------------------------------------------------------------------------------


def test_files_that_a_job_names() -> None:
    ad = ClassAd(
        {"Iwd": "/home/ann", "Out": "o", "Err": "/e", "UserLog": "l", "TransferOutput": "a, b/c,,http://x/y, /d"}
    )
    assert userfiles.files_of(ad) == [
        JobFile("output", "/home/ann/o", "Out"), JobFile("error", "/e", "Err"), JobFile("log", "/home/ann/l", ""),
        JobFile("a", "/home/ann/a"), JobFile("b/c", "/home/ann/b/c"), JobFile("/d", "/d"),
    ]  # fmt: skip
    assert userfiles.files_of(ClassAd({"Out": "/dev/null", "Err": "", "UserLog": "l"})) == [JobFile("log", "/l")]
    assert userfiles.files_of(ClassAd({"Iwd": "", "Out": "x"})) == [JobFile("output", "/x", "Out")]
    many = ClassAd({"Out": "o", "TransferOutput": ",".join(f"f{number}" for number in range(50))})
    assert len(userfiles.files_of(many)) == 20


@pytest.mark.parametrize(
    ("content", "text", "cut"),
    [
        (b"", "", False), (b"a\nb", "a\nb", False), (b"\xff", "\ufffd", False), (b"0123456789", "0123456789", False),
        (b"x0123456789", "0123456789", True), (b"xxx\n456789", "xxx\n456789", False), (b"xxxx\n456789", "456789", True),
        (b"x123456789\n", "123456789\n", True),
    ],
)  # fmt: skip
def test_the_end_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, text: str, cut: bool
) -> None:
    monkeypatch.setattr(userfiles, "TAIL", 10)
    path = tmp_path / "file"
    path.write_bytes(content)
    assert userfiles._tail(str(path)) == {"text": text, "cut": cut, "problem": ""}
    described = userfiles._described(JobFile("output", "/named"), str(path))
    assert described == {"name": "output", "path": "/named", "size": len(content), "problem": ""}


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    path = str(tmp_path / "none")
    problem = "No such file or directory"
    assert userfiles._tail(path) == {"text": "", "cut": False, "problem": problem}
    assert userfiles._described(JobFile("a", path), path) == {
        "name": "a",
        "path": path,
        "size": None,
        "problem": problem,
    }
    (tmp_path / "file").write_text("x")
    userfiles._tail(str(tmp_path / "file"))
    userfiles._events(str(tmp_path / "file"), JobId(7, 1))
    assert len(os.listdir("/proc/self/fd")) <= before, "no descriptor is left"
    assert stat.S_ISREG((tmp_path / "file").stat().st_mode)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("000 (007.001.000) 2026-01-02 03:04:05 Job submitted", "Job submitted"),
        ("000 (007.001.000) 01/02 03:04:05 Job submitted", "Job submitted"),
        ("000 (007.001.000) 2026-01-02 03:04:05", ""), ("000", ""),
        ("028 (007.001.000) 2026-01-02 03:04:05 Job has 3 procs", "Job has 3 procs"),
    ],
)  # fmt: skip
def test_the_title_of_an_event(line: str, title: str) -> None:
    assert userfiles._without_stamp(line) == title


def test_the_newest_two_hundred_events_of_a_job_and_its_cluster(tmp_path: Path) -> None:
    text = "".join(
        f"{number:03} (007.{proc}.000) 2026-01-02 03:04:05 event of {proc}\n...\n"
        for number, proc in [(28, "001")] * 150 + [(35, "-01")] * 30 + [(28, "002")] * 50 + [(0, "001")] * 40
    )
    (tmp_path / "log").write_text(text)
    found = userfiles._events(str(tmp_path / "log"), JobId(7, 1))
    assert [event["number"] for event in found] == [28] * 130 + [35] * 30 + [0] * 40


# ---- the description -------------------------------------------------------------------------------------------------


def test_the_description_of_a_page() -> None:
    page = Page(
        "thing", "Things", Any, {"type": "object"}, (Parameter("page", "the page", WHOLE),), (),  # type: ignore[arg-type]
        (Place(("{a}", "more"), "One thing", {"type": "array"}),),
    )  # fmt: skip
    found = openapi.description((page,))
    assert (found["openapi"], sorted(found["paths"])) == ("3.1.0", ["/thing", "/thing/{a}/more"])
    query = {"name": "page", "in": "query", "description": "the page", "schema": {"type": "integer"}}
    inside = {"name": "a", "in": "path", "required": True, "schema": {"type": "string"}}
    whole, one = (found["paths"][path]["get"] for path in ("/thing", "/thing/{a}/more"))
    assert (whole["summary"], whole["parameters"]) == ("Things", [query])
    assert (one["summary"], one["parameters"]) == ("One thing", [inside, query])
    assert sorted(one["responses"]) == ["200", "400", "401", "403", "404", "429", "503"]
    assert one["responses"]["200"] == {
        "description": "One thing", "content": {"application/json": {"schema": {"type": "array"}}},
    }  # fmt: skip


# ---- the site --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("to", "address"),
    [("", "/"), ("?to=wall", "/wall"), ("?to=queue", "/queue"), ("?to=odd", "/"), ("?to=//evil", "/")],
)
def test_a_login_leads_to_a_page(spool: Spool, to: str, address: str) -> None:
    visited = Visited()
    token = visited.door.token("ann")
    asked = visited.stranger().get(f"/login/{token}{to}", headers={"Sec-Fetch-Site": "cross-site"})
    given = f"?to={to.removeprefix('?to=').replace('/', '%2F')}" if to else ""
    assert f'href="/login/{token}{given}"' in asked.text
    answer = visited.stranger().get(f"/login/{token}{to}")
    assert answer.headers["Refresh"] == f"0; url={address}"
    assert f'href="{address}"' in answer.text


def test_metrics_in_both_formats_and_for_whom(spool: Spool) -> None:
    browser = Visited().visitor()
    opened = browser.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert opened.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert opened.text.endswith("# EOF\n")
    plain = browser.get("/metrics", headers={"Accept": "text/plain"})
    assert plain.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "# EOF" not in plain.text
    assert Visited().stranger().get("/metrics").status_code == 401
    assert Visited(metrics_public=True).stranger().get("/metrics").status_code == 200


def test_styles_are_kept_by_the_browser(spool: Spool) -> None:
    browser = Visited().stranger()
    for name, kind in (("page.css", "text/css; charset=utf-8"), ("plots.css", "text/css; charset=utf-8"),
                       ("dag.js", "text/javascript; charset=utf-8")):  # fmt: skip
        found = browser.get(f"/static/{name}")
        tag = found.headers["etag"]
        assert (found.status_code, found.headers["content-type"], len(tag)) == (200, kind, 18)
        assert found.headers["cache-control"] == "max-age=300"
        again = browser.get(f"/static/{name}", headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert browser.get(f"/static/{name}", headers={"If-None-Match": '"old"'}).status_code == 200
    missing = browser.get("/static/none.css")
    assert (missing.status_code, missing.text) == (404, "There is no such file.\n")


def test_without_a_login_only_the_wall_is_shown_where_it_may_be(spool: Spool) -> None:
    open_wall, closed = Visited(wall=True).stranger(), Visited().stranger()
    assert [open_wall.get(path).status_code for path in ("/wall", "/pool", "/none", "/")] == [200, 401, 401, 401]
    assert [closed.get(path).status_code for path in ("/wall", "/pool", "/none", "/")] == [401] * 4
    assert closed.get("/none?format=svg").json()["error"].startswith("log in with the address")


def test_the_front_page_is_the_first_of_the_menu(spool: Spool) -> None:
    answer = Visited().visitor().get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/pool")


@pytest.mark.parametrize(
    ("address", "status", "error"),
    [
        ("/none?format=json", 404, "There is no page at this address."),
        ("/pool/more?format=json", 404, "There is no page at this address."),
        ("/queue/1/2?format=json", 404, "There is no page at this address."),
        ("/pool?format=svg&picture=none", 404, "There is no such picture."),
        ("/history?format=svg", 404, "There is no such picture."),
        ("/queue?format=json&sort=x", 400, "sort is one of job, owner, name, running, idle, held, done, total, not x"),
    ],
)
def test_addresses_that_have_nothing(spool: Spool, address: str, status: int, error: str) -> None:
    answer = Visited().visitor().get(address)
    assert (answer.status_code, answer.json()) == (status, {"error": error})


def test_long_parameters_are_left_out(spool: Spool) -> None:
    browser = Visited().visitor()
    assert browser.get(f"/queue?format=json&sort={'x' * 2000}").status_code == 400
    assert browser.get(f"/queue?format=json&sort={'x' * 2001}").status_code == 200


@pytest.mark.parametrize(
    ("back", "refused", "status", "location"),
    [
        ("/queue/1.0", {}, 303, "/queue/1.0"),
        ("/queue/a b", {}, 303, "/queue/a%20b"),
        ("//evil.example", {}, 400, None),
        ("/\\evil.example", {}, 400, None),
        ("http://evil.example", {}, 400, None),
        ("", {}, 400, None),
        ("/queue\n", {}, 400, None),
        ("/queue", {"not found": 1}, 400, None),
    ],
)
def test_where_a_form_leads_back_to(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, back: str, refused: dict[str, int], status: int, location: str | None
) -> None:
    monkeypatch.setattr(actions, "act", lambda wish, viewer: {"action": wish.action, "done": 2, "refused": refused})
    visited = Visited(allow_actions=True)
    browser = visited.visitor("ann")
    (session,) = visited.door._sessions.values()
    form = {"token": session.form, "action": "hold", "jobs": "1.0", "back": back}
    answer = browser.post("/act", data=form)
    assert (answer.status_code, answer.headers.get("location")) == (status, location)
    assert status == 303 or "2 jobs held" in answer.text
    told = browser.post("/act?format=json", data=form)
    assert (told.status_code, told.json()) == (200, {"action": "hold", "done": 2, "refused": refused})
    assert visited.stranger().post("/act", data=form).status_code == 401
