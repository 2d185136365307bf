"""condor_ping: how each way to print shows what a daemon allows and refuses, here and in another pool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tool_runner import Done, Spool

from condor_py.cli import ping
from condor_py.client.elsewhere import OtherSchedd
from condor_py.client.pool import Pool
from condor_py.client.wire import WireError
from condor_py.lang.classad import ClassAd
from condor_py.model.messages.access import Ping, Pinged
from condor_py.model.messages.codec import Refused
from condor_py.model.version import CONDOR_VERSION

VERSION = "$CondorVersion: 25.14.0 $"


@pytest.fixture
def asked(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A pool of which every daemon listens, and lets jane read and write: the daemons that were asked."""
    asked: list[Any] = []

    def ask(self: Pool, daemon: str, request: object) -> Pinged:
        assert isinstance(request, Ping)
        asked.append(daemon)
        return Pinged("jane@example.net", ["ALLOW", "READ", "WRITE"], VERSION)

    monkeypatch.setattr(Pool, "ask", ask)
    monkeypatch.setattr(ping, "runs", lambda pool, daemon: asked.append(f"{daemon}?") or True)
    return asked


GRANTED = "WRITE command using (no encryption, no integrity, and FS) succeeded as jane@example.net to local schedd.\n"
FAILED = " failed!  Use -verbose for more information.\n"
HEAD = "         Instruction Authentication Encryption Integrity Decision Identity\n"
ALLOW = "{:>20}             FS       none      none    ALLOW jane@example.net\n"
FAIL = "{:>20}           FAIL       FAIL      FAIL     FAIL FAIL  (use -verbose for more info)\n"
NO_WORD = "WARNING: Missing <authz-level | command-name | command-int> argument, defaulting to WRITE.\n"
NO_DAEMON = "WARNING: Missing daemon argument, defaulting to SCHEDD.\n"
LEVELS = [
    *("ALLOW", "READ", "WRITE", "NEGOTIATOR", "ADMINISTRATOR", "OWNER", "CONFIG", "DAEMON"),
    *("ADVERTISE_STARTD", "ADVERTISE_SCHEDD", "ADVERTISE_MASTER"),
]
UNKNOWN = "SECMAN:2011:Connection closed during command authorization. Probably due to an unknown command."
DENIED = 'SECMAN:2010:Received "DENIED" from server for user jane@example.net using method FS.'


@pytest.mark.parametrize(
    ("words", "done"),
    [
        ("", (GRANTED, "", 0)),
        ("READ WRITE", (GRANTED.replace("WRITE", "READ") + GRANTED, "", 0)),
        ("write ADMINISTRATOR", (GRANTED.replace("WRITE", "write") + "ADMINISTRATOR" + FAILED, "", 1)),
        ("ADMINISTRATOR WRITE", ("ADMINISTRATOR" + FAILED + GRANTED, "", 1)),
        ("-type startd READ", (GRANTED.replace("WRITE", "READ").replace("schedd", "startd"), "", 0)),
        ("-quiet", ("", "", 0)),
        ("-quiet ADMINISTRATOR", ("", "", 1)),
        ("-table", (HEAD + ALLOW.format("WRITE"), NO_WORD + NO_DAEMON, 0)),
        ("-table -type schedd READ CONFIG", (HEAD + ALLOW.format("READ") + FAIL.format("CONFIG"), "", 1)),
        (
            "-table -type schedd all",
            (HEAD + "".join((ALLOW if at < 3 else FAIL).format(word) for at, word in enumerate(LEVELS)), "", 1),
        ),
        ("-verbose ADMINISTRATOR", (f"ADMINISTRATOR failed!\n{DENIED}\n\n", "", 1)),
        ("-verbose 99999", (f"99999 failed!\n{UNKNOWN}\n\n", "", 1)),
        ("-long CONFIG", (f"#{DENIED}\n# CONFIG command to local schedd is FAILED\n", "", 1)),
        ("-af Result Name From", ("ALLOWED DC_NOP_WRITE local schedd\n", "", 0)),
        ("-af:h Result AuthCommand", ("Result  AuthCommand\nALLOWED 60021      \n", "", 0)),
        ("-format %s: Result -format %s\\n Name CONFIG", ("DENIED:DC_NOP_CONFIG\n", "", 1)),
        ("-format %s: Result -format %d\\n AuthCommand 99999", (f"#{UNKNOWN}\nFAILED:99999\n", "", 1)),
    ],
)  # fmt: skip
def test_each_way_to_print(asked: list[Any], spool: Spool, words: str, done: Done) -> None:
    argv = [word.replace("\\n", "\n") for word in words.split()]
    assert spool.run("condor_ping", *argv) == done
    kind = "startd" if "startd" in words else "schedd"
    assert asked == [f"{kind}?", kind]


def test_everything_that_is_known(asked: list[Any], spool: Spool) -> None:
    assert spool.run("condor_ping", "-verbose").out == (
        "Destination:                 local schedd\n"
        f"Remote Version:              {VERSION}\n"
        f"Local  Version:              {CONDOR_VERSION}\n"
        "Session ID:                  none\n"
        "Instruction:                 WRITE\n"
        "Command:                     60021\n"
        "Encryption:                  none\n"
        "Integrity:                   none\n"
        "Authenticated using:         FS\n"
        "All authentication methods:  FS\n"
        "Remote Mapping:              jane@example.net\n"
        "Authorized:                  TRUE\n"
        "\n"
    )
    lines = spool.run("condor_ping", "-long", "READ").out.splitlines()
    assert lines[0] == "# READ command to local schedd is ALLOWED"
    assert lines[1:-1] == sorted(lines[1:-1], key=str.lower)
    assert {'AuthMethods = "FS"', 'MyRemoteUserName = "jane@example.net"', 'Encryption = "NO"'} <= set(lines)
    assert lines[-1] == ""


SECURE = {
    "Authentication": "YES", "AuthMethods": "TOKEN", "AuthMethodsList": "TOKEN,SSL", "Encryption": "YES",
    "Integrity": "YES", "CryptoMethods": "AES", "MyRemoteUserName": "jane@far", "RemoteVersion": "far", "Sid": "s:1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "changes", "shown"),
    [
        ("", {}, "WRITE command using (AES, AES, and TOKEN) succeeded as jane@far to schedd far.\n"),
        ("", {"CryptoMethods": "BLOWFISH"},
         "WRITE command using (BLOWFISH, MD5, and TOKEN) succeeded as jane@far to schedd far.\n"),
        ("", {"Encryption": "NO", "Integrity": "no", "Authentication": "NO"},
         "WRITE command using (no encryption, no integrity, and no authentication) succeeded as jane@far to schedd far"
         ".\n"),
        ("-table", {}, f"{HEAD}               WRITE          TOKEN        AES       AES    ALLOW jane@far\n"),
        ("-table", {"Authentication": "NO", "Encryption": "NO"},
         f"{HEAD}               WRITE           none       none       MD5    ALLOW jane@far\n"),
        ("-af Result Name From CryptoMethods", {}, "ALLOWED DC_NOP_WRITE schedd far AES\n"),
    ],
)  # fmt: skip
def test_a_schedd_of_another_pool(
    asked: list[Any],
    spool: Spool,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    changes: dict[str, str],
    shown: str,
) -> None:
    def answered(self: OtherSchedd, kind: str, address: str, names: list[str]) -> list[ClassAd]:
        assert (kind, address, names) == ("Schedd", "", ["DC_NOP_WRITE"])
        return [ClassAd(SECURE | changes)]

    monkeypatch.setattr(OtherSchedd, "ping", answered)
    done = spool.run("condor_ping", "-pool", "far.example.org", "-name", "far", *words.split())
    assert (done.out, done.code) == (shown, 0)
    verbose = spool.run("condor_ping", "-pool", "far.example.org", "-name", "far", "-verbose").out
    for line in (
        "Session ID:                  s:1\n",
        "Authenticated using:         ",
        "Authentication:              none",
    ):
        assert (line in verbose) == (line.startswith("Session") or ("none" in line) == ("Authentication" in changes))
    assert asked == []


def test_what_another_pool_refuses(asked: list[Any], spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[tuple[str, str]] = []
    monkeypatch.setattr(
        OtherSchedd, "ping", lambda self, kind, address, names: called.append((kind, address)) or ["it says no"]
    )
    done = spool.run("condor_ping", "-pool", "far.example.org", "-type", "startd", "-long")
    assert done == ("#it says no\n# WRITE command to startd of far.example.org is FAILED\n", "", 1)
    done = spool.run("condor_ping", "-address", "<10.1.2.3:77?alias=x>", "-format", "%s\n", "From")
    assert done == ("#it says no\ndaemon at <10.1.2.3:77>\n", "", 1)
    assert called == [("Startd", ""), ("Any", "<10.1.2.3:77?alias=x>")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-quiet -table", "ERROR: only one output mode may be specified."),
        ("-long -af Result", "ERROR: only one output mode may be specified."),
        ("-address <1.2.3.4:5> -name x", "ERROR: -address cannot be used with -pool or -name."),
        ("-address <1.2.3.4:5> -pool x", "ERROR: -address cannot be used with -pool or -name."),
        ("-address nowhere", "ERROR: unable to parse sinful string: nowhere"),
        ("-af (", "ERROR: could not parse -af option"),
        ("-format %s (", "ERROR: ( is not a valid expression"),
        ("-type shoe", "ERROR: unrecognized daemon type: shoe"),
        ("-type collector -name elsewhere", "ERROR: couldn't locate elsewhere!"),
        ("NONSENSE READ 1x", 'ERROR: Could not understand TOKEN "NONSENSE".\nERROR: Could not understand TOKEN "1x".'),
        ("-nonsense", "ERROR: Unknown argument: -nonsense"),
    ],
)
def test_what_cannot_be_asked(asked: list[Any], spool: Spool, words: str, said: str) -> None:
    done = spool.run("condor_ping", *words.split())
    assert (done.out, done.code) == ("", 1)
    assert said in done.err
    assert "schedd" not in asked


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (WireError("it hangs up"), "ERROR: failed to make connection to local schedd: it hangs up"),
        (Refused("not today"), "ERROR: local schedd: not today"),
    ],
)
def test_a_daemon_that_does_not_answer(
    asked: list[Any], spool: Spool, monkeypatch: pytest.MonkeyPatch, answer: Any, said: str
) -> None:
    def ask(self: Pool, daemon: str, request: object) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(Pool, "ask", ask)
    assert spool.run("condor_ping") == ("", f"{said}\n", 1)
    assert spool.run("condor_ping", "-quiet") == ("", "", 1)
    monkeypatch.setattr(ping, "runs", lambda pool, daemon: False)
    done = spool.run("condor_ping")
    assert (done.out, done.err.splitlines()[0], done.code) == ("", "ERROR: couldn't locate schedd!", 1)


def test_files_of_the_configuration(asked: list[Any], spool: Spool, tmp_path: Path) -> None:
    Path("root").write_text(f"LOCAL_DIR = {tmp_path}/local\nSCHEDD_NAME = first@a\n")
    Path("last").write_text("SCHEDD_NAME = second@a\n")
    done = spool.run("condor_ping", "-root-config", "root", "-name", "first@a")
    assert done == (GRANTED, "", 0)
    assert spool.run("condor_ping", "-root-config", "root", "-config", "last", "-name", "second@a").code == 0
    assert spool.run("condor_ping", "-root-config", "root", "-config", "last", "-name", "first@a").code == 1


@pytest.mark.parametrize(
    ("topic", "levels", "config"),
    [("", False, False), ("levels", True, False), ("l", True, False), ("auth", True, False), ("CONF", False, True),
     ("all", True, True), ("x", False, False)],
)  # fmt: skip
def test_help_of_a_topic(asked: list[Any], spool: Spool, topic: str, levels: bool, config: bool) -> None:
    done = spool.run("condor_ping", "-help", *([topic] if topic else []))
    assert (done.err, done.code, asked) == ("", 0, [])
    assert done.out.startswith("Usage: condor_ping")
    assert ("\nLevels of authorization:\n    ALLOW                every account" in done.out) == levels
    named = [line.split()[0] for line in done.out.partition("authorization:\n")[2].splitlines() if line[:5].strip()]
    assert named[: len(LEVELS) - 1] == ([level for level in LEVELS if level != "OWNER"] if levels else [])
    assert ("\nSecurity configuration:\n    none: the kernel" in done.out) == config


def test_the_version(asked: list[Any], spool: Spool) -> None:
    done = spool.run("condor_ping", "-version")
    assert (done.out.startswith(CONDOR_VERSION.removesuffix(" $")), done.code, asked) == (True, 0, [])


@pytest.mark.parametrize(("place", "code"), [("", 0), ("-pool far.example.org", 0), ("-name schedd@far", 1)])
def test_where_a_daemon_is_looked_for(
    asked: list[Any], spool: Spool, monkeypatch: pytest.MonkeyPatch, place: str, code: int
) -> None:
    """Another host is another pool; a name that no daemon here has is no daemon without one."""
    monkeypatch.setattr(OtherSchedd, "ping", lambda self, kind, address, names: [ClassAd(SECURE) for _ in names])
    done = spool.run("condor_ping", *place.split())
    assert done.code == code
    assert ("to local schedd" in done.out, "to schedd of far.example.org" in done.out) == (
        place == "", "far.example.org" in place,
    )  # fmt: skip
    assert (asked != []) == (place == "")


def test_the_pool_of_this_machine_may_be_named(asked: list[Any], spool: Spool) -> None:
    """A daemon of another name there is asked for as one of another machine of the pool."""
    host = Pool().settings.host
    assert spool.run("condor_ping", "-pool", host).out == GRANTED
    assert spool.run("condor_ping", "-pool", host, "-name", host).out == GRANTED
    asked.clear()
    assert spool.run("condor_ping", "-pool", host, "-name", "schedd@far").code == 1
    assert asked == []


def test_an_address_of_this_machine_is_asked_here(asked: list[Any], spool: Spool) -> None:
    address = Pool().settings.address
    done = spool.run("condor_ping", "-address", address, "READ")
    place = address.strip("<>").partition("?")[0]
    assert (done.out, done.code) == (
        f"READ command using (no encryption, no integrity, and FS) succeeded as jane@example.net to daemon at <{place}>"
        ".\n",
        0,
    )
    assert asked == ["master"]


def test_kinds_of_daemons_that_do_not_run_here(asked: list[Any], spool: Spool) -> None:
    for kind in ("shadow", "kbdd"):
        done = spool.run("condor_ping", "-type", kind)
        assert (done.out, done.err.splitlines()[0], done.code) == ("", f"ERROR: couldn't locate {kind}!", 1)
    assert asked == []


def test_the_daemon_of_credentials_is_asked(asked: list[Any], spool: Spool) -> None:
    done = spool.run("condor_ping", "-type", "credd", "-table", "WRITE", "STORE_CRED", "CREDD_GET_TOKEN", "DAEMON_OFF")
    assert [line.split()[:5:4] for line in done.out.splitlines()[1:]] == [
        ["WRITE", "ALLOW"], ["STORE_CRED", "ALLOW"], ["CREDD_GET_TOKEN", "ALLOW"], ["DAEMON_OFF", "FAIL"],
    ]  # fmt: skip
    assert (asked, done.code) == (["credd?", "credd"], 1)


def test_the_headings_are_printed_once(asked: list[Any], spool: Spool) -> None:
    done = spool.run("condor_ping", "-af:h", "Result", "Name", "-", "READ", "WRITE")
    words = [line.split() for line in done.out.splitlines()]
    assert words[0] == ["Result", "Name"], done
    assert words[1:] == [["ALLOWED", "DC_NOP_READ"], ["ALLOWED", "DC_NOP_WRITE"]]


def test_what_is_known_of_a_refusal(asked: list[Any], spool: Spool) -> None:
    done = spool.run("condor_ping", "-af", "Result", "MyRemoteUserName", "AuthMethods", "-", "CONFIG")
    assert (done.out, done.code) == ("DENIED jane@example.net FS\n", 1)


def test_without_a_topic_the_help_says_nothing_about_authorization(asked: list[Any], spool: Spool) -> None:
    done = spool.run("condor_ping", "-help", "-quiet")
    assert done.code == 0
    assert "Levels of authorization" not in done.out
