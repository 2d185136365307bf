"""Tab in real shells: what condor_complete knows comes to the line that somebody types."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from live_screen import LiveScreen, live_screen
from pool import ROOT, PersonalPool, wait_for
from shared_pool import SharedPool

from condor_py.cli.setup import plan
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

PROMPT = "ready> "


def _bash(directory: Path) -> tuple[list[str], str]:
    rc = directory / "bashrc"
    settings = "bind 'set bell-style none'\nbind 'set show-all-if-ambiguous on'"
    rc.write_text(f"PS1='{PROMPT}'\n{settings}\nsource {ROOT}/completions/condor.bash\n")
    return ["bash", "--noprofile", "--rcfile", str(rc), "-i"], ""


def _zsh(directory: Path) -> tuple[list[str], str]:
    functions = directory / "functions"
    functions.mkdir()
    shutil.copy(ROOT / "completions" / "condor.zsh", functions / "_condor_py")
    (directory / ".zshrc").write_text(
        f"PS1='{PROMPT}'\nunsetopt beep\nfpath=({functions} $fpath)\nautoload -Uz compinit\ncompinit -u -D\n"
    )
    return ["zsh", "-i"], str(directory)


def _fish(directory: Path) -> tuple[list[str], str]:
    start = (
        f"function fish_prompt; echo -n '{PROMPT}'; end; set -g fish_greeting; set -g fish_autosuggestion_enabled 0; "
        f"source {ROOT}/completions/condor.fish"
    )
    return ["fish", "--no-config", "-i", "-C", start], ""


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


@pytest.fixture(scope="module")
def queued(tmp_path_factory: pytest.TempPathFactory) -> PersonalPool:
    """A pool without daemons: a job, a slot, users and a group."""
    pool = PersonalPool(tmp_path_factory.mktemp("completion") / "pool", GROUP_NAMES="physics", MY_OWN_KNOB="7")
    pool.submit("executable = /bin/sleep\nqueue 1\n")
    ads = AdStore(str(pool.spool / "ads"))
    ads.publish("STARTD", [ClassAd({"MyType": "Machine", "Name": "slot7@lab"})])
    ads.publish("ACCOUNTING", [
        ClassAd({"Name": "zoe@example.net", "IsAccountingGroup": False}),
        ClassAd({"Name": "physics", "IsAccountingGroup": True}),
    ])  # fmt: skip
    for name in ("diamond.dag", "diamond.txt", "two words.dag", "plain.sub"):
        (pool.work / name).write_text("")
    return pool


@contextmanager
def line_of(shell: str, pool: PersonalPool, directory: Path) -> Iterator[LiveScreen]:
    command, dotted = SHELLS[shell](directory)
    environment = pool.environment | {"PATH": f"{ROOT}/bin:{pool.environment['PATH']}"}
    if dotted:
        environment["ZDOTDIR"] = dotted
    with live_screen(command, environment, pool.work) as screen:
        screen.shows(PROMPT.strip())
        yield screen


LINES = [
    ("condor_hold ", "condor_hold 1"),
    ("condor_q -better-analyze 1.", "condor_q -better-analyze 1.0"),
    ("condor_rm zo", "condor_rm zoe"),
    ("condor_config_val MAX_JOBS_RUNN", "condor_config_val MAX_JOBS_RUNNING"),
    ("condor_config_val MY_OW", "condor_config_val MY_OWN_KNOB"),
    ("condor_q -af Owner RequestMem", "condor_q -af Owner RequestMemory"),
    ("condor_q -constraint 'JobPrio==1 && RequestMem", "condor_q -constraint 'JobPrio==1 && RequestMemory"),
    ("condor_status -af TotalSlotM", "condor_status -af TotalSlotMemory"),
    ("condor_status slot7@", "condor_status slot7@lab"),
    ("condor_userprio -delete zoe@", "condor_userprio -delete zoe@example.net"),
    ("condor_qsub -A ph", "condor_qsub -A physics"),
    ("condor_submit accounting_group=ph", "condor_submit accounting_group=physics"),
    ("condor_submit request_mem", "condor_submit request_memory="),
    ("condor_submit pla", "condor_submit plain.sub"),
    ("condor_submit_dag dia", "condor_submit_dag diamond.dag"),
    ("condor_dag_checker 'two w", "condor_dag_checker 'two words.dag"),
    ("condor_watch_q -groupby ba", "condor_watch_q -groupby batch"),
    ("condor_q -forec", "condor_q -forecast"),
    ("condor_watch_q -summary-type perc", "condor_watch_q -summary-type percentages"),
    ("condor_submit -fi", "condor_submit -file"),
    ("condor_submit -file pla", "condor_submit -file plain.sub"),
    ("htcondor jo", "htcondor job"),
    ("htcondor jobs", "htcondor jobset"),
    ("htcondor job sta", "htcondor job status"),
    ("htcondor -v job res", "htcondor -v job resources"),
    ("htcondor job status 1.", "htcondor job status 1.0"),
    ("htcondor job status --sk", "htcondor job status --skip-history"),
    ("htcondor dag submit dia", "htcondor dag submit diamond."),
    (f"{ROOT}/bin/htcondor dag thr", f"{ROOT}/bin/htcondor dag throttle"),
    (f"{ROOT}/bin/condor_q 1.", f"{ROOT}/bin/condor_q 1.0"),
]


def test_tab_completes_each_line(shell: str, queued: PersonalPool, tmp_path: Path) -> None:
    with line_of(shell, queued, tmp_path) as screen:
        for typed, completed in LINES:
            screen.type(typed, "\t")
            squeezed = completed.replace(" ", "")
            screen.wait_for(
                lambda text, wanted=squeezed: wanted in text.replace("\n", "").replace(" ", ""),
                f"{shell}: {typed!r} becomes {completed!r}", 20,
            )  # fmt: skip
            screen.type("\x15", "\x0c")  # an empty line on an empty screen
            screen.wait_for(lambda text: text.strip() == PROMPT.strip(), "an empty screen")


#: What Tab lists where there are several.
LISTS = [
    ("condor_q -b", ("-batch", "-better-analyze")),
    ("htcondor ", ("job", "dag", "eventlog")),
    ("htcondor dag ", ("status", "halt", "throttle")),
    ("condor_watch_q -groupby ", ("batch", "log", "cluster")),
]


def test_tab_lists_what_may_follow(shell: str, queued: PersonalPool, tmp_path: Path) -> None:
    with line_of(shell, queued, tmp_path) as screen:
        screen.resize(100, 80)
        for typed, listed in LISTS:
            screen.type(typed, "\t")
            screen.wait_for(
                lambda text, wanted=listed: all(re.search(rf"(?<!\S){word}\b", text) for word in wanted),
                f"{shell}: {typed!r} lists {listed}", 20,
            )  # fmt: skip
            screen.type("\x03" if shell == "fish" else "")  # its list is a menu
            screen.type("\x15", "\x0c")
            screen.wait_for(lambda text: text.strip() == PROMPT.strip(), "an empty screen")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an account that has run condor_setup."""
    place = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(place))
        (place / ".config" / "fish").mkdir(parents=True)
        plan.install(plan.user_steps(plan.places()), "", plan.Record(f"{place}/record"), lambda _: None, dry_run=False)
    return place


def test_a_shell_finds_what_condor_setup_has_made(shell: str, queued: PersonalPool, home: Path) -> None:
    """bash and fish look there by themselves; zsh needs the line that condor_setup tells."""
    (next_line,) = [line for line, _ in next_of(home) if line.startswith("fpath=")] if shell == "zsh" else [""]
    (home / ".zshrc").write_text(f"PS1='{PROMPT}'\nunsetopt beep\n{next_line}\nautoload -Uz compinit\ncompinit -u -D\n")
    completion = next(filter(Path.exists, map(Path, ("/usr/share/bash-completion/bash_completion",))), None)
    if shell == "bash" and completion is None:
        pytest.skip("bash-completion, which loads completions, is not installed")
    (home / "bashrc").write_text(f"PS1='{PROMPT}'\nbind 'set bell-style none'\nsource {completion}\n")
    prompt = (
        f"function fish_prompt; echo -n '{PROMPT}'; end; set -g fish_greeting; set -g fish_autosuggestion_enabled 0"
    )
    command = {
        "bash": ["bash", "--noprofile", "--rcfile", str(home / "bashrc"), "-i"],
        "zsh": ["zsh", "-i"],
        "fish": ["fish", "-i", "-C", prompt],
    }[shell]
    environment = queued.environment | {"HOME": str(home), "PATH": f"{home}/.local/bin:{queued.environment['PATH']}"}
    with live_screen(command, environment, queued.work) as screen:
        screen.shows(PROMPT.strip())
        screen.type("condor_hold \t")
        screen.wait_for(lambda text: "condor_hold 1" in text, "the job is offered", 20)


def next_of(home: Path) -> list[tuple[str, str]]:
    """What condor_setup says at its end."""
    share = f"{home}/.local/share"
    found = plan.next_steps(share, "", system=False, has_systemd=False, runs=False)
    return [(command.replace("~", str(home)), why) for command, why in found]


def test_nothing_is_offered_and_nothing_is_said_where_the_pool_cannot_be_read(shell: str, tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path / "pool")
    pool.environment["CONDOR_CONFIG"] = "/no/such/file"
    with line_of(shell, pool, tmp_path) as screen:
        screen.type("condor_rm 1\t", "\x15", "echo on\n")
        screen.wait_for(lambda text: "\non\n" in text.replace(" ", ""), "the shell goes on")
        assert "no/such" not in screen.text
        assert "rror" not in screen.text


def test_who_may_not_read_the_queue_asks_the_schedd(shared: SharedPool) -> None:
    of_root = shared.submit("executable = /bin/sleep\nhold = true\nqueue\n")
    shared.submit_as_stranger("executable = /bin/true\nhold = true\nqueue 2\n")
    own = of_root + 1

    def offers(shown: str, *words: str) -> None:
        """Asks again where the schedd was so slow that nothing was offered."""
        wait_for(lambda: shared.as_stranger("condor_complete", *words).stdout == shown, shown)

    offers(f"{own}\ttrue\n", "mine", "")
    offers(f"{own}.0\n{own}.1\n", "mine", f"{own}.")
    offers(f"{own}\ttrue\n{of_root}\tsleep of root\n", "jobs", "")
    assert shared.tool("condor_complete", "mine", "").stdout == f"{of_root}\tsleep\n{own}\ttrue of nobody\n"
