"""The command line of condor_store_cred, where no condor_credd runs."""

from __future__ import annotations

import io
import stat
import sys
from pathlib import Path

import pytest

from condor_py.cli import entry
from condor_py.store.signing_keys import read_key


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "condor_store_cred"),
        ("-h", "condor_store_cred"),
        ("fetch", "ERROR: Unrecognized command - 'fetch'"),
        ("add delete", "ERROR: exactly one command must be provided"),
        ("add-ticket", "ERROR: -ticket is not a known credential type"),
        ("add-oauth -x", "ERROR: Unrecognized option - '-x'"),
        ("add-oauth -s", "ERROR: Option '-s' requires a service argument"),
        ("add-oauth -s a -s b", "ERROR: only one '-s' arg may be provided"),
        ("add-oauth -s a", "ERROR: add-krb and add-oauth commands require a credential filename argument"),
        ("add-krb", "ERROR: add-krb and add-oauth commands require a credential filename argument"),
        ("add-oa -i x", "ERROR: add-oauth command requires a service name"),
        ("query-oauth -u bob", "ERROR: Username 'bob' is not of the form: account@domain"),
        ("query-sci -n elsewhere", "ERROR: elsewhere is not a valid daemon name"),
        ("add-oauth -s a -i {empty}", "it is empty"),
        ("add-oauth -s a -i /nowhere/x", "Could not read credential from /nowhere/x: No such file or directory"),
        ("query", "passwords are for jobs on Windows"),
        ("add-pwd -p x", "passwords are for jobs on Windows"),
        ("-f {empty}/x -p y", "error writing password file: {empty}/x"),
        ("-f x -i {empty}", "it is empty"),
        ("query-krb", "Can't find address of credd"),
        ("QUERY-KRB", "Can't find address of credd"),
    ],
)
def test_what_is_refused(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    (tmp_path / "empty").touch()
    assert entry.main("condor_store_cred", words.format(empty=tmp_path / "empty").split()) == 1
    out, err = capsys.readouterr()
    assert told.format(empty=tmp_path / "empty") in err
    assert "Traceback" not in out + err


def test_a_key_that_signs_tokens_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    path, source = tmp_path / "key", tmp_path / "source"
    source.write_bytes(b"from a file\n")

    def write(typed: bytes, *words: str) -> int:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
        return entry.main("condor_store_cred", ["-f", str(path), *words])

    for typed, words, key in (
        (b"typed\nmore\n", (), b"typed"),
        (b"", ("-p", "given"), b"given"),
        (b"piped\n", ("-p", "-"), b"piped\n"),
        (b"", ("-i", str(source)), b"from a file\n"),
        (b"x" * 255, ("add",), b"x" * 255),
    ):
        assert write(typed, *words) == 0
        assert read_key(str(path)) == key
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for typed in (b"", b"a\0b\n", b"x" * 256):
        assert write(typed) == 1
        assert "condor_store_cred: the key " in capsys.readouterr().err
    assert read_key(str(path)) == b"x" * 255
