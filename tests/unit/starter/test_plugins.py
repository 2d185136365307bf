"""What is told of URLs that were not moved, and what the starter's log shows of plugins."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from condor_py.daemons.common.condorids import Home
from condor_py.daemons.startd.transfermethods import with_methods
from condor_py.daemons.starter.starterfacts import refuses_plugins
from condor_py.lang.classad import ClassAd, parseAds, parseOne
from condor_py.lang.config import load
from condor_py.lang.config.builders.starter import starter, transfer
from condor_py.machine.probes import process
from condor_py.machine.run import builtin_urls
from condor_py.machine.run.builtin_urls import Pace
from condor_py.machine.run.failures import UrlError
from condor_py.machine.run.identity import account
from condor_py.machine.run.job import read_job
from condor_py.machine.run.places import CREDENTIALS_NAME
from condor_py.machine.run.plugins import Mover, Plugin, Told, ask, plugins_of, record_of
from condor_py.machine.run.transfer import Copied, append
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import PluginOutput, StarterSettings, TransferSettings

INPUT = 1


class Lines:
    """A log that remembers."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, text: str, **_: object) -> None:
        self.lines.append(text)


def nobody(_text: str, **_: object) -> None:
    """Nobody reads the log."""


def failure(scratch: Path, url: str) -> dict[str, object]:
    """What the record of a transfer has of one URL that fails."""
    mover = Mover({}, TransferSettings(), str(scratch), nobody)
    with pytest.raises(UrlError):
        mover.move([(url, str(scratch / "file"))], INPUT)
    record = ClassAd.from_text_items(record_of(INPUT, mover.told).items())
    return dict(record.eval("InputPluginResultList")[0]["TransferErrorData"][0])


def test_programs_are_told_why_a_url_failed(tmp_path: Path) -> None:
    missing = failure(tmp_path, f"file://{tmp_path}/nosuch")
    assert (missing["ErrorCode"], missing["ErrorType"]) == (37, "Specification")
    assert missing["ErrorString"] == f"No such file or directory: {tmp_path}/nosuch"
    malformed = failure(tmp_path, "file://$(staging/plots.pdf")
    assert (malformed["ErrorCode"], malformed["ErrorType"], malformed["PluginLaunched"]) == (3, "Parameter", True)
    with socket.socket() as closed:  # bound, but it does not listen
        closed.bind(("127.0.0.1", 0))
        refused = failure(tmp_path, f"http://127.0.0.1:{closed.getsockname()[1]}/file")
    assert (refused["ErrorCode"], refused["ErrorType"], refused["FailedServer"]) == (7, "Contact", "Unknown")


def test_file_urls_may_name_this_machine(tmp_path: Path) -> None:
    (tmp_path / "a b").write_text("x")
    mover = Mover({}, TransferSettings(), str(tmp_path), nobody)
    mover.move([(f"file://localhost{tmp_path}/a%20b", str(tmp_path / "copy"))], INPUT)
    assert (tmp_path / "copy").read_text() == "x"


PLUGIN = """#!/bin/sh
echo 'he said "this"'
while [ "$1" != -outfile ]; do shift; done
echo 'TransferSuccess = true' > "$2"
exit "$(cat status)"
"""


@pytest.mark.parametrize(("status", "shown"), [(0, False), (3, True)])
def test_the_log_shows_what_failed_plugins_print(tmp_path: Path, status: int, shown: bool) -> None:
    (tmp_path / "plugin").write_text(PLUGIN)
    (tmp_path / "plugin").chmod(0o755)
    (tmp_path / "status").write_text(str(status))
    for settings, wanted in ((TransferSettings(), shown), (TransferSettings(plugin_output=PluginOutput(True)), True)):
        log = Lines()
        mover = Mover({"my": str(tmp_path / "plugin")}, settings, str(tmp_path), log)
        try:
            mover.move([("my://x", str(tmp_path / "x"))], INPUT)
        except UrlError:
            assert status
        line = f'FILETRANSFER: plugin {tmp_path}/plugin exit={status} stdout:\nhe said "this"'
        assert (line in log.lines) is wanted


@pytest.mark.parametrize(
    ("level", "debug", "shown"),
    [("D_ALWAYS", "", True), ("D_FULLDEBUG", "", False), ("D_FULLDEBUG", "D_FULLDEBUG", True), ("", "D_ALL", False)],
)
def test_levels_of_what_plugins_print(level: str, debug: str, shown: bool) -> None:
    name = "LOG_FILETRANSFER_PLUGIN_STDOUT_ON_SUCCESS"
    env = {"CONDOR_CONFIG": "ONLY_ENV", f"_CONDOR_{name}": level, "_CONDOR_STARTER_DEBUG": debug}
    assert transfer(load(env)).plugin_output == PluginOutput(shown, True)


def test_a_plugin_that_dies_by_a_signal(tmp_path: Path) -> None:
    (tmp_path / "plugin").write_text("#!/bin/sh\nkill -KILL $$\n")
    (tmp_path / "plugin").chmod(0o755)
    mover = Mover({"my": str(tmp_path / "plugin")}, TransferSettings(), str(tmp_path), nobody)
    with pytest.raises(UrlError) as raised:
        mover.move([("my://x", str(tmp_path / "x"))], INPUT)
    assert raised.value.subcode == 9
    assert "ExitBySignal = true; ExitSignal = 9" in record_of(INPUT, mover.told)["InputPluginInvocations"]


TELLS = """#!/bin/sh
if [ "$1" = -classad ]; then
    printf 'SupportedMethods = "my"\\nMultipleFileSupport = true\\nProtocolVersion = %s\\n' "$MY_PROTOCOL"
    exit
fi
cp "$2" asked
echo "[ TransferSuccess = true; TransferError = \\"$MY_WORD, ${OTHER_WORD-nothing}\\" ]" > "$4"
"""


@pytest.mark.parametrize(("protocol", "asked"), [("2", 1), ("4", 3)])
def test_plugins_get_what_the_job_has_for_them(tmp_path: Path, protocol: str, asked: int) -> None:
    plugin = tmp_path / "my_plugin"
    plugin.write_text(TELLS)
    plugin.chmod(0o755)
    environment = {"MY_PROTOCOL": protocol, "my_word": "x", "MY_WORD": "heard", "OTHER_WORD": "not for it"}
    data = {"plugindata": '[ a = "all" ]', "my_plugindata": "[ a = 1 ]", "http_plugindata": "[ a = 2 ]"}
    settings = TransferSettings(plugins=(str(plugin),))
    mover = Mover({}, settings, str(tmp_path), nobody, environment, data)
    mover.move([("my://x", str(tmp_path / "x"))], INPUT)
    ads = list(parseAds((tmp_path / "asked").read_text()))
    assert len(ads) == asked
    assert (ads[-1]["Url"], ads[-1]["LocalFileName"]) == ("my://x", str(tmp_path / "x"))
    both = ads[0] if protocol == "2" else {**ads[0], **ads[1]}
    assert both["PluginData"]["a"] == "all"
    assert both["my_PluginData"]["a"] == 1
    assert "http_PluginData" not in both
    assert protocol == "2" or ads[1]["Protocol"] == "my"
    assert 'TransferError = "heard, nothing"' in mover.told[0].files[0]


def test_a_transfer_that_does_not_get_on_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url, wishes = f"http://127.0.0.1:{silent.getsockname()[1]}/slow", builtin_urls.Wishes(patience=0.1)
        with pytest.raises(UrlError, match="Aborted due to lack of progress") as told:
            builtin_urls.move(url, str(tmp_path / "x"), False, wishes)
    assert told.value.about["FailureType"] == "TooSlow"
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0), "no timer is left behind"


def test_when_a_transfer_gets_on() -> None:
    pace = Pace()
    assert not pace.stalls(29.0), "it has half a minute for the first byte"
    assert pace.stalls(30.5)
    pace.bytes = 1024
    assert not pace.stalls(30.5)
    assert not pace.stalls(59.0)
    assert pace.stalls(61.0), "nothing came after the first look"
    pace = Pace()
    pace.bytes = 20
    assert pace.stalls(30.5), "less than a byte a second"


def test_what_came_only_in_part_is_no_file(tmp_path: Path) -> None:
    def serve(server: socket.socket) -> None:
        for _ in range(2):
            line, _ = server.accept()
            line.recv(1000)
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            line.close()

    wishes = builtin_urls.Wishes.of({"CURL_MAX_RETRY_ATTEMPTS": "1", "CURL_IGNORE_HTTP_PROXY": "1"})
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        with pytest.raises(UrlError, match="6 bytes remaining"):
            builtin_urls.move(f"http://127.0.0.1:{server.getsockname()[1]}/x", str(tmp_path / "x"), False, wishes)
        thread.join()


def test_the_history_of_transfers(tmp_path: Path) -> None:
    path, job = tmp_path / "transfer_history", read_job(ClassAd({"ClusterId": 3, "ProcId": 1, "Owner": "ann"}), "")
    append(str(path), job, [], [], 100.0)
    assert not path.exists()
    append(str(path), job, [Copied("in", 5, 2.0)], ['[ TransferSuccess = false; TransferError = "gone" ]'], 100.0)
    empty, first, second = path.read_text().split("***\n")
    assert empty == ""
    ads = [parseOne(first), parseOne(second)]
    assert [(ad["JobClusterId"], ad["JobProcId"], ad["JobOwner"]) for ad in ads] == [(3, 1, "ann")] * 2
    assert [ads[0][name] for name in ("TransferProtocol", "TransferType", "TransferFileName")] == [
        "cedar", "download", "in",
    ]  # fmt: skip
    assert (ads[0]["TransferStartTime"], ads[0]["TransferEndTime"], ads[0]["TransferTotalBytes"]) == (98, 100, 5)
    assert ads[1]["TransferError"] == "gone"
    with path.open("a") as file:
        file.truncate(5_000_001)
    append(str(path), job, [Copied("in", 5, 2.0)], [], 100.0)
    assert path.read_text().count("***") == 1
    assert (tmp_path / "transfer_history.old").stat().st_size == 5_000_001


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
def test_plugins_are_asked_with_the_rights_of_the_pool(open_path: Path) -> None:
    plugin = open_path / "who_plugin"
    plugin.write_text('#!/bin/sh\necho "SupportedMethods = \\"user$(id -u),$(id -g)\\""\n')
    plugin.chmod(0o755)
    user = account("nobody")
    starter = StarterSettings(execute=str(open_path), transfer=TransferSettings(plugins=(str(plugin),)))
    methods = with_methods(StartdSettings(), starter, Home(user, str(open_path)), nobody).transfer_methods
    assert {f"user{user.uid}", str(user.gid)} <= set(methods)


def test_a_method_whose_test_url_fails_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    env = {
        "CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_FILE_TEST_URL": f"file://{tmp_path}/there",
        "_CONDOR_HTTP_TEST_URL": "http://nonexistent.invalid/x", "_CONDOR_NONE_TEST_URL": "none://x",
    }  # fmt: skip
    settings = transfer(load(env))
    starter = StarterSettings(execute=str(tmp_path), transfer=settings.changed(plugins=()))
    knobs = StartdSettings().changed(transfer_methods=("file", "ftp", "http"))
    log = Lines()
    found = with_methods(knobs, starter, Home(None, str(tmp_path)), log).transfer_methods
    assert found == ("file", "ftp")
    assert any("http://nonexistent.invalid/x download failed" in line for line in log.lines)
    assert [each.name for each in tmp_path.iterdir()] == ["there"]


def test_urls_that_the_configuration_forbids_are_not_moved(tmp_path: Path) -> None:
    settings = TransferSettings(urls=False)
    starter = StarterSettings(execute=str(tmp_path), transfer=settings)
    assert with_methods(StartdSettings(), starter, Home(None, str(tmp_path)), nobody).transfer_methods == ()
    mover = Mover({"own": "/bin/true"}, settings, str(tmp_path), nobody)
    for url in ("file:///etc/hosts", "own://x"):
        with pytest.raises(UrlError, match="URL transfers are disabled by configuration"):
            mover.move([(url, str(tmp_path / "x"))], INPUT)


@pytest.mark.parametrize(
    ("knob", "refuses"),
    [
        ("", None), ("false", None), ("0", None), ("-1", None), ("true", True), ("1", True), ("3", True), ("2", False),
        ("2.7", False), ("1e999", True),
        ("undefined", None), ("TARGET.Owner == \"bob\"", True), ("MY.Public =?= true ? 2 : 0", False),
    ],
)  # fmt: skip
def test_the_machine_says_whether_plugins_of_jobs_run(knob: str, refuses: bool | None) -> None:
    given = {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_EXECUTE": "/nowhere"}
    config = load(given | {"_CONDOR_STARTER_DISABLE_USER_SUPPLIED_TRANSFER_PLUGINS": knob})
    wish = starter(config).disable_user_plugins
    assert refuses_plugins(wish, ClassAd({"Public": True}), ClassAd({"Owner": "bob"})) is refuses


@pytest.mark.parametrize("fails", [True, False])
def test_a_plugin_of_a_job_that_is_refused_does_not_run(tmp_path: Path, fails: bool) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text("#!/bin/sh\ntouch ran\n")
    plugin.chmod(0o755)
    given = {"ClusterId": 1, "ProcId": 0, "Iwd": str(tmp_path), "Cmd": "x"}
    ad = ClassAd({**given, "TransferPlugins": f"my,data={plugin}"})
    wishes = read_job(ad, "").wishes.without_plugins(fails)
    mover = Mover(wishes.plugins, TransferSettings(), str(tmp_path), nobody, refused=wishes.refused_plugins)
    with pytest.raises(UrlError) as failed:
        mover.move([("my://x", str(tmp_path / "file"))], INPUT)
    told = f"user-supplied plugin {plugin} not allowed" if fails else "no file transfer plugin for my"
    assert told in str(failed.value)
    assert failed.value.subcode == (-1002 if fails else -1001)
    if not fails:
        mover.move([("data:,x", str(tmp_path / "file"))], INPUT)  # what is built in does it
        assert (tmp_path / "file").read_text() == "x"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:secret@host:80/a/b?key=1", "http://me:...@host:80/a/b?..."),
        ("http://me:se:c@ret@host", "http://me:...@host"),
        ("http://me@host/a:b@c", "http://me@host/a:b@c"),
        ("http://host:80/a@b", "http://host:80/a@b"),
        ("/a/b:c@d", "/a/b:c@d"),
    ],
)
def test_a_hold_reason_shows_no_password(url: str, shown: str) -> None:
    assert str(UrlError(url, "gone")) == f"gone ( URL file = {shown} )"


def test_the_last_part_of_a_scheme_names_the_plugin(tmp_path: Path) -> None:
    plugin = tmp_path / "drive_plugin"
    plugin.write_text('#!/bin/sh\n[ "$1" = -classad ] && echo \'SupportedMethods = "gdrive"\' || echo "$1" >"$2"\n')
    plugin.chmod(0o755)
    mover = Mover({}, TransferSettings(plugins=(str(plugin),)), str(tmp_path), nobody)
    mover.move([("mine+gdrive://x", str(tmp_path / "x"))], INPUT)
    assert (tmp_path / "x").read_text() == "mine+gdrive://x\n"
    with pytest.raises(UrlError, match="no file transfer plugin for box "):
        mover.move([("gdrive+box://x", str(tmp_path / "x"))], INPUT)


@pytest.mark.parametrize("answer", ["", "[ ]", "\n\n"])
def test_a_plugin_that_says_nothing_of_its_files_has_failed(tmp_path: Path, answer: str) -> None:
    (tmp_path / "plugin").write_text(PLUGIN.replace("TransferSuccess = true", answer))
    (tmp_path / "plugin").chmod(0o755)
    (tmp_path / "status").write_text("0")
    mover = Mover({"my": str(tmp_path / "plugin")}, TransferSettings(), str(tmp_path), nobody)
    with pytest.raises(UrlError, match=f"plugin {tmp_path}/plugin reported nothing about its files"):
        mover.move([("my://x", str(tmp_path / "x"))], INPUT)


@pytest.mark.parametrize(("name", "prefix"), [("mine_plugin.py", "MINE_"), ("mine.py", "mine_"), ("mine", "Mine_")])
def test_variables_of_a_job_that_begin_with_the_name_of_a_plugin_are_for_it(
    tmp_path: Path, name: str, prefix: str
) -> None:
    plugin = tmp_path / name
    plugin.write_text(f"#!/bin/sh\nenv >{tmp_path}/env\n" + PLUGIN.partition("\n")[2])
    plugin.chmod(0o755)
    (tmp_path / "status").write_text("0")
    given = {f"{prefix}KEY": "for it", "OTHER_KEY": "not for it"}
    mover = Mover({"my": str(plugin)}, TransferSettings(), str(tmp_path), nobody, given)
    mover.move([("my://x", str(tmp_path / "x"))], INPUT)
    found = dict(line.partition("=")[::2] for line in (tmp_path / "env").read_text().splitlines())
    assert {key: found.get(key) for key in given} == {f"{prefix}KEY": "for it", "OTHER_KEY": None}


def test_a_record_names_the_schemes_of_a_call_in_order(tmp_path: Path) -> None:
    """One plugin moves them all in one call; no plugin is asked what the built-in data scheme does."""
    plugin, asked = tmp_path / "many_plugin", tmp_path / "asked"
    methods = r"SupportedMethods = \"h,g,f,e,d,c,b,a\""
    plugin.write_text(
        f'#!/bin/sh\nif [ "$1" = -classad ]; then echo >> {asked}; echo "{methods}"; else echo x > "$2"; fi\n'
    )
    plugin.chmod(0o755)
    mover = Mover({}, TransferSettings(plugins=(str(plugin),)), str(tmp_path), nobody)
    mover.move([("data:,x", str(tmp_path / "x"))], INPUT)
    assert not asked.exists()
    mover.move([(f"{name}://x", str(tmp_path / name)) for name in "hgfedcba"], INPUT)
    assert asked.read_text() == "\n"
    assert parseOne(mover.told[-1].call)["Schemes"] == "a,b,c,d,e,f,g,h"


def test_the_record_of_what_is_built_in_names_file_and_direction(tmp_path: Path) -> None:
    """The first of several failures is the one that counts."""
    mover = Mover({}, TransferSettings(), str(tmp_path), nobody)
    mover.move([("data:,x", str(tmp_path / "x"))], INPUT)
    missing = [(f"file://{tmp_path}/{name}", str(tmp_path / name)) for name in ("none", "neither")]
    with pytest.raises(UrlError, match="/none"):
        mover.move(missing, INPUT)
    with pytest.raises(UrlError):
        mover.move(missing[:1], 2, upload=True)
    ads = [parseOne(ad) for told in mover.told for ad in told.files]
    assert [(ad["TransferType"], Path(ad["TransferFileName"]).name, ad["TransferSuccess"]) for ad in ads] == [
        ("download", "x", True), ("download", "none", False), ("download", "neither", False), ("upload", "none", False),
    ]  # fmt: skip


def test_a_plugin_has_a_session_and_variables_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals for the starter's terminal do not reach it; the pool's own CONDOR_... are not for it."""
    plugin = tmp_path / "my_plugin"
    plugin.write_text(
        '#!/bin/sh\n[ "$1" = -classad ] && echo \'SupportedMethods = "my"\' && exit\n'
        'echo "$_CONDOR_JOB_AD $_CONDOR_MACHINE_AD ${CONDOR_SECRET-none} $(cut -d" " -f6 /proc/$$/stat) $$" >"$2"\n'
    )
    settings = TransferSettings(plugins=(str(plugin),))
    url = ("my://x", str(tmp_path / "x"))
    with pytest.raises(UrlError, match="no file transfer plugin for my"):
        Mover({}, settings, str(tmp_path), nobody).move([url], INPUT)
    plugin.chmod(0o755)
    monkeypatch.setenv("CONDOR_SECRET", "s")
    mover = Mover({}, settings, str(tmp_path), nobody)
    mover.move([url], INPUT)
    job_ad, machine_ad, secret, session, pid = (tmp_path / "x").read_text().split()
    assert (job_ad, machine_ad) == (f"{tmp_path}/.job.ad", f"{tmp_path}/.machine.ad")
    assert (secret, session) == ("none", pid)
    plugin.unlink()
    with pytest.raises(UrlError, match="is not operational: No such file"):
        mover.move([url], INPUT)


# ---- calls of plugins ---------------------------------------------------------------------------------------


def plugin_that(top: Path, text: str, name: str = "my_plugin") -> str:
    path = top / name
    path.write_text(f"#!/bin/sh\ntop={top}\n{text}\n")
    path.chmod(0o755)
    return str(path)


def answering(top: Path, ads: str, code: int = 0, says: str = "") -> str:
    """A plugin for many files that writes these ads, says something and ends with a code."""
    (top / "answer").write_text(ads)
    return plugin_that(
        top,
        f'echo "$*" >>$top/calls; cp "$2" $top/asked 2>/dev/null; {says or ":"}\n'
        f'while [ "$1" != -outfile ]; do shift; done; cp $top/answer "$2"; exit {code}',
    )


def moved(
    top: Path, own: str, urls: list[str], upload: bool = False, **settings: object
) -> tuple[Mover, UrlError | None]:
    mover = Mover({"my": own}, TransferSettings(**settings), str(top), nobody)  # type: ignore[arg-type]
    try:
        mover.move([(url, str(top / f"f{number}")) for number, url in enumerate(urls)], INPUT, upload)
    except UrlError as error:
        return mover, error
    return mover, None


GOOD = "TransferSuccess = true\n"


def call_of(mover: Mover) -> ClassAd:
    return ClassAd(dict(parseOne(mover.told[0].call)))


@pytest.mark.parametrize("upload", [False, True])
def test_a_plugin_is_called_once_for_all_of_its_files(tmp_path: Path, upload: bool) -> None:
    own = answering(tmp_path, GOOD)
    _, error = moved(tmp_path, own, ["my://a", "my://b"], upload)
    assert error is None
    base = f"{tmp_path}/.my_plugin"
    assert (tmp_path / "calls").read_text() == f"-infile {base}.in -outfile {base}.out{' -upload' * upload}\n"
    assert (tmp_path / "asked").read_text().splitlines() == [
        f'[ LocalFileName = "{tmp_path}/f{number}"; Url = "my://{name}" ]' for number, name in enumerate("ab")
    ]
    assert not {".my_plugin.in", ".my_plugin.out"} & set(os.listdir(tmp_path)), "nothing is left for the job"


@pytest.mark.parametrize(
    ("ads", "code", "says", "told", "subcode"),
    [
        (GOOD, 0, "", None, 0),
        ('TransferSuccess = false\nTransferError = "it broke"\nTransferUrl = "my://b"\n', 2, "", "it broke", 512),
        ("TransferSuccess = false\n", 0, "", "non-zero exit (0) from PLUGIN", 0),
        ("Other = 1\n", 3, "echo words", "non-zero exit (3) from PLUGIN", 768),
        (GOOD, 3, "echo first >&2; echo last words >&2; echo out", "last words", 768),
        (GOOD, 3, "echo ' only out '", "only out", 768),
        (GOOD, 3, "", "non-zero exit (3) from PLUGIN", 768),
        ("", 0, "", "plugin PLUGIN reported nothing about its files", -1004),
        (GOOD + "\nTransferSuccess = false\n", 1, "", "non-zero exit (1) from PLUGIN", 256),
    ],
)
def test_what_a_plugin_answers_is_what_became_of_its_files(
    tmp_path: Path, ads: str, code: int, says: str, told: str | None, subcode: int
) -> None:
    own = answering(tmp_path, ads, code, says)
    mover, error = moved(tmp_path, own, ["my://a", "my://b"])
    assert (error is None) == (told is None)
    call = call_of(mover)
    assert (call.eval("ExitBySignal"), call.eval("ExitCode"), call.eval("Result")) == (False, code, 1 if told else 0)
    assert (call.eval("PluginBasename"), call.eval("TransferClass"), call.eval("Schemes")) == ("my_plugin", 1, "my")
    assert 0 <= call.eval("DurationInSeconds") < 60
    assert all(f"PluginExitCode = {code}" in each for each in mover.told[0].files)
    if error is not None and told is not None:
        assert told.replace("PLUGIN", own) in str(error)
        assert error.subcode == subcode
        assert ("my://b" if "TransferUrl" in ads else "my://a") in str(error)


def test_long_last_words_are_cut(tmp_path: Path) -> None:
    _, error = moved(tmp_path, answering(tmp_path, GOOD, 1, f"echo {'x' * 900}"), ["my://a"])
    assert error is not None
    assert error.text.count("x") == 500


def test_a_plugin_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    own = plugin_that(tmp_path, "exec sleep 1000")
    mover, error = moved(tmp_path, own, ["my://a"], plugin_lifetime=0.05)
    assert error is not None
    assert f"File transfer plugin {own} timed out after 0.05 seconds." in str(error)
    assert call_of(mover).eval("Result") == 3
    assert call_of(mover).eval("ExitCode") == 0


def test_a_plugin_that_cannot_be_executed_is_told(tmp_path: Path) -> None:
    own = plugin_that(tmp_path, "")
    Path(own).chmod(0o644)
    mover, error = moved(tmp_path, own, ["my://a"])
    assert error is not None
    assert f"plugin {own} is not operational: Permission denied" in str(error)
    assert (error.subcode, call_of(mover).eval("Result")) == (-1003, 4)


@pytest.mark.parametrize("upload", [False, True])
def test_a_plugin_for_single_files_is_called_for_each(tmp_path: Path, upload: bool) -> None:
    path = plugin_that(
        tmp_path, 'echo "$*" >>$top/calls\n[ "$1" = -classad ] && echo \'SupportedMethods = "MY, other"\' || exit 0'
    )
    mover = Mover({}, TransferSettings(plugins=(path, "/no/plugin")), str(tmp_path), nobody)
    mover.move([("my://a", "/x"), ("other://b", "/y")], INPUT, upload)
    pairs = ["/x my://a", "/y other://b"] if upload else ["my://a /x", "other://b /y"]
    assert (tmp_path / "calls").read_text().splitlines() == ["-classad", *pairs]
    assert call_of(mover).eval("Schemes") == "my,other"
    mover.move([("my://c", "/z")], INPUT)
    assert (tmp_path / "calls").read_text().count("-classad") == 1, "it is asked once"
    with pytest.raises(UrlError, match="no file transfer plugin for gone") as caught:
        mover.move([("gone://c", "/z")], INPUT)
    assert caught.value.subcode == -1001


def test_a_plugin_for_single_files_that_fails_stops_at_that(tmp_path: Path) -> None:
    path = plugin_that(
        tmp_path, 'echo "$*" >>$top/calls\n[ "$1" = -classad ] && echo \'SupportedMethods = "my"\' && exit\nexit 5'
    )
    mover = Mover({}, TransferSettings(plugins=(path,)), str(tmp_path), nobody)
    with pytest.raises(UrlError, match=r"non-zero exit \(5\) from") as caught:
        mover.move([("my://a", "/x"), ("my://b", "/y")], INPUT)
    assert (caught.value.subcode, (tmp_path / "calls").read_text()) == (5 << 8, "-classad\nmy://a /x\n")
    assert call_of(mover).eval("ExitCode") == 5


def test_every_plugin_has_its_turn_and_the_first_failure_is_told(tmp_path: Path) -> None:
    bad = plugin_that(tmp_path, "echo bad >&2; exit 4", "bad_plugin")
    good = answering(tmp_path, GOOD)
    mover = Mover({"bad": bad, "my": good, "worse": bad}, TransferSettings(), str(tmp_path), nobody)
    with pytest.raises(UrlError, match="bad://a"):
        mover.move([("bad://a", "/x"), ("my://b", "/y"), ("worse://c", "/z")], INPUT)
    assert (tmp_path / "calls").exists()
    assert len(mover.told) == 3


def test_a_built_in_method_gives_way_to_a_plugin(tmp_path: Path) -> None:
    path = plugin_that(
        tmp_path, 'echo "$*" >>$top/calls\n[ "$1" = -classad ] && echo \'SupportedMethods = "http,file,data"\'; :'
    )
    mover = Mover({}, TransferSettings(plugins=(path,)), str(tmp_path), nobody)
    mover.move([("data:,hello", f"{tmp_path}/x")], INPUT)
    assert not (tmp_path / "calls").exists(), "plugins are not asked for this"
    assert (tmp_path / "x").read_text() == "hello"
    mover.move([("http://h/a", "/x")], INPUT)
    assert (tmp_path / "calls").read_text().splitlines() == ["-classad", "http://h/a /x"]


@pytest.mark.parametrize(
    ("says", "found"),
    [
        ('SupportedMethods = "A, b"', Plugin("PLUGIN", ("a", "b"), False, 2)),
        ('SupportedMethods = "a"\nMultipleFileSupport = true\nProtocolVersion = 4', Plugin("PLUGIN", ("a",), True, 4)),
        ('PluginType = "FileTransfer"\nodd line\nSupportedMethods = "a"', Plugin("PLUGIN", ("a",), False, 2)),
        ('PluginType = "Other"\nSupportedMethods = "a"', None),
        ('SupportedMethods = ""', None),
        ("nothing", None),
    ],
)
def test_plugins_describe_themselves(tmp_path: Path, says: str, found: Plugin | None) -> None:
    (tmp_path / "says").write_text(says)
    path = plugin_that(tmp_path, '[ "$*" = -classad ] && cat $top/says; printf "\\377"; exit $MY_CODE')
    expected = None if found is None else found._replace(path=path)
    assert ask(path) == expected
    assert ask(path, {"MY_CODE": "0"}) == expected
    assert ask(path, {"MY_CODE": "1"}) is None
    assert plugins_of([path, "/no/such"], {"OTHER": "1"}) == ([] if expected is None else [expected])
    Path(path).chmod(0o644)
    assert ask(path) is None


def test_a_plugin_that_does_not_describe_itself_in_time_is_none(tmp_path: Path) -> None:
    assert plugins_of([plugin_that(tmp_path, "exec sleep 1000")], None, 0.05) == []


def test_what_is_moved_is_logged_without_secrets(tmp_path: Path) -> None:
    log = Lines()
    own = answering(tmp_path, GOOD, 0, "echo my://u:secret@h/a")
    settings = TransferSettings(plugin_output=PluginOutput(True, True))
    mover = Mover({"my": own}, settings, str(tmp_path), log)
    mover.move([("my://u:secret@h/a", "/x")], INPUT)
    assert len(log.lines) == 3
    assert not [line for line in log.lines if "secret" in line]
    assert log.lines[0] == f"FILETRANSFER: invoking: {own} -infile {own.replace('my_', '.my_')}.in -outfile " + (
        own.replace("my_", ".my_") + ".out"
    )
    mover = Mover({}, settings, str(tmp_path), log)
    mover.move([("data:,x", f"{tmp_path}/x"), ("data:,y", f"{tmp_path}/y")], INPUT)
    assert log.lines[3:] == ["FILETRANSFER: invoking: data_plugin (built in) for 2 URLs"]


def test_a_long_output_is_shown_by_its_end(tmp_path: Path) -> None:
    log = Lines()
    own = answering(tmp_path, GOOD, 0, "head -c 20000 /dev/zero | tr '\\0' x; echo end")
    mover = Mover({"my": own}, TransferSettings(plugin_output=PluginOutput(True, True)), str(tmp_path), log)
    mover.move([("my://a", "/x")], INPUT)
    begin = f"FILETRANSFER: plugin {own} exit=0 stdout:\n"
    assert log.lines[-1] == begin + "x" * ((16 << 10) - 4) + "end"


def test_a_plugin_finds_the_ads_and_credentials_of_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_SECRET", "x")
    monkeypatch.delenv("_CONDOR_CREDS", raising=False)
    own = answering(tmp_path, GOOD, 0, "env >$top/env; pwd >$top/pwd")

    def variables() -> dict[str, str]:
        assert moved(tmp_path, own, ["my://a"])[1] is None
        return dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines() if "=" in line)

    found = variables()
    assert found["_CONDOR_JOB_AD"] == f"{tmp_path}/.job.ad"
    assert found["_CONDOR_MACHINE_AD"] == f"{tmp_path}/.machine.ad"
    assert not {"CONDOR_SECRET", "_CONDOR_CREDS"} & found.keys()
    assert (tmp_path / "pwd").read_text() == f"{tmp_path}\n"
    (tmp_path / CREDENTIALS_NAME).mkdir()
    assert variables()["_CONDOR_CREDS"] == f"{tmp_path}/{CREDENTIALS_NAME}"


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_a_record_names_its_class(kind: int) -> None:
    name = {1: "Input", 2: "Output", 3: "Checkpoint"}[kind]
    assert record_of(kind, [Told("[ A = 1 ]", ("[ B = 2 ]", "[ C = 3 ]")), Told("[ D = 4 ]", ())]) == {
        "TransferClass": f'"{name.upper()}"', f"{name}PluginInvocations": "{ [ A = 1 ], [ D = 4 ] }",
        f"{name}PluginResultList": "{ [ B = 2 ], [ C = 3 ] }",
    }  # fmt: skip


def test_answers_with_empty_lines_between_ads_and_in_the_new_form(tmp_path: Path) -> None:
    new = "".join(f"[ TransferSuccess = true; A = {number} ]\n" for number in (1, 2))
    for text in (f"{GOOD}A = 1\n\n{GOOD}A = 2\n", new):
        mover, error = moved(tmp_path, answering(tmp_path, text), ["my://a", "my://b"])
        assert error is None
        assert [f"A = {number}" in each for number, each in enumerate(mover.told[0].files, 1)] == [True, True]


def test_a_plugin_is_asked_in_a_session_of_its_own(tmp_path: Path) -> None:
    """A signal for our group is none for it, and it reads nothing from us."""
    path = plugin_that(
        tmp_path, "cut -d' ' -f1,6 /proc/$$/stat >$top/session; cat >$top/input; echo 'SupportedMethods = \"a\"'"
    )
    assert ask(path) is not None
    pid, session = (tmp_path / "session").read_text().split()
    assert pid == session
    assert (tmp_path / "input").read_text() == ""
    own = answering(tmp_path, GOOD, 0, "cut -d' ' -f1,6 /proc/$$/stat >$top/session")
    mover, error = moved(tmp_path, own, ["my://a"])
    assert error is None
    assert len(set((tmp_path / "session").read_text().split())) == 1
    assert len(mover.told) == 1


@pytest.mark.parametrize(
    ("subcode", "result", "how"),
    [
        (0, 1, "ExitBySignal = false; ExitCode = 0"), (1, 1, "ExitBySignal = true; ExitSignal = 1"),
        (255, 1, "ExitBySignal = true; ExitSignal = 255"), (256, 1, "ExitBySignal = false; ExitCode = 1"),
        (512, 1, "ExitBySignal = false; ExitCode = 2"), (62, 3, "ExitBySignal = false; ExitCode = 0"),
        (-1003, 4, "ExitBySignal = false; ExitCode = 0"), (-1004, 1, "ExitBySignal = false; ExitCode = 0"),
    ],
)  # fmt: skip
def test_the_record_of_a_call_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subcode: int, result: int, how: str
) -> None:
    def fails(*words: object) -> None:
        raise UrlError("my://a", "why", subcode)

    monkeypatch.setattr(Mover, "_run_many", fails)
    mover, error = moved(tmp_path, "/my_plugin", ["my://a"])
    assert error is not None
    assert error.subcode == subcode
    assert f"Result = {result}; " in mover.told[0].call
    assert mover.told[0].call.endswith(f"{how} ]")


ANSWERS = """#!/bin/sh
while [ "$1" != -outfile ]; do shift; done
%s
"""


def program(path: Path, text: str) -> str:
    """A plugin."""
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("echo '[[[ nonsense' >$2", "Unable to parse input stream into a ClassAd"),
        ("mkdir $2", "Is a directory"),
        ("mkfifo $2", "Invalid argument"),
        ("truncate -s 3000 $2", "File too large"),
        ("echo '[[[ nonsense' >$2; echo no route >&2; exit 3", "no route"),
    ],
)
def test_an_answer_that_cannot_be_read_is_a_failed_transfer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, why: str
) -> None:
    monkeypatch.setattr("condor_py.machine.run.plugins._LONGEST_ANSWER", 2000)
    plugin = program(tmp_path / "plugin", ANSWERS % answer)
    mover = Mover({"my": plugin}, TransferSettings(), str(tmp_path), nobody)
    with pytest.raises(UrlError, match=why) as failed:
        mover.move([("my://x", str(tmp_path / "x"))], INPUT)
    assert failed.value.subcode == (3 << 8 if "exit 3" in answer else 0)
    assert [each.name for each in tmp_path.iterdir()] == ["plugin"]


@pytest.mark.parametrize("asked", [False, True])
def test_a_plugin_that_takes_too_long_leaves_no_process(tmp_path: Path, asked: bool) -> None:
    plugin = program(tmp_path / "plugin", f"#!/bin/sh\nsleep 600 &\necho $! >{tmp_path}/child\nwait\n")
    if asked:
        assert ask(plugin, timeout=0.5) is None
    else:
        settings = TransferSettings(plugin_lifetime=1)
        with pytest.raises(UrlError, match="timed out after 1 seconds"):
            Mover({"my": plugin}, settings, str(tmp_path), nobody).move([("my://x", str(tmp_path / "x"))], INPUT)
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 30
    while process.alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not process.alive(child)


def test_what_a_plugin_leaves_behind_is_not_waited_for(tmp_path: Path) -> None:
    text = ANSWERS % f"sleep 600 & echo $! >{tmp_path}/child; echo 'TransferSuccess = true' >$2"
    mover = Mover({"my": program(tmp_path / "plugin", text)}, TransferSettings(), str(tmp_path), nobody)
    mover.move([("my://x", str(tmp_path / "x"))], INPUT)
    child = int((tmp_path / "child").read_text())
    assert process.alive(child)
    os.kill(child, signal.SIGKILL)
