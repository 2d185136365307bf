"""Notices about jobs: which URLs are allowed, what is posted, tried again, refused and kept."""

from __future__ import annotations

import json
import os
import pwd
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.schedd import notices
from condor_py.daemons.schedd.notices import Notices
from condor_py.lang.config.builders.submit import notify_urls
from condor_py.lang.config.loader import load
from condor_py.machine.run import posting
from condor_py.model.errors import ConfigError
from condor_py.model.notices import Notice, names_address, place_of, prefix_for
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.store import notice_file

OWNER = pwd.getpwuid(os.geteuid()).pw_name


# ---- URLs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prefix", "url", "allowed"),
    [
        ("https://h.example/", "https://h.example/a?b=c", True),
        ("https://h.example", "https://h.example", True),
        ("https://h.example", "HTTPS://H.Example:443/x", True),
        ("https://h.example", "https://h.example.evil.com/", False),
        ("https://h.example", "https://h.example@evil.com/", False),
        ("https://h.example", "http://h.example/", False),
        ("https://h.example", "https://h.example:8443/", False),
        ("https://h.example:8443/", "https://h.example:8443/", True),
        ("https://h.example/hooks", "https://h.example/hooks/a", True),
        ("https://h.example/hooks", "https://h.example/hooks?a", True),
        ("https://h.example/hooks", "https://h.example/hooksevil", False),
        ("https://h.example/hooks/", "https://h.example/hooks/../admin", False),
        ("https://h.example/hooks/", "https://h.example/hooks/%2e%2E/admin", False),
        ("https://h.example/hooks/", "https://h.example/hooks/.../a", True),
        ("https://h.example", "https://h.example/#part", False),
        ("https://h.example", "https://h.example/a b", False),
        ("https://h.example", "https://h.example/a\n", False),
        ("https://h.example", "https://h.example\\@evil.com/", False),
        ("https://*", "https://any.where:99/x", True),
        ("https://*", "https://*/x", False),
        ("https://*", "http://any.where/", False),
        ("http://[::1]:80/", "http://[::1]/x", True),
        ("https://*", "file:///etc/passwd", False),
        ("https://*", "https://h.example/\u00e9", False),
        ("https://*", "https://h.example/" + "x" * 2000, False),
        ("https://*", "https://h.example:99999/", False),
        ("https://*", "", False),
    ],
)
@pytest.mark.promise("S54")
def test_prefixes_mean_whole_hosts_and_steps_of_paths(prefix: str, url: str, allowed: bool) -> None:
    assert (prefix_for(url, ["http://other/", prefix]) is not None) == allowed


def test_a_prefix_that_is_none_stops_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_NOTIFY_URLS", "https://a.b/c, https://*")
    assert notify_urls(load(os.environ)) == ("https://a.b/c", "https://*")
    for wrong in ("h.example", "ftp://a.b/", "https://a.b/#c", "https://*.b/", "https://u:p@a.b/"):
        monkeypatch.setenv("_CONDOR_NOTIFY_URLS", wrong)
        with pytest.raises(ConfigError, match=r"NOTIFY_URLS: .* is no prefix of URLs"):
            notify_urls(load(os.environ))


def test_prefixes_that_are_addresses_are_known() -> None:
    found = [place_of(url) for url in ("http://169.254.169.254/", "http://[fe80::1]/", "http://1and1.example/")]
    assert [names_address(place) for place in found if place is not None] == [True, True, False]


# ---- posting ------------------------------------------------------------------------------------------------


class Server:
    """A local server whose answers are given; ``got`` has (path, headers, document)."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.got: list[tuple[str, dict[str, str], dict[str, object]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.got.append((self.path, dict(self.headers), document))
                self.send_response(outer.answers.pop(0) if outer.answers else 204)
                self.send_header("Location", f"{outer.url}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def one_server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture
def server(one_server: Server) -> Server:
    one_server.answers.clear()
    one_server.got.clear()
    return one_server


class World:
    """Notices in a loop, with a spool and settings."""

    def __init__(self, folder: Path, *prefixes: str) -> None:
        self.loop = Loop()
        self.loop.watch_children()
        self.said: list[str] = []
        self.path = str(folder / "notices")
        self.settings = ScheddSettings(notify_urls=prefixes)
        self.notices = Notices(self.loop, self.path, lambda: self.settings, self.said.append)

    def add(self, url: str, job: str = "1.0") -> None:
        self.notices.add(Notice(OWNER, job, url, f"Job {job} ended", json.dumps({"job": job})))

    def until(self, done: Callable[[], bool]) -> None:
        for _ in range(500):
            if done():
                return
            self.loop.turn(0.05)
        raise AssertionError(self.said)

    def close(self) -> None:
        self.notices.close()
        self.loop.close()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "_PAUSES", (0.01, 0.01))
    monkeypatch.setattr(notices, "_QUIET", 0.0)


def test_a_notice_is_posted_and_tried_again(tmp_path: Path, server: Server, pauses: None) -> None:
    world = World(tmp_path, f"{server.url}/hooks")
    server.answers += [503, 200]
    world.add(f"{server.url}/hooks/a?token=1")
    world.until(lambda: len(server.got) == 2 and not len(world.notices))
    path, headers, document = server.got[1]
    assert (path, headers["Content-Type"], document) == ("/hooks/a?token=1", "application/json", {"job": "1.0"})
    assert world.said == []
    world.close()
    assert not os.path.exists(world.path)


def test_what_will_never_be_taken_is_given_up_and_no_redirect_is_followed(
    tmp_path: Path, server: Server, pauses: None
) -> None:
    world = World(tmp_path, server.url)
    server.answers += [404, 302, 500, 500, 500]
    for number in range(3):
        world.add(server.url, f"{number}.0")
        world.until(lambda: not len(world.notices))
    assert [path for path, _, _ in server.got] == ["/"] * 5
    assert [line.partition(": ")[2] for line in world.said] == [
        "it is lost: the answer is 404", "it is lost: the answer is 302", "it is lost: the answer is 500",
    ]  # fmt: skip
    assert server.url not in "".join(world.said)  # it may be a secret
    world.close()


def test_a_url_that_is_not_allowed_any_more_is_not_asked(tmp_path: Path, server: Server, pauses: None) -> None:
    world = World(tmp_path, "https://other.example/")
    world.add(server.url)
    world.until(lambda: not len(world.notices))
    assert (server.got, len(world.said)) == ([], 1)
    assert world.said[0] == f"notice of job 1.0 of {OWNER}: NOTIFY_URLS does not allow its URL"
    world.close()


def test_what_waits_is_kept_for_the_next_schedd(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "_MOMENT", 0.01)
    world = World(tmp_path, server.url)
    server.answers += [503, 503]
    world.add(server.url, "1.0")
    world.add(server.url, "2.0")
    world.until(lambda: len(server.got) == 2 and os.path.exists(world.path))
    world.until(lambda: len(notice_file.read(world.path)) == 2)
    with open(world.path, "ab") as file:
        file.write(b'["torn", "')  # the machine died
    other = World(tmp_path, server.url)
    other.until(lambda: len(server.got) == 4)
    other.until(lambda: not os.path.exists(other.path))
    jobs = [document["job"] for _, _, document in server.got]
    assert jobs[:2] == ["1.0", "2.0"]
    assert sorted(jobs[2:]) == ["1.0", "2.0"], "the file may be of before or behind the second refusal"
    other.close()
    world.close()


def test_too_many_are_lost_and_the_log_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "_MOST", 3)
    world = World(tmp_path, "http://127.0.0.1:9")
    for number in range(9):
        world.add("http://127.0.0.1:9/", f"{number}.0")
    assert (len(world.notices), world.said) == (3, [f"notice of job 3.0 of {OWNER}: it is lost: too many wait"])
    world.close()
    assert len(notice_file.read(world.path)) == 3


@pytest.mark.promise("S55")
def test_owners_take_turns_where_there_are_few_helpers(
    tmp_path: Path, pauses: None, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "_MOST_HELPERS", 1)
    monkeypatch.setattr(notices, "_account", lambda owner: None)
    world = World(tmp_path, server.url)
    for owner in ("ann", "ann", "ann", "ann", "bea"):
        world.notices.add(Notice(owner, "1.0", f"{server.url}/{owner}", "", "{}"))
    world.until(lambda: not len(world.notices))
    assert "/bea" in [path for path, _, _ in server.got[:2]]
    world.close()


def test_notices_of_an_account_that_is_gone_are_lost(tmp_path: Path, pauses: None) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    world = World(tmp_path, "http://127.0.0.1:9")
    for number in range(2):
        world.notices.add(Notice("no-such-account", f"{number}.0", "http://127.0.0.1:9/", "", "{}"))
    world.until(lambda: not len(world.notices))
    assert [line.partition(": it is lost: ")[2] for line in world.said] == [
        "no account named 'no-such-account' on this machine"
    ] * 2
    world.close()


def test_link_local_addresses_are_refused_unless_named() -> None:
    place = place_of("http://169.254.169.254/latest/meta-data")
    assert place is not None
    with pytest.raises(posting.Refused, match="link-local"):
        posting.post(place, "{}", everywhere=False)
    for address in ("fe80::1%eth0", "::ffff:169.254.1.1", "224.0.0.1", "0.0.0.0", "169.254.0.1"):
        assert posting._is_local_link(address)
    for address in ("127.0.0.1", "10.0.0.1", "2001:db8::1", "::1"):
        assert not posting._is_local_link(address)


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "_WHOLE", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = place_of(f"http://127.0.0.1:{silent.getsockname()[1]}/")
        assert place is not None
        with pytest.raises(posting.Failed, match="no answer"):
            posting.post(place, "{}", everywhere=False)
    with pytest.raises(posting.Failed, match="refused"):
        posting.post(place, "{}", everywhere=False)


def test_the_desktop_gets_one_line_as_an_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, seen = tmp_path / "notify-send", tmp_path / "seen"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" "$DBUS_SESSION_BUS_ADDRESS" > {seen}\n', encoding="utf-8")
    program.chmod(0o755)
    posting.show(str(program), "-x $(touch no)")
    assert not seen.exists()  # this account has no desktop
    monkeypatch.setattr(posting.os.path, "exists", lambda path: True)
    posting.show(str(program), "-x $(touch no)")
    assert seen.read_text(encoding="utf-8").splitlines() == [
        "--app-name=condor_py", "--", "-x $(touch no)", f"unix:path=/run/user/{os.getuid()}/bus",
    ]  # fmt: skip


def test_a_desktop_alone_is_asked_once(tmp_path: Path, pauses: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "_notify_send", lambda: "")
    world = World(tmp_path)
    world.settings = ScheddSettings(notify_desktop=True)
    world.add("")
    world.until(lambda: not len(world.notices))
    assert world.said == [f"notice of job 1.0 of {OWNER}: NOTIFY_DESKTOP is set, and there is no notify-send"]
    monkeypatch.setattr(notices, "_notify_send", lambda: "/bin/true")
    world.add("")
    world.until(lambda: not len(world.notices))
    assert len(world.said) == 1
    world.close()
