"""File transfer through the real tools and daemons: URLs, plugins, limits, checkpoints, what evicted runs leave."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest
from pool import PersonalPool, of_processes, runs, wait_for
from transfers import TRANSFER, hold_of


class _Web(http.server.BaseHTTPRequestHandler):
    """Serves /data, refuses the rest, keeps what is put."""

    kept: dict[str, bytes]

    def do_GET(self) -> None:
        if self.path == "/data":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"from the web\n")
        else:
            self.send_error(404)

    def do_PUT(self) -> None:
        self.kept[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing on stderr."""


@pytest.fixture
def web() -> Iterator[tuple[str, dict[str, bytes]]]:
    """The address of a web server, and what was put there."""
    handler = type("Web", (_Web,), {"kept": {}})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", handler.kept
        server.shutdown()
        thread.join()


def test_urls_in_and_out(pool: PersonalPool, web: tuple[str, dict[str, bytes]]) -> None:
    address, kept = web
    (pool.work / "local.txt").write_text("from a file\n")
    program = pool.script("use.sh", "cat data local.txt >both; echo x >named\n")
    cluster = pool.submit(
        f"executable = {program}\n{TRANSFER}"
        f"transfer_input_files = {address}/data, file://{pool.work}/local.txt\n"
        f'transfer_output_files = both, named\ntransfer_output_remaps = "both = {address}/up/both"\nqueue\n'
    )
    pool.wait("job.log")
    assert kept == {"/up/both": b"from the web\nfrom a file\n"}
    assert (pool.work / "named").read_text() == "x\n"
    wait_for(lambda: pool.history("ClusterId", "BytesRecvd") != [], "it is recorded")
    assert cluster


def test_a_job_finds_its_proxy(pool: PersonalPool) -> None:
    (pool.work / "proxy.pem").write_text("certificate\n")
    (pool.work / "proxy.pem").chmod(0o600)
    program = pool.script("show.sh", 'cat "$X509_USER_PROXY"; stat -c %a "$X509_USER_PROXY"\n')
    pool.submit(f'executable = {program}\n{TRANSFER}output = out\n+x509userproxy = "{pool.work}/proxy.pem"\nqueue\n')
    pool.wait("job.log")
    assert (pool.work / "out").read_text() == "certificate\n600\n"
    assert (pool.log / "ShadowLog").exists()


def test_a_url_that_is_not_there_holds_the_job(pool: PersonalPool, web: tuple[str, dict[str, bytes]]) -> None:
    cluster = pool.submit(f"executable = /bin/true\n{TRANSFER}transfer_input_files = {web[0]}/nosuch\nqueue\n")
    code, subcode, reason = hold_of(pool, cluster)
    assert (code, subcode) == ("13", "256")
    assert reason.startswith("Transfer input files failure at execution point slot1_1@")
    assert f"using protocol http. Details: HTTP error 404: Not Found ( URL file = {web[0]}/nosuch )" in reason


PLUGIN = """
import sys
import os
if "-classad" in sys.argv:
    print('PluginType = "FileTransfer"\\nSupportedMethods = "twice"\\nMultipleFileSupport = true')
    sys.exit(0)
text = open(sys.argv[sys.argv.index("-infile") + 1]).read()
import re
with open(sys.argv[sys.argv.index("-outfile") + 1], "w") as out:
    for local, url in re.findall(r'LocalFileName = "([^"]*)"; Url = "([^"]*)"', text):
        name = url.split("://")[1]
        if name == "bad":
            out.write('[ TransferSuccess = false; TransferError = "no luck"; TransferUrl = "%s" ]' % url)
            sys.exit(3)
        assert os.path.exists(os.environ["_CONDOR_JOB_AD"])
        open(local, "w").write(name * 2)
        out.write('[ TransferSuccess = true; TransferUrl = "%s" ]\\n' % url)
"""


@pytest.mark.parametrize("whose", ["pool", "job"])
def test_plugins_of_the_pool_and_of_the_job(pool: PersonalPool, whose: str) -> None:
    plugin = pool.script("twice_plugin", PLUGIN, "/usr/bin/env python3")
    asks = f"transfer_plugins = twice = {plugin}\n" if whose == "job" else ""
    if whose == "pool":
        pool.configure(f"FILETRANSFER_PLUGINS = {plugin}\n")
    program = pool.script("use.sh", "cat abc xyz\n")
    pool.submit(
        f"executable = {program}\n{TRANSFER}output = o\n{asks}transfer_input_files = twice://abc, twice://xyz\nqueue\n"
    )
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "abcabcxyzxyz"
    cluster = pool.submit(f"executable = {program}\n{TRANSFER}{asks}transfer_input_files = twice://bad\nqueue\n")
    code, subcode, reason = hold_of(pool, cluster)
    assert (code, subcode) == ("13", "768")
    assert "using protocol twice. Details: no luck ( URL file = twice://bad )" in reason


def test_too_many_megabytes(pool: PersonalPool) -> None:
    (pool.work / "big").write_bytes(bytes(3 << 20))
    wishes = "transfer_input_files = big\nmax_transfer_input_mb = 1\n"
    cluster = pool.submit(f"executable = /bin/true\n{TRANSFER}{wishes}queue\n")
    code, subcode, reason = hold_of(pool, cluster)
    assert (code, subcode) == ("32", "0")
    assert reason.startswith("TransferInputSizeMB (")
    assert reason.endswith(" is greater than MAX_TRANSFER_INPUT_MB (1) at submit time")
    program = pool.script("big.sh", "dd if=/dev/zero of=made bs=1M count=3 2>/dev/null; echo 1 >small\n")
    cluster = pool.submit(f"executable = {program}\n{TRANSFER}max_transfer_output_mb = 1\nqueue\n")
    code, subcode, reason = hold_of(pool, cluster)
    assert (code, subcode) == ("33", "0")
    assert "max total download bytes exceeded (max=1 MB, this file=3 MB)" in reason
    assert (pool.work / "small").exists()
    assert not (pool.work / "made").exists()


def test_missing_files_hold_with_htcondors_codes_and_words(pool: PersonalPool) -> None:
    cluster = pool.submit(f"executable = /bin/true\n{TRANSFER}transfer_input_files = a, b\nqueue\n")
    code, subcode, reason = hold_of(pool, cluster)
    assert (code, subcode) == ("13", "2")
    assert f"Details: 2 total failures: first failure: reading from file {pool.work}/a: (errno 2) No such" in reason
    cluster = pool.submit(f"executable = /bin/true\n{TRANSFER}transfer_output_files = c\nqueue\n")
    code, subcode, reason = hold_of(pool, cluster)
    assert (code, subcode) == ("12", "2")
    assert "Details: 1 total failures: first failure: reading from file " in reason


def test_checkpoints_are_saved_and_a_killed_run_goes_on_from_the_last(pool: PersonalPool) -> None:
    program = pool.script(
        "steps.sh",
        "n=0; test -f state && n=$(cat state) && echo from $n\n"
        'n=$((n+1)); echo $n >state; echo step $n\n'
        "test $n -eq 3 && test ! -e again && touch again && while :; do sleep 0.1; done\n"
        "test $n -lt 5 && exit 85\nexit 0\n",
    )  # fmt: skip
    cluster = pool.submit(
        f"executable = {program}\n{TRANSFER}output = o\n"
        "checkpoint_exit_code = 85\ntransfer_checkpoint_files = state\ntransfer_output_files = state\nqueue\n"
    )
    wait_for(lambda: pool.queue("CheckpointNumber") == [["1"]], "two checkpoints")
    room = pool.spool / str(cluster) / "0" / f"cluster{cluster}.proc0.subproc0"
    assert (room / "state").read_text() == "2\n"
    pool.tool("condor_vacate_job", "-fast", str(cluster))
    wait_for(lambda: [n for n, _ in pool.events("job.log") if n in (1, 4)] == [1, 4, 1], "it runs again")
    (pool.work / "o").unlink(missing_ok=True)
    wait_for(lambda: "step 3" in _stdout_of_run(pool), "it is at step 3 again")
    pool.tool("condor_rm", str(cluster))
    wait_for(lambda: pool.status_of(f"{cluster}.0") is None, "it is gone")
    wait_for(lambda: not room.exists(), "its files are gone")
    assert [number for number, _ in pool.events("job.log")].count(40) >= 8


def _stdout_of_run(pool: PersonalPool) -> str:
    return "".join(path.read_text() for path in pool.execute.glob("dir_*/scratch/_condor_stdout"))


def test_a_job_that_ends_after_checkpoints_has_all_its_output(pool: PersonalPool) -> None:
    program = pool.script(
        "steps.sh", "n=0; test -f state && n=$(cat state)\nn=$((n+1)); echo $n >state; echo step $n\n"
        "test $n -lt 3 && exit 85\nexit 0\n",
    )  # fmt: skip
    pool.submit(f"executable = {program}\n{TRANSFER}output = o\ncheckpoint_exit_code = 85\nqueue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "step 1\nstep 2\nstep 3\n"
    wait_for(lambda: pool.history("NumJobStarts", "CheckpointNumber", "ExitCode") == [["1", "1", "0"]], "recorded")


@pytest.mark.parametrize(
    ("erase", "begin"), [("", ""), ("erase_output_and_error_on_restart = false\n", "begun\nagain\n")]
)
def test_evicted_runs_leave_their_files_to_the_next(pool: PersonalPool, erase: str, begin: str) -> None:
    program = pool.script(
        "long.sh",
        "test -f second && { cat first second; exit 0; }\ntest -f first && echo 2 >second && echo again\n"
        "test -f first || { echo 1 >first; echo begun; }\nwhile :; do sleep 0.1; done\n",
    )  # fmt: skip
    cluster = pool.submit(
        f"executable = {program}\n{TRANSFER}output = o\nwhen_to_transfer_output = ON_EXIT_OR_EVICT\n{erase}queue\n"
    )
    for word in ("begun", "again"):
        wait_for(lambda said=word: said in _stdout_of_run(pool), f"it says {word}")
        pool.tool("condor_vacate_job", str(cluster))
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == f"{begin}1\n2\n"
    assert (pool.work / "first").read_text() == "1\n"
    assert (pool.work / "second").read_text() == "2\n"
    wait_for(lambda: not (pool.spool / str(cluster)).exists(), "nothing is left in the spool")


@pytest.mark.parametrize(("commands", "status", "sent"), [
    ("success_exit_code = 3", 3, True),
    ("success_exit_code = 0\nmax_retries = 0", 3, False),
    ("when_to_transfer_output = ON_SUCCESS", 3, True),  # it has not said what success is
])  # fmt: skip
def test_output_only_of_success(pool: PersonalPool, commands: str, status: int, sent: bool) -> None:
    program = pool.script("end.sh", f"echo said; echo 1 >made; exit {status}\n")
    more = 'transfer_output_files = made, never\n+FailureFiles = "why,not"\n' if not sent else ""
    pool.submit(f"executable = {program}\n{TRANSFER}output = o\n{commands}\n{more}queue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "said\n"
    assert (pool.work / "made").exists() is sent


@pytest.mark.parametrize(("tool", "status"), [("condor_rm", None), ("condor_hold", 5)])
@pytest.mark.parametrize("direction", ["in", "out"])
def test_a_long_transfer_is_stopped_for_its_user(
    pool: PersonalPool, direction: str, tool: str, status: int | None
) -> None:
    """A URL whose plugin takes for ever."""
    plugin = pool.script(
        "plugin.sh",
        'case $1 in -classad) echo "MultipleFileSupport = true"; echo "SupportedMethods = \\"slow\\"";;\n'
        f"*) touch {pool.work}/moving; exec sleep 600;; esac\n",
    )  # fmt: skip
    program = pool.script("end.sh", f"touch {pool.work}/ran; echo 1 >made\n")
    files = {
        "in": "transfer_input_files = slow://host/file\n",
        "out": 'transfer_output_files = made\ntransfer_output_remaps = "made = slow://host/made"\n',
    }[direction]
    text = f"executable = {program}\n{TRANSFER}{files}transfer_plugins = slow={plugin}\nqueue\n"
    job = f"{pool.submit(text)}.0"
    wait_for((pool.work / "moving").exists, "the transfer has begun")
    mark = {"in": "TransferringInput", "out": "TransferringOutput"}[direction]
    wait_for(lambda: pool.queue(mark) == [["true"]], "it is shown")
    pool.tool(tool, job)
    wait_for(lambda: pool.status_of(job) == status, "the job was stopped")
    wait_for(lambda: not pool.starters(), "the slot is free")
    assert (pool.work / "ran").exists() is (direction == "out")
    ours = set(pool.processes())
    moving = [pid for pid, words in of_processes("cmdline") if pid in ours and b"sleep\x00600" in words]
    wait_for(lambda: not any(map(runs, moving)), "and no plugin works")
    begun = [0, 40, 4] if direction == "in" else [0, 40, 40, 1, 40, 4]

    def events() -> list[int]:
        return [number for number, _ in pool.events("job.log") if number != 6]  # 6: it got bigger

    wait_for(lambda: events()[: len(begun)] == begun, lambda: f"{begun} in the log, and not {events()}")


def test_condor_rm_transfer_brings_the_output_first(pool: PersonalPool) -> None:
    ending = "trap 'echo bye; exit 0' TERM\n"
    program = pool.script("long.sh", f"{ending}echo 1 >made\necho up\nwhile :; do sleep 0.1; done\n")
    remaps = 'transfer_output_remaps = "made = kept"\n'
    text = f"executable = {program}\n{TRANSFER}output = o\n{remaps}queue\n"
    job = f"{pool.submit(text)}.0"
    wait_for(lambda: "up" in _stdout_of_run(pool), "it runs")
    done = pool.tool("condor_rm", "-transfer", job)
    assert done.stdout == f"Job {job} marked for removal after file transfer\n"
    wait_for(lambda: pool.status_of(job) is None, "it left")
    assert (pool.work / "kept").read_text() == "1\n"
    assert (pool.work / "o").read_text() == "up\nbye\n"
    text = (pool.work / "job.log").read_text()
    assert "Code 1023 Subcode 0" in text
    assert "via condor_rm -transfer (by user" in text.partition("\n009 (")[2]


def test_links_count_as_what_they_point_to(pool: PersonalPool) -> None:
    (pool.work / "tree" / "empty").mkdir(parents=True)
    (pool.work / "leaf").write_text("leaf\n")
    (pool.work / "tree" / "link").symlink_to("../leaf")
    (pool.work / "tree" / "nothing").symlink_to("nowhere")
    program = pool.script("end.sh", "find tree | sort; cat tree/link; mkdir made; ln -s ../tree/link made/link\n")
    files = "transfer_input_files = tree\ntransfer_output_files = made\n"
    remaps = 'transfer_output_remaps = "made = new/place"\n'
    pool.submit(f"executable = {program}\n{TRANSFER}output = o\n{files}{remaps}queue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "tree\ntree/empty\ntree/link\nleaf\n"
    assert (pool.work / "new" / "place" / "link").read_text() == "leaf\n"
    assert not (pool.work / "new" / "place" / "link").is_symlink()


def test_a_link_to_a_directory_holds_the_job(pool: PersonalPool) -> None:
    (pool.work / "tree").mkdir()
    (pool.work / "tree" / "up").symlink_to("..")
    program = pool.script("end.sh", "true\n")
    job = pool.submit(f"executable = {program}\n{TRANSFER}transfer_input_files = tree\nqueue\n")
    wait_for(lambda: pool.status_of(f"{job}.0") == 5, "it is held")
    ((code, subcode, *words),) = pool.queue("HoldReasonCode", "HoldReasonSubCode", "HoldReason")
    assert (code, subcode) == ("13", "21")
    assert " ".join(words).endswith("Is a directory- Transfer of symlinks to directories is not supported.")


def test_directories_relative_paths_and_a_manifest(pool: PersonalPool) -> None:
    (pool.work / "tree" / "sub").mkdir(parents=True)
    (pool.work / "tree" / "sub" / "leaf").write_text("leaf\n")
    program = pool.script("walk.sh", "find . -name leaf; mkdir -p out/deep; cp tree/sub/leaf out/deep/copy\n")
    pool.submit(
        f"executable = {program}\n{TRANSFER}output = o\ntransfer_input_files = tree/sub/leaf\n"
        "preserve_relative_paths = true\ntransfer_output_files = out/deep/copy\n"
        "manifest = true\nmanifest_dir = seen\nqueue\n"
    )
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "./tree/sub/leaf\n"
    assert (pool.work / "out" / "deep" / "copy").read_text() == "leaf\n"
    assert "./tree/sub/leaf\n" in (pool.work / "seen" / "in").read_text()
    assert "./out/deep/copy\n" in (pool.work / "seen" / "out").read_text()
    assert "_CONDOR_SLOT=slot1_1" in (pool.work / "seen" / "environment").read_text()


@pytest.mark.parametrize("universe", ["local", "scheduler"])
def test_a_job_that_the_schedd_runs_sees_all_of_its_directory(pool: PersonalPool, universe: str) -> None:
    (pool.work / "unlisted").write_text("found\n")
    program = pool.script("here.sh", "cat unlisted; echo made > result\n")
    pool.submit(f"universe = {universe}\nexecutable = {program}\n{TRANSFER}output = o\nqueue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "found\n"
    assert (pool.work / "result").read_text() == "made\n"
    assert "\n040 " not in (pool.work / "job.log").read_text()


SLOW_PLUGIN = """
import os
import sys
import time
if "-classad" in sys.argv:
    print('PluginType = "FileTransfer"\\nSupportedMethods = "slow"\\nMultipleFileSupport = true')
    sys.exit(0)
assert "-upload" in sys.argv
while not os.path.exists("{go}"):
    time.sleep(0.05)
open(sys.argv[sys.argv.index("-outfile") + 1], "w").write('[ TransferSuccess = true; TransferUrl = "slow://x" ]')
"""


def test_a_job_whose_output_takes_long_is_shown_so(pool: PersonalPool) -> None:
    plugin = pool.script("slow_plugin", SLOW_PLUGIN.replace("{go}", str(pool.work / "go")), "/usr/bin/env python3")
    pool.configure(f"FILETRANSFER_PLUGINS = {plugin}\n")
    program = pool.script("make.sh", "echo 1 >made\n")
    remaps = 'transfer_output_files = made\ntransfer_output_remaps = "made = slow://x"\n'
    cluster = pool.submit(f"executable = {program}\n{TRANSFER}{remaps}queue\n")
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 6, "it is transferring output")
    (pool.work / "go").touch()
    pool.wait("job.log")


class _Gate(_Web):
    """A web server whose answers wait until the gate is open."""

    gate: threading.Event

    def do_GET(self) -> None:
        self.gate.wait()
        super().do_GET()

    def do_PUT(self) -> None:
        self.gate.wait()
        super().do_PUT()


def test_large_transfers_take_turns(pool: PersonalPool) -> None:
    """MAX_CONCURRENT_UPLOADS and _DOWNLOADS: who waits for a turn shows it, and so do the event log and the schedd."""
    pool.configure(
        "MAX_CONCURRENT_UPLOADS = 1\nMAX_CONCURRENT_DOWNLOADS = 1\nBYTES_REQUIRED_TO_QUEUE_FOR_TRANSFER = 0\n"
        "SCHEDD_INTERVAL = 1\n"
    )
    handler = type("Gate", (_Gate,), {"kept": {}, "gate": threading.Event()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    (pool.work / "local.txt").write_text("more than nothing\n")
    program = pool.script("put.sh", "cat data >both\n")
    pool.submit(
        f"executable = {program}\n{TRANSFER}request_cpus = 2\n"
        f"transfer_input_files = {address}/data, local.txt\ntransfer_output_files = both\n"
        f'transfer_output_remaps = "both = {address}/up/$(ProcId)"\nqueue 2\n'
    )

    def states(mark: str) -> list[str]:
        return sorted(pool.tool("condor_q", "-af", mark, "TransferQueued").stdout.splitlines())

    def figures(*names: str) -> list[str]:
        return pool.tool("condor_status", "-schedd", "-af", *(f"TransferQueue{name}" for name in names)).stdout.split()

    wait_for(lambda: states("TransferringInput") == ["true false", "true true"], "one waits for the input of the other")
    letters = [line.split()[5] for line in pool.tool("condor_q", "-nobatch").stdout.splitlines() if "put.sh" in line]
    assert sorted(letters) == ["<", "<q"]
    wanted = ["NumUploading", "NumWaitingToUpload", "MaxUploading"]
    wait_for(lambda: figures(*wanted) == ["1", "1", "1"], "the schedd's ad tells it")
    handler.gate.set()
    pool.wait("job.log")
    assert set(handler.kept) == {"/up/0", "/up/1"}
    log = (pool.work / "job.log").read_text()
    assert log.count("Entered queue to transfer input files") == 1
    assert log.count("Started transferring input files") == 2
    assert log.count("Started transferring output files") == 2
    assert log.count("Started transferring input files\n\tSeconds spent in queue: ") == 1
    server.shutdown()


def test_a_job_that_waits_for_its_turn_may_be_removed(pool: PersonalPool) -> None:
    pool.configure("MAX_CONCURRENT_UPLOADS = 1\nBYTES_REQUIRED_TO_QUEUE_FOR_TRANSFER = 0\n")
    handler = type("Gate", (_Gate,), {"kept": {}, "gate": threading.Event()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    (pool.work / "local.txt").write_text("more than nothing\n")
    program = pool.script("put.sh", "cat data\n")
    cluster = pool.submit(
        f"executable = {program}\n{TRANSFER}request_cpus = 2\n"
        f"transfer_input_files = {address}/data, local.txt\nqueue 3\n"
    )
    waiting = ("condor_q", "-constraint", "TransferQueued", "-af", "ProcId")
    wait_for(lambda: len(pool.tool(*waiting).stdout.split()) == 1, "one waits")
    (first,) = pool.tool(*waiting).stdout.split()
    pool.tool("condor_rm", f"{cluster}.{first}")
    wait_for(lambda: pool.tool(*waiting).stdout.split() not in ([], [first]), "the next one waits")
    begun = ("condor_q", "-constraint", "TransferringInput && !TransferQueued", "-af", "ProcId")
    (running,) = pool.tool(*begun).stdout.split()
    pool.tool("condor_rm", f"{cluster}.{running}")
    handler.gate.set()
    pool.wait("job.log")
    server.shutdown()
