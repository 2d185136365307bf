"""The site around the pages: who gets in, what is refused, and the headers of every answer."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool, run
from visits import Markup, Visited, misfits

from condor_py.cli.web import app, places
from condor_py.cli.web.app import PAGES
from condor_py.cli.web.peer import Gone, _asked, _in_table, local_peer
from condor_py.cli.web.turns import TooMany
from condor_py.client import wire
from condor_py.client.pool import open_pool
from condor_py.lang.config.builders.web import web
from condor_py.model.errors import CondorError, ConfigError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def test_nothing_of_the_pool_is_shown_without_a_login(spool: Spool) -> None:
    spool.add(1, JobBatchName='"secret"')
    browser = Visited().stranger()
    for address in ("/", *(f"/{page.name}" for page in PAGES), "/queue/1", "/queue/1.0", "/events", "/metrics"):
        answer = browser.get(address)
        assert answer.status_code == 401, address
        assert "secret" not in answer.text
        assert "condor_web -login" in answer.text
    assert browser.get("/pool", headers={"Accept": "application/json"}).json() == {
        "error": "log in with the address that condor_web -login prints"
    }


@pytest.mark.promise("S48")
def test_an_address_lets_in_once_and_within_a_minute(spool: Spool) -> None:
    visited = Visited()
    address = f"/login/{visited.door.token('ann')}"
    browser = visited.stranger()
    answer = browser.get(address)
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("condor_web_9680=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert "Max-Age=43200" in cookie
    assert browser.get("/pool").status_code == 200
    assert visited.stranger().get(address).status_code == 401
    late = f"/login/{visited.door.token('ann')}"
    visited.clock.now += 61
    assert visited.stranger().get(late).status_code == 401
    assert visited.stranger().get("/login/wrong").status_code == 401
    assert visited.stranger().get("/login/" + "é" * 300).status_code == 401


def test_a_session_ends_by_time_and_by_the_button(spool: Spool) -> None:
    visited = Visited(session_lifetime=100)
    browser = visited.visitor("ann")
    other = visited.visitor("ann")
    visited.clock.now += 99
    assert browser.get("/pool").status_code == 200
    assert browser.post("/logout").status_code == 401
    assert browser.get("/pool").status_code == 401
    assert other.get("/pool").status_code == 200
    visited.clock.now += 2
    assert other.get("/pool").status_code == 401


def test_sessions_and_tokens_are_bounded(spool: Spool) -> None:
    visited = Visited()
    first = visited.visitor("ann")
    other = visited.visitor("bea")
    for _ in range(40):
        visited.visitor("ann")
    assert first.get("/pool").status_code == 401  # the oldest of hers
    assert other.get("/pool").status_code == 200
    for _ in range(1000):
        visited.door.token("ann")
    assert len(visited.door._tokens) <= 32


@pytest.mark.promise("S49")
def test_a_cookie_is_of_no_use_to_another_account(spool: Spool) -> None:
    visited = Visited()
    browser = visited.stranger(("local:1000", 0))
    browser.get(f"/login/{visited.door.token('ann')}")
    assert browser.get("/pool").status_code == 200
    thief = visited.stranger(("local:1001", 0))
    thief.cookies = browser.cookies
    assert thief.get("/pool").status_code == 401


def test_the_kernel_names_the_account_of_a_local_connection() -> None:
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as listener:
            try:
                listener.bind((host, 0))
            except OSError:
                continue  # a machine without this family
            listener.listen()
            with socket.create_connection(listener.getsockname()[:2]), listener.accept()[0] as accepted:
                assert local_peer(accepted) == os.geteuid()
                ends = accepted.getpeername()[:2], accepted.getsockname()[:2]
                assert _asked(*ends) == _in_table(*ends)


def test_a_socket_that_its_account_has_closed_is_not_roots() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        with listener.accept()[0] as accepted:
            client.sendall(b"POST /act HTTP/1.1")
            client.close()
            with pytest.raises(Gone):
                local_peer(accepted)


def test_an_account_that_does_not_read_gets_no_more_answers(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.cli.web import serve

    monkeypatch.setattr(serve, "_MOST_UNREAD", -1)
    server = serve._Uvicorn(serve._configuration(Visited().site))

    async def answer() -> bytes:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try:
                return await asyncio.wait_for(reader.read(100), 300)
            except ConnectionError:
                return b""
            finally:
                writer.close()
                server.should_exit = True
                await serving

    assert asyncio.run(answer()) == b""


def test_connections_that_stand_still_are_closed(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.cli.web import serve

    monkeypatch.setattr(serve, "_CHECKED", 0.02)
    visited = Visited()

    async def lengths() -> list[int]:
        server = serve._Uvicorn(serve._configuration(visited.site))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            found = []
            for said in (b"", b"GET / HTTP/1.1", b"GET /static/site.css HTTP/1.1\r\nHost: localhost\r\n\r\nGET"):
                reader, writer = await asyncio.open_connection(*listener.getsockname())
                writer.write(said)
                found.append(len(await asyncio.wait_for(_all(reader), 300)))
                writer.close()
            server.should_exit = True
            await serving
        assert not serve._Protocol.accounts
        return found

    async def _all(reader: asyncio.StreamReader) -> bytes:
        data = b""
        try:
            while more := await reader.read(65536):
                data += more
        except ConnectionError:
            pass
        return data

    first, second, third = asyncio.run(lengths())
    assert (first, second) == (0, 0)
    assert third > 100


def test_a_server_of_another_account_is_passed_over(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange, pools = str(tmp_path / "strange"), str(tmp_path / "pools")
    monkeypatch.setattr(places, "login_sockets", lambda pool: [strange, pools])
    monkeypatch.setattr(places, "_is_trusted", lambda client, pool: client.getpeername().startswith(pools))
    with wire.listen(strange, 0o600), wire.listen(pools, 0o600) as listener:
        listener.setblocking(True)
        answers = threading.Thread(target=lambda: listener.accept()[0].sendall(b"http://127.0.0.1:1/login/x\n"))
        answers.start()
        assert places.ask_for_login(open_pool()) == "http://127.0.0.1:1/login/x"
        answers.join()
        os.unlink(pools)
        with pytest.raises(CondorError, match="another account serves"):
            places.ask_for_login(open_pool())


def test_a_personal_pool_lets_in_its_account_and_root(spool: Spool) -> None:
    door = Visited(only="ann").door
    assert door.admits("ann")
    assert door.admits("root")
    assert not door.admits("bea")
    assert not door.admits("")


def test_only_a_proxy_that_is_named_may_name_users(spool: Spool) -> None:
    visited = Visited(
        proxy_user_header="X-Remote-User", proxy_addresses=("10.0.0.5", "www-data"), host_names=("pool.example.net",)
    )
    named = {"X-Remote-User": "ann", "Host": "pool.example.net"}
    for client, status in (
        ("10.0.0.5", 200),
        ("10.0.0.6", 401),
        ("127.0.0.1", 401),
        ("account:www-data", 200),
        ("account:bea", 401),
    ):
        assert visited.stranger((client, 4000)).get("/pool", headers=named).status_code == status, client
    assert visited.stranger(("10.0.0.5", 1)).get("/pool", headers={"Host": "pool.example.net"}).status_code == 401
    assert Visited().stranger(("10.0.0.5", 1)).get("/pool", headers={"X-Remote-User": "ann"}).status_code == 401
    twice = [("X-Remote-User", "boss"), *named.items()]
    assert visited.stranger(("10.0.0.5", 1)).get("/pool", headers=twice).status_code == 401


@pytest.mark.promise("S50")
def test_a_page_of_another_site_logs_nobody_in_without_asking(spool: Spool) -> None:
    visited = Visited()
    browser, token = visited.stranger(), visited.door.token("ann")
    for site in ("cross-site", "same-site"):
        asked = browser.get(f"/login/{token}?to=wall", headers={"Sec-Fetch-Site": site})
        assert "set-cookie" not in asked.headers
        assert "Log in as ann?" in asked.text
    (address,) = [
        attributes["href"] for name, attributes in Markup(asked.text).elements
        if name == "a" and attributes["href"].startswith("/login")
    ]  # fmt: skip
    assert "set-cookie" in browser.get(address, headers={"Sec-Fetch-Site": "same-origin"}).headers
    assert browser.get(f"/login/{token}", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 401


@pytest.mark.parametrize(
    ("knobs", "said"),
    [
        ({"WEB_INTERFACE": "0.0.0.0"}, "WEB_INTERFACE: 0.0.0.0 can be reached from other machines"),
        ({"WEB_INTERFACE": "here"}, "WEB_INTERFACE: 'here' is not an IP address"),
        (
            {"WEB_PROXY_ADDRESSES": "bea, 127.0.0.1"},
            "WEB_PROXY_ADDRESSES: every account of this machine can connect from 127.0.0.1",
        ),
        (
            {"WEB_PROXY_ADDRESSES": "::ffff:127.0.0.1"},
            "WEB_PROXY_ADDRESSES: every account of this machine can connect from ::ffff:127.0.0.1",
        ),
        ({"WEB_INTERFACE": "::1"}, ""),
        ({"WEB_INTERFACE": "10.0.0.1", "WEB_PROXY_USER_HEADER": "X-User"}, ""),
    ],
)
def test_a_place_that_is_not_safe_is_refused(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, knobs: dict[str, str], said: str
) -> None:
    for name, value in {**knobs, "DAEMON_LIST": "MASTER WEB"}.items():
        monkeypatch.setenv(f"_CONDOR_{name}", value)
    refused = ""
    try:
        web(open_pool("WEB").config)
    except ConfigError as error:
        refused = str(error)
    assert refused.startswith(said)
    assert bool(refused) == bool(said)
    lint = run("condor_config_val", "-lint")
    assert ("condor_web does not start" in lint.out) == bool(said)


def test_every_answer_has_the_headers_of_a_careful_site(spool: Spool) -> None:
    visited = Visited()
    inside, outside = visited.visitor(), visited.stranger()
    for browser, address in (
        (inside, "/pool"),
        (inside, "/queue?format=json"),
        (inside, "/none"),
        (outside, "/pool"),
        (outside, "/static/page.css"),
        (inside, "/"),
        (inside, "/openapi.json"),
        (inside, "/pool?format=svg"),
    ):
        headers = browser.get(address).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == ("max-age=300" if "static" in address else "no-store")
        assert "server" not in headers


def test_a_request_with_a_long_head_is_refused(spool: Spool) -> None:
    browser = Visited().visitor()
    assert browser.get("/pool", headers={"X-Long": "x" * 20_000}).status_code == 431
    assert browser.get("/queue?text=" + "x" * 20_000).status_code == 431


def test_connections_that_are_turned_away_count_for_nobody(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.cli.web import serve

    class Transport(asyncio.Transport):
        def abort(self) -> None:
            """It ends in a later turn of the loop."""

    async def left() -> list[int]:
        config = serve._configuration(Visited().site)
        state = serve._Uvicorn(config).server_state
        monkeypatch.setattr(serve, "_MOST_OF_ACCOUNT", 2)
        monkeypatch.setattr(serve._Protocol, "_name_client", lambda self, sock: setattr(self, "client", ("local:7", 0)))
        monkeypatch.setattr(serve._Protocol, "accounts", Counter())
        found = []
        for _ in range(4):
            serve._Protocol(config, state, {}).connection_made(Transport())
            found.append(len(state.connections))
        return found

    assert asyncio.run(left()) == [1, 2, 2, 2]


@pytest.mark.promise("S52")
def test_other_names_methods_and_origins_are_refused(spool: Spool) -> None:
    visited = Visited()
    browser = visited.visitor()
    for host in ("evil.example", "localhost.evil.example:9680", "", "[::1", "127.0.0.1.nip.io"):
        assert browser.get("/pool", headers={"Host": host}).status_code == 421, host
    for host in ("127.0.0.1:9680", "[::1]:9680", "LOCALHOST"):
        assert browser.get("/pool", headers={"Host": host}).status_code == 200, host
    assert browser.request("DELETE", "/pool").status_code == 405
    assert browser.request("OPTIONS", "/pool").status_code == 405
    for name, value in (
        ("Origin", "http://evil.example"),
        ("Origin", "http://localhost:9999"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ):
        assert browser.post("/logout", headers={name: value}).status_code == 403
    assert browser.post("/logout", headers={"Origin": "null", "Sec-Fetch-Site": "same-origin"}).status_code == 401


def test_an_address_without_a_page_says_so(spool: Spool) -> None:
    browser = Visited().visitor()
    for address in (
        "/nothing",
        "/pool/deeper",
        "/queue/1/2",
        "/static/../app.py",
        "/static/none",
        "/queue/x",
        "/queue/7",
    ):
        answer = browser.get(address)
        assert answer.status_code == 404, address
    assert browser.get("/queue?page=x").status_code == 400
    assert browser.get("/queue?state=odd&format=json").json() == {
        "error": "state is one of idle, running, removed, completed, held, transferring_output, suspended, blocked, "
        "not odd"
    }
    assert browser.get("/pool?format=svg&picture=none").status_code == 404


def test_styles_and_scripts_are_files_of_the_site(spool: Spool) -> None:
    browser = Visited().visitor()
    page = Markup(browser.get("/pool").text)
    assert [attributes for tag, attributes in page.elements if tag == "script"] == [
        {"src": "/static/page.js", "defer": ""}
    ]
    assert not [attributes for _, attributes in page.elements if "style" in attributes]
    assert not [tag for tag, _ in page.elements if tag == "style"]
    answer = browser.get("/static/page.css")
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert browser.get("/static/page.css", headers={"If-None-Match": answer.headers["etag"]}).status_code == 304


def test_the_description_says_what_each_page_answers(spool: Spool) -> None:
    spool.add(1, 3, JobBatchName='"night"')
    browser = Visited().visitor()
    text = browser.get("/openapi.json").json()
    assert text["openapi"] == "3.1.0"
    addresses = {"/queue/{cluster}": "/queue/1", "/queue/{job}": "/queue/1.2"}
    for pattern, about in text["paths"].items():
        answer = browser.get(addresses.get(pattern, pattern), headers={"Accept": "application/json"})
        schema = about["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        if "{" not in pattern or pattern in addresses:
            assert answer.status_code == 200, pattern
            assert misfits(answer.json(), schema) == [], pattern


def test_metrics_are_those_of_condor_metrics(spool: Spool) -> None:
    spool.add(1, 2, owner="zoe")
    visited = Visited(metrics_public=True)
    shown = visited.stranger().get("/metrics")
    assert shown.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'condor_jobs{owner="zoe",state="idle"} 2' in shown.text
    assert Visited().stranger().get("/metrics").status_code == 401


def test_a_stream_names_what_has_changed(spool: Spool) -> None:
    spool.add(1)
    visited = Visited()
    streams = visited.site.streams

    async def listen() -> list[str]:
        stream = streams.open("ann")
        found = [await anext(stream)]
        spool.add(2)
        found.append(await asyncio.wait_for(anext(stream), 300))
        streams.close()
        return found

    assert asyncio.run(listen()) == ["retry: 2000\n\n", "event: changed\ndata: queue\n\n"]


def test_a_user_has_only_so_many_streams(spool: Spool) -> None:
    streams = Visited().site.streams

    async def open_many() -> None:
        kept = [streams.open("ann") for _ in range(12)]
        for stream in kept:
            await anext(stream)
        with pytest.raises(CondorError, match="too many pages"):
            streams.open("ann")
        await anext(streams.open("bea"))
        await kept[0].aclose()  # type: ignore[attr-defined]
        await anext(streams.open("ann"))

    asyncio.run(open_many())


def test_long_looks_are_followed_by_a_rest_and_then_by_a_change(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.cli.web import live

    spool.add(1)
    watch = live.Watch()
    assert watch.jobs.counts() == {1: 1}
    monkeypatch.setattr(live, "_LONG", -1.0)
    monkeypatch.setattr(live, "_REST", 1e9)
    spool.add(2)
    assert watch.jobs.counts() == {1: 2}
    spool.add(3)
    watch.changed()
    assert watch.jobs.counts() == {1: 2}  # it rests
    assert watch.changed() == set()
    watch._rests_until = 0.0
    assert watch.changed() == {"queue"}
    assert watch.jobs.counts() == {1: 3}
    assert watch.changed() == set()


def test_a_fault_of_a_page_is_logged_and_the_queue_read_again(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1)
    visited = Visited()
    browser = visited.visitor()
    before = visited.site.watch.jobs

    def fail(watch: object, asked: object) -> dict[str, object]:
        raise ZeroDivisionError("<b>")

    monkeypatch.setitem(visited.site.pages, "pool", visited.site.pages["pool"]._replace(view=fail))
    answer = browser.get("/pool")
    assert answer.status_code == 500
    assert "The log of condor_web says why" in answer.text
    assert "ZeroDivision" not in answer.text
    assert "the page pool failed" in visited.complaints[0]
    assert "ZeroDivisionError: <b>" in visited.complaints[0]
    assert browser.get("/queue").status_code == 200
    assert visited.site.watch.jobs is not before


def test_a_damaged_queue_is_said_and_shown_again_when_it_is_mended(spool: Spool) -> None:
    spool.add(1, JobBatchName='"night"')
    whole = spool.path.read_bytes()
    browser = Visited().visitor()
    assert "night" in browser.get("/queue").text
    spool.path.write_bytes(whole + b"103 1.0 X")  # torn: a reader leaves it alone
    assert "night" in browser.get("/queue").text
    spool.path.write_bytes(b"what is this?\n" * 5)
    answer = browser.get("/queue", headers={"Accept": "application/json"})
    assert answer.status_code == 503
    assert "job_queue.log" in answer.json()["error"]
    spool.path.write_bytes(whole)
    assert "night" in browser.get("/queue").text


def test_a_queue_that_has_grown_much_is_opened_again(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.cli.web import live

    spool.add(1)
    watch = live.Watch()
    before = watch.jobs
    spool.add(2)
    assert watch.jobs is before
    monkeypatch.setattr(live, "_MUCH", 1000)
    spool.add(3, 20)
    assert watch.jobs is not before
    assert watch.jobs.counts() == {1: 22}
    assert len(watch.batches.groups) == 3


@pytest.mark.promise("S36")
def test_dear_pages_of_one_user_delay_others_by_one_of_them_at_most(spool: Spool) -> None:
    site = Visited().site
    order: list[str] = []

    async def ask(user: str) -> None:
        try:
            await site.look(lambda: order.append(user), user)
        except TooMany:
            order.append("refused")

    async def many() -> None:
        async with asyncio.TaskGroup() as group:
            for user in [*["ann"] * 20, "bea"]:
                group.create_task(ask(user))

    asyncio.run(many())
    made = [user for user in order if user != "refused"]
    assert "bea" in made[:3]
    assert (order.count("ann"), order.count("refused")) == (16, 4)
    assert not site._looks._locks


def test_more_streams_than_a_user_may_have_are_refused(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    visited = Visited()
    monkeypatch.setattr(visited.site.streams, "open", _too_many)
    answer = visited.visitor("ann").get("/events")
    assert (answer.status_code, answer.json()) == (429, {"error": "too many pages"})
    assert visited.stranger().get("/events").status_code == 401


def _too_many(user: str) -> None:
    raise TooMany("too many pages")


@pytest.mark.parametrize(
    ("error", "status"),
    [(TooMany("one moment"), 429), (CondorError("the queue cannot be read"), 503)],
)
def test_metrics_that_cannot_be_shown_say_why(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    async def look(work: object, user: str) -> None:
        raise error

    visited = Visited(metrics_public=True)
    monkeypatch.setattr(visited.site, "look", look)
    answer = visited.stranger().get("/metrics")
    assert (answer.status_code, answer.json()) == (status, {"error": str(error)})


def test_numbers_that_json_does_not_have_are_null(spool: Spool) -> None:
    """An ad may have NaN and infinity where a figure is expected; programs that read JSON take neither."""
    answer = app._json({"a": float("nan"), "b": [1.5, float("inf")], "c": {"d": (-float("inf"), "x")}, "e": 2})
    assert json.loads(bytes(answer.body)) == {"a": None, "b": [1.5, None], "c": {"d": [None, "x"]}, "e": 2}
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("body", [b"a=\xff", b"&".join(b"a=%d" % n for n in range(30))])
def test_what_is_no_form_is_refused(spool: Spool, body: bytes) -> None:
    answer = (
        Visited(allow_actions=True)
        .visitor("ann")
        .post(
            "/act",
            content=body,
            headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
        )
    )
    assert answer.status_code == 400


@pytest.mark.parametrize("mode", [0o777, 0o720])
def test_the_place_for_logins_is_of_this_account_alone(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    pool = open_pool()
    monkeypatch.setattr(os, "access", lambda path, how: False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o700)
    assert places.own_socket(pool).startswith(f"{tmp_path}/run/condor_web-")
    (tmp_path / "run").chmod(mode)
    with pytest.raises(
        CondorError, match=f"^condor_web: {tmp_path}/run is not a directory of this account alone: remove"
    ):
        places.own_socket(pool)


def test_only_servers_of_the_pool_root_and_oneself_are_trusted(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of another account at the place of the pool's pages is passed over, and an odd answer is an error."""
    pool = open_pool()
    path = f"{tmp_path}/web"
    monkeypatch.setattr(places, "login_sockets", lambda pool: [f"{tmp_path}/none", path])
    uid, answer = os.geteuid(), b"http://127.0.0.1:9680/login/abc\n"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(8)

        def ask() -> str:
            def serve() -> None:
                other, _ = listener.accept()
                with other, suppress(OSError):  # one that is not trusted is not heard
                    other.sendall(answer)

            server = threading.Thread(target=serve)
            server.start()
            try:
                return places.ask_for_login(pool)
            finally:
                server.join()

        monkeypatch.setattr(wire, "peer_of", lambda client: SimpleNamespace(uid=uid))
        assert ask() == "http://127.0.0.1:9680/login/abc"
        uid = 54321
        with pytest.raises(CondorError, match="another account serves at the place of the pool's pages"):
            ask()
        uid, answer = 0, b"you may not\n"
        with pytest.raises(CondorError, match=r"^condor_web: you may not$"):
            ask()
        answer = b""
        with pytest.raises(CondorError, match=r"^condor_web: the server does not let this account in$"):
            ask()
