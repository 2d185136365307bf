"""condor_urlfetch: what is printed, and what is kept for later."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Spool, run

USAGE = "Usage: condor_urlfetch "


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").write_bytes(b"A = \xff\nB = 2\n")
    return tmp_path


def test_a_configuration_is_fetched_and_kept(here: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    url, copy = f"file://{here}/config", here / "copy"
    assert run("condor_urlfetch", url).code == 0
    assert run("condor_urlfetch", "-SCHEDD", url, "copy").code == 0
    assert capfdbinary.readouterr().out == b"A = \xff\nB = 2\n" * 2
    assert copy.read_bytes() == b"A = \xff\nB = 2\n"

    (here / "config").write_bytes(b"B = 3\n")
    run("condor_urlfetch", "-SCHEDD", url, "copy")
    assert capfdbinary.readouterr().out == b"A = \xff\nB = 2\n", "only the master fetches it again"
    run("condor_urlfetch", "-master", url, "copy")
    assert (capfdbinary.readouterr().out, copy.read_bytes()) == (b"B = 3\n", b"B = 3\n")

    (here / "config").unlink()
    gone = run("condor_urlfetch", "-MASTER", url, "copy")
    assert (gone.code, capfdbinary.readouterr().out) == (0, b"B = 3\n")
    assert gone.err.startswith("condor_urlfetch: cannot fetch the URL: ")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ([], 1, USAGE),
        (["-MASTER"], 1, USAGE),
        (["a", "b", "c"], 1, USAGE),
        (["file:///nosuch"], 3, "Error: no cache file specified, and could not fetch URL"),
        (["http://me:secret@[bad", "nosuch"], 3, "Error: could not read from cache file nosuch: No such file"),
        (["nonsense", "nosuch"], 3, "cannot fetch the URL: unknown url type"),
        (["file://{here}/config", "/dev/null/copy"], 2, "cannot write"),
    ],
)
def test_what_cannot_be_printed(here: Path, words: list[str], code: int, told: str) -> None:
    done = run("condor_urlfetch", *(word.format(here=here) if "{here}" in word else word for word in words))
    assert (done.code, told in done.err) == (code, True), done
    assert "secret" not in done.err
    assert "internal error" not in done.err


def test_a_configuration_comes_from_a_url(spool: Spool, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Path(__file__).resolve().parents[3] / "bin" / "condor_urlfetch"
    (here / "config").write_text("FROM_AFAR = yes\n")
    (here / "root").write_text(f"LOCAL_CONFIG_FILE = {program} -$(SUBSYSTEM) file://{here}/config {here}/copy |\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(here / "root"))
    assert run("condor_config_val", "FROM_AFAR").out == "yes\n"
