"""What is told of URLs that were not moved, and what the starter's log shows of plugins."""

from __future__ import annotations

import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from condor_py.daemons.common.condorids import Home
from condor_py.daemons.startd.transfermethods import with_methods
from condor_py.daemons.starter.starterfacts import refuses_plugins
from condor_py.lang.classad import ClassAd, parseAds, parseOne
from condor_py.lang.config import load
from condor_py.lang.config.builders.starter import starter, transfer
from condor_py.machine.run import builtin_urls
from condor_py.machine.run.builtin_urls import Pace
from condor_py.machine.run.failures import UrlError
from condor_py.machine.run.identity import account
from condor_py.machine.run.job import read_job
from condor_py.machine.run.plugins import Mover, record_of
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
