"""What the starter reads out of a job ad, and the directory that it makes for a run."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from condor_py.core.jobs.lifecycle import input_counts
from condor_py.lang import classad
from condor_py.lang.classad import ClassAd
from condor_py.machine.run import sandbox as sandboxes
from condor_py.machine.run import trees
from condor_py.machine.run.environment import SlotFacts, base_environment, inherited_environment, job_environment
from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import Job, KeyFiles, ToolDaemon, TransferWishes, read_job
from condor_py.model.arguments import ArgumentError

BARE = {"ClusterId": 12, "ProcId": 3, "Owner": "alice", "Cmd": "/bin/true", "Iwd": "/home/alice"}


def read(**attributes: object) -> Job:
    return read_job(ClassAd({**BARE, **attributes}), "vm.example.net")


def test_a_job_that_says_nothing() -> None:
    job = read()
    assert (job.job_id, job.owner, job.cmd, job.iwd) == ("12.3", "alice", "/bin/true", "/home/alice")
    assert (job.stdin, job.stdout, job.stderr) == (os.devnull,) * 3
    assert (job.arguments, job.environment, job.input_files, job.output_remaps) == ((), {}, (), {})
    assert job.output_files is None, "everything that is new"
    assert (job.transfer, job.transfer_executable, job.when_to_transfer) == (False, True, "ON_EXIT")
    assert (job.stream_output, job.stream_error, job.preserve_relative_paths) == (False, False, False)
    assert (job.core_limit, job.nice, job.own_program) == (0, 0, "")
    assert job.wishes == TransferWishes()


def test_files_with_a_transfer_queue_of_their_own_are_input_too() -> None:
    ad = ClassAd({**BARE, "TransferInput": "a", "TransferInputFrom_X": "x://b, x://c", "TransferInputFrom_Y": ""})
    ad["TransferQueueInputList"] = classad.ExprTree("{ TransferInputFrom_X,TransferInputFrom_Y,TransferInputFrom_Z }")
    assert read_job(ad, "vm.example.net").input_files == ("a", "x://b", "x://c")
    assert input_counts(ad) == "[ CEDAR = 2; X = 2 ]"


@pytest.mark.parametrize(
    ("attributes", "field", "value"),
    [
        ({"OsUser": "bob"}, "owner", "bob"),
        ({"TransferExecutable": False}, "transfer_executable", False),
        ({"TransferInput": "a,b c", "PublicInputFiles": "d"}, "input_files", ("a", "b c", "d")),
        ({"TransferInput": "a b, c"}, "input_files", ("a b", "c")),
        ({"TransferInput": " a ,, b,"}, "input_files", ("a", "b")),
        ({"TransferOutput": ""}, "output_files", ()),
        ({"TransferOutput": "a, b"}, "output_files", ("a", "b")),
        ({"JobUniverse": 13, "VMPARAM_No_Output_VM": True, "TransferOutput": "a"}, "output_files", ()),
        ({"JobUniverse": 13, "TransferOutput": "a"}, "output_files", ("a",)),
        ({"JobUniverse": 5, "VMPARAM_No_Output_VM": True, "TransferOutput": "a"}, "output_files", ("a",)),
        ({"OutputDestination": "file:///x"}, "output_destination", "file:///x"),
        ({"WhenToTransferOutput": "on_exit_or_evict"}, "when_to_transfer", "ON_EXIT_OR_EVICT"),
        ({"StreamOut": True}, "stream_output", True),
        ({"StreamErr": True}, "stream_error", True),
        ({"PreserveRelativePaths": True}, "preserve_relative_paths", True),
        ({"CoreSize": -1}, "core_limit", -1),
        ({"StackSize": 4194304}, "stack_limit", 4194304),
        ({"JobNice": 7}, "nice", 7),
        ({"OrigCmd": "/bin/own"}, "own_program", "/bin/own"),
        ({"In": "i"}, "stdin", "i"),
        ({}, "appends", False),
        ({"WantFTOnCheckpoint": True}, "appends", True),
        ({"WantCheckpointSignal": True}, "appends", True),
        ({"EraseOutputAndErrorOnRestart": False}, "appends", True),
        ({"EraseOutputAndErrorOnRestart": True}, "appends", False),
        ({"Out": "o"}, "stdout", "o"),
        ({"Err": "e"}, "stderr", "e"),
        ({"In": ""}, "stdin", os.devnull),
        ({"Out": ""}, "stdout", os.devnull),
        ({"Err": ""}, "stderr", os.devnull),
        ({"Iwd": ""}, "iwd", "/"),
        ({"StreamIn": True}, "stream_input", True),
        ({"StreamIn": True, "JobUniverse": 9}, "stream_input", False),
        ({"JobNice": 50}, "nice", 19),
        ({"JobNice": -5}, "nice", 0),
        ({"SkipIfDataflow": True}, "skip_if_dataflow", True),
        ({"CheckpointNumber": 4}, "checkpoint_number", 4),
        ({}, "checkpoint_number", -1),
        ({"GlobalJobId": "a#1"}, "global_id", "a#1"),
        ({"x509userproxy": "p"}, "proxy", "p"),
        ({"JobUniverse": 13}, "is_machine", True),
        ({"JobUniverse": 13, "RemoteIwd": "/r"}, "remote_iwd", ""),
        ({"RemoteIwd": "/r"}, "remote_iwd", "/r"),
        ({"OutputDirectory": "d"}, "output_directory", "d"),
        ({"JobStarterLog": "l"}, "starter_log", "l"),
        ({"Node": 0}, "is_node", True),
        ({}, "is_node", False),
        ({"PrimaryUnixGroup": "g"}, "primary_group", "g"),
        ({"SuspendJobAtExec": True}, "stops_at_start", True),
        ({}, "stops_at_start", False),
        ({}, "tool", None),
        ({"ToolDaemonCmd": "t"}, "tool", ToolDaemon("t", (), "", "", "")),
        (
            {
                "ToolDaemonCmd": "t",
                "ToolDaemonArguments": "'a b'",
                "ToolDaemonInput": "i",
                "ToolDaemonOutput": "o",
                "ToolDaemonError": "e",
            },
            "tool",
            ToolDaemon("t", ("a b",), "i", "o", "e"),
        ),
        ({"ToolDaemonCmd": "t", "ToolDaemonArgs": "a 'b"}, "tool", ToolDaemon("t", ("a", "'b"), "", "", "")),
        ({"Node": 2}, "environment", {"_CONDOR_PROCNO": "2", "_CONDOR_NPROCS": "1"}),
        (
            {"Node": 0, "CurrentHosts": 3, "RemoteSpoolDir": "/s"},
            "environment",
            {"_CONDOR_PROCNO": "0", "_CONDOR_NPROCS": "3", "_CONDOR_REMOTE_SPOOL_DIR": "/s"},
        ),
    ],
)
def test_what_it_says(attributes: dict[str, object], field: str, value: object) -> None:
    assert getattr(read(**attributes), field) == value


@pytest.mark.parametrize(
    ("should", "domain", "transfer"),
    [
        (None, None, False),
        (None, "VM.example.net", False),
        (None, "else.where", True),
        ("IF_NEEDED", "else.where", True),
        ("if_needed", "vm.example.net", False),
        ("YES", "vm.example.net", True),
        ("yes", None, True),
        ("NO", "else.where", False),
    ],
)
def test_whether_files_are_moved(should: str | None, domain: str | None, transfer: bool) -> None:
    given = {"ShouldTransferFiles": should, "FileSystemDomain": domain}
    assert read(**{name: value for name, value in given.items() if value is not None}).transfer is transfer


@pytest.mark.parametrize(("universe", "transfer"), [(5, True), (7, False), (12, False)])
def test_jobs_that_the_schedd_runs_are_where_they_were_submitted(universe: int, transfer: bool) -> None:
    job = read(JobUniverse=universe, ShouldTransferFiles="YES", Iwd="/home/ann")
    assert job.transfer is transfer
    assert job.directory("/scratch") == ("/scratch" if transfer else "/home/ann")


@pytest.mark.parametrize(
    ("attributes", "arguments"),
    [
        ({"Arguments": "a 'b c' d''e"}, ("a", "b c", "de")),
        ({"Args": "a 'b c'"}, ("a", "'b", "c'")),
        ({"Arguments": "new", "Args": "old"}, ("new",)),
        ({"Arguments": "", "Args": "old"}, ()),
    ],
)
def test_arguments_of_both_syntaxes(attributes: dict[str, object], arguments: tuple[str, ...]) -> None:
    assert read(**attributes).arguments == arguments


@pytest.mark.parametrize(
    ("attributes", "environment"),
    [
        ({"Environment": "A=1 'B=x y' C="}, {"A": "1", "B": "x y", "C": ""}),
        ({"Env": "A=1;B=x y;C=a=b"}, {"A": "1", "B": "x y", "C": "a=b"}),
        ({"Env": "A=1|B=2;3", "EnvDelim": "|"}, {"A": "1", "B": "2;3"}),
        ({"Env": "A=1;nothing;;B=2"}, {"A": "1", "B": "2"}),
        ({"Environment": "A=new", "Env": "A=old;B=old"}, {"A": "new"}),
        ({"JobUniverse": 7, "ClusterId": 9, "ProcId": 3}, {"CONDOR_ID": "9.3"}),
        (
            {"JobUniverse": 7, "ClusterId": 9, "ProcId": 3, "SendCredential": True},
            {"CONDOR_ID": "9.3", "_CONDOR_SEC_CREDENTIAL_PRODUCER": "CREDENTIAL_ALREADY_STORED"},
        ),
        ({"JobUniverse": 5, "SendCredential": True}, {}),
    ],
)
def test_environment_of_both_syntaxes(attributes: dict[str, object], environment: dict[str, str]) -> None:
    assert read(**attributes).environment == environment


@pytest.mark.parametrize(
    ("text", "remaps"),
    [
        ("a=b", {"a": "b"}),
        (" a = b ; c/d = /e ", {"a": "b", "c/d": "/e"}),
        ("a=https://x/?k=v", {"a": "https://x/?k=v"}),
        (r"a\=b=c\;d;e=f", {"a=b": "c;d", "e": "f"}),
        (r"a=b\\;c=d", {"a": r"b\\", "c": "d"}),
        ("a;=b; ;c=", {"c": ""}),
        ("a=b;c=d;a=e", {"a": "b", "c": "d"}),
    ],
)
def test_remaps(text: str, remaps: dict[str, str]) -> None:
    assert read(TransferOutputRemaps=text).output_remaps == remaps


@pytest.mark.parametrize(
    ("attributes", "wishes"),
    [
        (
            {"TransferPlugins": "TAR, zip=/p/a; foo = b;bad;empty="},
            {"plugins": {"tar": "/p/a", "zip": "/p/a", "foo": "b"}},
        ),
        ({"MaxTransferInputMB": 5, "MaxTransferOutputMB": 0}, {"max_input_mb": 5, "max_output_mb": 0}),
        ({"TransferInputSizeMB": 9}, {"input_size_mb": 9}),
        ({"SuccessCheckpointExitCode": 85}, {"checkpoint_exit": 85}),
        (
            {"SuccessCheckpointExitBySignal": True, "SuccessCheckpointExitSignal": 10, "WantFTOnCheckpoint": True},
            {"checkpoint_exit": -10},
        ),
        ({"SuccessCheckpointExitBySignal": True, "SuccessCheckpointExitSignal": 10}, {}),
        ({"TransferCheckpoint": "a,b"}, {"checkpoint_files": ("a", "b")}),
        ({"TransferCheckpoint": ""}, {"checkpoint_files": ()}),
        ({"FailureFiles": "core, the log"}, {"failure_files": ("core", "the log")}),
        ({"JobSuccessExitCode": 0}, {"success": 0}),
        ({"JobSuccessExitCode": 7}, {"success": 7}),
        ({"JobSuccessExitBySignal": True, "JobSuccessExitSignal": 9}, {"success": -9}),
        ({"JobSuccessExitBySignal": False, "JobSuccessExitSignal": 9, "JobSuccessExitCode": 3}, {"success": 3}),
        ({"JobSuccessExitBySignal": True}, {}),
        ({"ManifestDesired": True}, {"manifest": "12_3_manifest"}),
        ({"ManifestDesired": True, "ManifestDir": "m"}, {"manifest": "m"}),
        ({"ManifestDesired": False}, {}),
        ({"ManifestDir": "m"}, {"manifest": "m"}),
        ({"JobSuccessExitBySignal": True, "JobSuccessExitCode": 3}, {"success": 0}),
        ({"JobSuccessExitSignal": 9}, {"success": 0}),
        ({"CheckpointDestination": "s3://b"}, {"checkpoint_destination": "s3://b"}),
        ({"LimitDirectoryAccess": "/a, /b"}, {"allowed_directories": ("/a", "/b")}),
        (
            {"PluginData": "x", "s3_PluginData": 5, "Other": 1},
            {"plugin_data": {"plugindata": '"x"', "s3_plugindata": "5"}},
        ),
        (
            {"EC2AccessKeyId": "a", "EC2SecretAccessKey": "s", "EC2SessionToken": "t", "AWSRegion": "r"},
            {"keys": KeyFiles(access="a", secret="s", token="t", region="r")},
        ),
    ],
)
def test_wishes(attributes: dict[str, object], wishes: dict[str, object]) -> None:
    assert read(**attributes).wishes == TransferWishes(**wishes)  # type: ignore[arg-type]


def test_only_the_variables_that_patterns_name_are_inherited() -> None:
    present = {"PATH": "/bin", "LC_ALL": "C", "LC_TIME": "de", "SECRET": "x"}
    assert inherited_environment(("PATH", "LC_*"), present) == (("PATH", "/bin"), ("LC_ALL", "C"), ("LC_TIME", "de"))
    assert inherited_environment((), present) == ()
    assert inherited_environment(("lc_*", "!*TIME"), present) == (("LC_ALL", "C"),)
    assert [name for name, _ in inherited_environment(("!SECRET",), present)] == ["PATH", "LC_ALL", "LC_TIME"]
    assert inherited_environment(("[PL]*",), present) == ()


# -- the directory -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755])
def test_the_scratch_directory_is_as_open_as_configured(tmp_path: Path, mode: int) -> None:
    before = os.umask(0o077)
    try:
        sandbox = sandboxes.create_root(str(tmp_path), 7, mode)
        sandboxes.create_scratch(sandbox, None, "A = 1\n", "B = 2\n")
    finally:
        os.umask(before)
    scratch = tmp_path / "dir_7" / "scratch"
    assert scratch.stat().st_mode & 0o777 == mode
    assert [(scratch / name).read_text() for name in (".job.ad", ".machine.ad")] == ["A = 1\n", "B = 2\n"]
    sandboxes.replace_job_ad(sandbox, "A = 3\n")
    assert (scratch / ".job.ad").read_text() == "A = 3\n"
    sandboxes.remove_scratch(sandbox)
    assert not scratch.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="files of other accounts need root")
def test_the_scratch_directory_and_its_ads_belong_to_the_owner_of_the_job(tmp_path: Path) -> None:
    owner = Account("job", 65_532, 65_531, "/", ())
    before = os.umask(0o022)  # as every daemon has it
    try:
        sandbox = sandboxes.create_root(str(tmp_path), 7)
        sandboxes.create_scratch(sandbox, owner, "A = 1\n", "B = 2\n")
    finally:
        os.umask(before)
    found = [os.lstat(path) for path in (sandbox.scratch, sandbox.job_ad, sandbox.machine_ad)]
    assert [(one.st_uid, one.st_gid) for one in found] == [(65_532, 65_531)] * 3
    assert [one.st_mode & 0o777 for one in found] == [0o700, 0o644, 0o644]
    assert os.lstat(sandbox.root).st_uid == 0


@pytest.mark.parametrize(("transfer", "iwd"), [("YES", "/execute/dir_7/scratch"), ("NO", "/home/alice")])
def test_the_directory_that_a_job_starts_in_is_told(transfer: str, iwd: str) -> None:
    slot = SlotFacts("slot1_1@vm", 2, 7, (), "/usr/bin")
    sandbox = sandboxes.Sandbox("/execute/dir_7")
    base = base_environment(slot, sandbox)
    found = job_environment(base, read(ShouldTransferFiles=transfer, Environment="TMP=own"), None, sandbox)
    assert (found["_CONDOR_JOB_IWD"], found["_CONDOR_SCRATCH_DIR"]) == (iwd, "/execute/dir_7/scratch")
    assert (found["TMP"], found["TEMP"], found["_CONDOR_SLOT"]) == ("own", "/execute/dir_7/scratch", "slot1_1")
    assert found["_CONDOR_JOB_PIDS"] == ""


def test_what_a_former_process_of_the_same_number_left_is_gone(tmp_path: Path) -> None:
    old = tmp_path / "dir_7" / "scratch"
    old.mkdir(parents=True)
    (old / "secret").write_text("x")
    assert os.listdir(sandboxes.create_root(str(tmp_path), 7).root) == []


def test_a_scratch_directory_that_the_job_locked_is_removed(tmp_path: Path) -> None:
    sandbox = sandboxes.create_root(str(tmp_path), 7)
    sandboxes.create_scratch(sandbox, None, "", "")
    locked = Path(sandbox.scratch) / "a" / "b"
    locked.mkdir(parents=True)
    (locked / "file").write_text("x")
    (tmp_path / "kept").write_text("x")
    (locked / "link").symlink_to(tmp_path / "kept")
    locked.chmod(0)
    locked.parent.chmod(0o500)
    sandboxes.remove_scratch(sandbox)
    assert (os.listdir(sandbox.root), (tmp_path / "kept").read_text()) == ([], "x")


def test_disk_usage_counts_blocks_and_entries_and_follows_no_links(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name, size in (("one", 4096), ("a/two", 3 * 4096), ("a/empty", 0)):
        (tmp_path / name).write_bytes(b"x" * size)
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    blocks = sum((tmp_path / name).lstat().st_blocks for name in ("one", "a/two", "a/empty", "a/up"))
    assert trees.measure(str(tmp_path)) == ((blocks + 1) // 2, 5)
    assert trees.measure(str(tmp_path / "gone")) == (0, 0)


def test_the_directory_of_one_job_is_that_of_the_next_as_if_it_were_new(tmp_path: Path) -> None:
    """Removing one makes us wait; but what its job did to it, beyond files, is gone with it."""
    sandbox = sandboxes.create_root(str(tmp_path), 1)
    sandboxes.create_scratch(sandbox, None, "A = 1\n", "B = 2\n")
    first = os.stat(sandbox.scratch).st_ino
    os.chmod(sandbox.scratch, 0o777)
    sandboxes.remove_scratch(sandbox)
    assert not os.path.exists(sandbox.scratch)
    sandboxes.create_scratch(sandbox, None, "A = 3\n", "B = 4\n")
    found = os.stat(sandbox.scratch)
    assert (found.st_ino, found.st_mode & 0o7777) == (first, 0o700)
    assert Path(sandbox.job_ad).read_text() == "A = 3\n"
    try:
        os.setxattr(sandbox.scratch, "user.of_the_job", b"1")
    except OSError:
        return  # the file system has none
    sandboxes.remove_scratch(sandbox)
    sandboxes.create_scratch(sandbox, None, "", "")
    assert os.listxattr(sandbox.scratch) == []


def test_common_files_are_fetched_unless_they_are_staged() -> None:
    ad = ClassAd({**BARE, "TransferInput": "a"})
    assert read_job(ad, "x").staged == ()
    assert read_job(ad, "x", ("/data",)).staged == ("/data",)


@pytest.mark.parametrize(
    ("when", "code", "transfer", "leaves"),
    [
        ("ON_EXIT", None, "YES", False), ("ON_EXIT_OR_EVICT", None, "YES", True), ("ON_EXIT", 85, "YES", True),
        ("ON_EXIT_OR_EVICT", 85, "NO", False),
    ],
)  # fmt: skip
def test_runs_that_leave_files(when: str, code: int | None, transfer: str, leaves: bool) -> None:
    more = {} if code is None else {"SuccessCheckpointExitCode": code}
    assert read(WhenToTransferOutput=when, ShouldTransferFiles=transfer, **more).leaves_files is leaves


@pytest.mark.parametrize("name", ["Arguments", "Environment"])
def test_quotes_that_do_not_end_name_their_attribute(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{name} cannot be read: "):
        read(**{name: "'a"})


def test_plugins_that_a_machine_refuses() -> None:
    wishes = replace(TransferWishes(), plugins={"tar": "/p"})
    assert wishes.without_plugins(fails=False) == TransferWishes()
    assert wishes.without_plugins(fails=True) == replace(TransferWishes(), refused_plugins={"tar": "/p"})


@pytest.mark.parametrize(
    ("name", "value", "field", "read_as"),
    [
        ("VMPARAM_No_Output_VM", True, "output_files", ()),
        ("StreamOut", True, "stream_output", True),
        ("Node", 3, "is_node", True),
        ("ManifestDir", "m", "wishes", TransferWishes(manifest="m")),
        ("JobSuccessExitCode", 3, "wishes", TransferWishes(success=3)),
        ("CheckpointNumber", 4, "checkpoint_number", 4),
    ],
)
def test_one_of_them_is_enough(name: str, value: object, field: str, read_as: object) -> None:
    assert getattr(read_job(ClassAd({**BARE, "JobUniverse": 13, name: value}), "vm"), field) == read_as
