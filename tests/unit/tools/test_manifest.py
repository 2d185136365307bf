"""condor_manifest: lists of checkpoints are made and checked as sha256sum does it, and cleared by their program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tool_runner import Done, Spool, run


def manifest(*argv: str) -> Done:
    """Runs the tool."""
    return run("condor_manifest", *argv)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with three files and a manifest of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "inner").mkdir(parents=True)
    (tmp_path / "data" / "a").write_text("a")
    (tmp_path / "data" / "b c").write_text("")
    (tmp_path / "data" / "inner" / "d").write_bytes(b"\xff\n")
    assert manifest("createManifestFor", "data") == Done("", "", 0)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("_condor_checkpoint_MANIFEST.0007", 7), ("_condor_checkpoint_MANIFEST.", -1), ("MANIFEST.0007", -1),
        ("_condor_checkpoint_MANIFEST.7x", -1), ("_condor_checkpoint_MANIFEST.-1", -1),
    ],
)  # fmt: skip
def test_number_of_a_list(name: str, number: int) -> None:
    assert manifest("getNumberFromFileName", name) == Done(f"{number}\n", "", number & 255)


def test_a_list_is_what_sha256sum_reads(here: Path) -> None:
    lines = (here / "MANIFEST").read_text().splitlines(keepends=True)
    checked = subprocess.run(["sha256sum", "--check", "--strict"], input="".join(lines[:-1]), text=True, check=True,
                             stdout=subprocess.PIPE)  # fmt: skip
    assert sorted(checked.stdout.split("\n")) == ["", "data/a: OK", "data/b c: OK", "data/inner/d: OK"]
    assert manifest("validateManifestFile", "MANIFEST") == Done("true\n", "", 0)
    assert manifest("validateFilesListedIn", "MANIFEST") == Done("true\n", "", 0)
    assert manifest("compute_file_sha256_checksum", "data/a").out in lines


def test_a_changed_file_and_a_changed_list_are_told(here: Path) -> None:
    (here / "data" / "a").write_text("b")
    done = manifest("validateFilesListedIn", "MANIFEST")
    assert (done.out.split(" (")[0], done.code) == (
        "false\nCheckpoint file 'data/a' did not have expected checksum", 1,
    )  # fmt: skip
    assert manifest("validateManifestFile", "MANIFEST").code == 0
    (here / "data" / "a").unlink()
    assert "Failed to open checkpoint file ('data/a')" in manifest("validateFilesListedIn", "MANIFEST").out
    text = (here / "MANIFEST").read_text()
    (here / "MANIFEST").write_text(text.replace("data/a", "data/A", 1))
    assert manifest("validateManifestFile", "MANIFEST") == Done("false\n", "", 1)


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "9876 abcdef\n", "abcd 1234 @$%^\n", None])
def test_what_is_no_list_validates_nothing(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "junk"
    if text is not None:
        path.write_text(text)
    assert manifest("validateManifestFile", str(path)) == Done("false\n", "", 1)
    assert manifest("validateFilesListedIn", str(path)).code == 1


def test_parts_of_a_line() -> None:
    assert manifest("FileFromLine", "abc *d e") == Done("d e\n", "", 0)
    assert manifest("FileFromLine", "abc") == Done("\n", "", 0)
    assert manifest("ChecksumFromLine", "abc *d e") == Done("abc\n", "", 0)


@pytest.mark.parametrize("argv", [(), ("nosuch", "x"), ("FileFromLine", "a", "b"), ("deleteFilesStoredAt", "x")])
def test_a_wrong_command_line_gets_the_list_of_functions(argv: tuple[str, ...]) -> None:
    done = manifest(*argv)
    assert done.code == 1
    assert "compute_file_sha256_checksum" in done.err


def test_a_directory_that_is_not_there_makes_no_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = manifest("createManifestFor", "nosuch")
    assert (done.code, not (tmp_path / "MANIFEST").exists()) == (1, True)
    assert "No such file or directory" in done.out


@pytest.fixture
def stored(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Checkpoints 0 and 1 (which failed) of a job, and a program that writes down how it is called."""
    program = tmp_path / "clear"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\necho said; [ ! -e {tmp_path}/refuse ]\n')
    program.chmod(0o755)
    (tmp_path / "map").write_text(f"* ftp://elsewhere other\n* local:// {program},-first\n")
    monkeypatch.setenv("_CONDOR_CHECKPOINT_DESTINATION_MAPFILE", str(tmp_path / "map"))
    directory = tmp_path / "cleanup" / "1.0"
    directory.mkdir(parents=True)
    (directory / ".job.ad").write_text("ClusterId = 1\n")
    (directory / "_condor_checkpoint_MANIFEST.0000").write_text("00 *file\n00 *_condor_checkpoint_MANIFEST.0000\n")
    (directory / "_condor_checkpoint_FAILURE.0001").write_text("00 *other\n")
    return directory


def test_checkpoints_are_deleted_by_the_program_of_their_destination(stored: Path, tmp_path: Path) -> None:
    stem = f"{stored}/_condor_checkpoint_MANIFEST"
    done = manifest("deleteFilesStoredAt", "local://x/1", stem, "0", "1")
    assert (done.out, done.code) == ("", 0)
    assert (tmp_path / "calls").read_text().splitlines() == [
        f"-first -from local://x/1/0000 -delete file -jobad {stored}/.job.ad",
        f"-first -from local://x/1/0001 -delete other -jobad {stored}/.job.ad -ignore-missing-files",
    ]
    assert not stored.exists()


def test_a_list_stays_when_its_files_could_not_be_deleted(stored: Path, tmp_path: Path) -> None:
    (tmp_path / "refuse").touch()
    done = manifest("deleteFilesStoredAt", "local://x/1", f"{stored}/_condor_checkpoint_MANIFEST", "0", "0")
    assert done.code == 1
    assert "exit code was 1, aborting.\n(Output: 'said\n')" in done.out
    assert sorted(path.name for path in stored.iterdir()) == [
        ".job.ad", "_condor_checkpoint_FAILURE.0001", "_condor_checkpoint_MANIFEST.0000",
    ]  # fmt: skip
    unknown = manifest("deleteFilesStoredAt", "s3://x", f"{stored}/_condor_checkpoint_MANIFEST", "0", "0")
    assert unknown.out.startswith("Failed to find checkpoint destination s3://x/0000 in map file, aborting")
