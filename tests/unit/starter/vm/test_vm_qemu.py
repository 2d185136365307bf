"""qemu as a child of ours, with a program in its place that speaks its monitor protocol."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from condor_py.machine.run.vm.machine import Failure, Outcome
from condor_py.machine.run.vm.qemu import Qemu, qemu_words
from condor_py.machine.run.vm.spec import Boot, Disk, VmSpec
from condor_py.model.settings.virtual import VmSettings

SETTINGS = VmSettings("kvm", 1000, qemu="/q", patience=20)
SPEC = VmSpec("condor_7.1", 64, 2, ())

#: Answers as the environment says; notes every command, with its arguments, in the file "commands".
FAKE = f"""#!{sys.executable} -SE
import json, os, signal, socket, sys
line = socket.socket(fileno=0)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
plan = json.loads(os.environ["PLAN"])
def send(**message):
    line.sendall(json.dumps(message).encode() + b"\\n")
if "last-words" in plan:
    sys.stderr.write(plan["last-words"])
    sys.stderr.flush()
    if plan.get("code", 1) < 0:
        os.kill(os.getpid(), -plan["code"])
    os._exit(plan.get("code", 1))
send(QMP={{"version": {{"qemu": {{"major": 7, "minor": 2, "micro": 9}}}}}})
with line.makefile() as lines, open("commands", "a") as commands:
    for text in lines:
        asked = json.loads(text)
        name = asked["execute"]
        commands.write(" ".join([name, *(f"{{k}}={{v}}" for k, v in asked.get("arguments", {{}}).items())]) + "\\n")
        commands.flush()
        answers = plan.get(name.replace("_", "-"), [{{}}])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        for event, data in answer.pop("events", []) if isinstance(answer, dict) else []:
            send(event=event, data=data)
        if answer == "leave":
            os._exit(0)
        elif answer == "silence":
            continue
        elif isinstance(answer, str):
            send(error={{"class": "GenericError", "desc": answer}})
        else:
            send(**{{"return": answer}})
if "stays" in plan:
    signal.pause()
"""


class Place:
    """A directory with the fake; ``qemu`` makes a machine with it, ``commands`` are those that it has got."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.program = path / "qemu-system-fake"
        self.program.write_text(FAKE)
        self.program.chmod(0o755)

    def qemu(self, spec: VmSpec = SPEC, board: str = "", patience: int = 20, **plan: object) -> Qemu:
        named = {name.replace("_", "-"): answer for name, answer in plan.items()}
        settings = SETTINGS.changed(qemu=str(self.program), patience=patience)
        environment = {"PLAN": json.dumps(named), "PATH": "/usr/bin:/bin"}
        return Qemu(settings, spec, environment, str(self.path), lambda: None, board)

    def commands(self) -> list[str]:
        return (self.path / "commands").read_text().splitlines()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_from_its_start_to_the_shutdown_from_within(place: Place) -> None:
    machine = place.qemu(
        replace(SPEC, vnc=True),
        query_vnc=[{"service": "5907"}],
        system_powerdown=[{"events": [["SHUTDOWN", {"guest": True}]]}],
        cont=["leave"],
    )
    machine.start()
    assert (machine.board, machine.port, machine.outcome) == ("pc-i440fx-7.2", 5907, None)
    assert machine.fileno() >= 0
    machine.pause()
    machine.press()
    with pytest.raises(Failure):
        machine.go_on()
    assert machine.outcome == Outcome(by_itself=True)
    assert machine.fileno() == -1
    assert place.commands() == ["qmp_capabilities", "query-vnc", "stop", "system_powerdown", "cont"]
    machine.off()
    machine.look()
    with pytest.raises(Failure, match=r"\A\Z"):
        machine.press()


@pytest.mark.parametrize(("service", "port"), [("5900", 5900), ("auto", 0), (None, 0)])
def test_the_port_of_its_screen(place: Place, service: str | None, port: int) -> None:
    machine = place.qemu(replace(SPEC, vnc=True), query_vnc=[{} if service is None else {"service": service}])
    machine.start()
    assert machine.port == port
    machine.off()
    assert machine.outcome == Outcome(False, "qemu ended with 0")


def test_a_board_that_is_given_is_kept(place: Place) -> None:
    machine = place.qemu(board="pc-i440fx-6.0")
    machine.start()
    assert machine.board == "pc-i440fx-6.0"
    machine.off()
    assert place.qemu(board="pc,accel=tcg").board == "", "no word of qemu's command line"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("", 3, "qemu ended with 3"),
        ("", -9, "qemu was ended by signal 9"),
        ("warning: old\nqemu-system-x86_64: -accel kvm: failed to open\nwarning: more\n\n", 1, "failed to open"),
        ('qemu-system-x86_64: -blockdev {"driver": "file"}: no such file\n', 1, "no such file"),
        ("first\nlast\n", 1, "last"),
    ],
)
def test_the_last_words_of_one_that_does_not_start(place: Place, words: str, code: int, said: str) -> None:
    machine = place.qemu(last_words=words, code=code)
    with pytest.raises(Failure) as failure:
        machine.start()
    assert str(failure.value) == said
    assert machine.outcome == Outcome(False, said)


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    for program, said in (("/not/there", "/not/there: No such file or directory"), ("", "qemu: Permission denied")):
        machine = Qemu(SETTINGS.changed(qemu=program), SPEC, {}, str(tmp_path), lambda: None)
        with pytest.raises(Failure, match=rf"\Acannot run {said}\Z"):
            machine.start()
        with pytest.raises(Failure, match=r"\Athere is no machine\Z"):
            machine.pause()
        assert machine.fileno() == -1
        machine.look()
        machine.off()


def test_what_qemu_refuses_is_said_in_its_words(place: Place) -> None:
    machine = place.qemu(stop=["Resetting the machine is required"])
    machine.start()
    with pytest.raises(Failure, match=r"\AResetting the machine is required\Z"):
        machine.pause()
    assert machine.outcome is None
    machine.off()


def test_one_that_does_not_answer_is_ended(place: Place) -> None:
    machine = place.qemu(stop=["silence"])
    machine.start()
    machine._settings = machine._settings.changed(patience=0)
    with pytest.raises(Failure, match=r"\Aqemu does not answer\Z"):
        machine.pause()
    assert machine.outcome is not None


@pytest.mark.parametrize(
    ("status", "said"),
    [("io-error", "a disk cannot be written"), ("internal-error", "the processor cannot continue"), ("paused", "")],
)
def test_a_machine_that_has_stopped_by_itself(place: Place, status: str, said: str) -> None:
    machine = place.qemu(cont=[{"events": [["STOP", {}]]}], query_status=[{"status": status}])
    machine.start()
    machine.go_on()
    machine.look()
    assert machine.outcome == (Outcome(False, said) if said else None)
    machine.off()


def test_one_that_has_gone_on_meanwhile_is_left_alone(place: Place) -> None:
    machine = place.qemu(cont=[{"events": [["STOP", {}], ["RESUME", {}]]}], query_status=[{"status": "io-error"}])
    machine.start()
    machine.go_on()
    machine.look()
    assert machine.outcome is None
    machine.off()


def test_it_is_saved_to_a_file_of_the_owners_alone(place: Place) -> None:
    states = [{"status": "setup"}, {"status": "active"}, {"status": "completed"}]
    machine = place.qemu(query_migrate=states)
    machine.start()
    path = place.path / "state"
    machine.save(str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    assert machine.outcome is not None
    assert place.commands()[1:] == [
        "stop", f"migrate-set-parameters max-bandwidth={1 << 40}", "getfd fdname=saved", "migrate uri=fd:saved",
        "query-migrate", "query-migrate", "query-migrate",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"status": "failed", "error-desc": "no room"}, "it was not saved: no room"),
        ({"status": "cancelled"}, "it was not saved: cancelled"),
    ],
)
def test_a_machine_that_is_not_saved_continues(place: Place, answer: dict[str, str], said: str) -> None:
    machine = place.qemu(query_migrate=[answer])
    machine.start()
    path = place.path / "state"
    with pytest.raises(Failure) as failure:
        machine.save(str(path))
    assert str(failure.value) == said
    assert not path.exists()
    assert machine.outcome is None
    assert place.commands()[-1] == "cont"
    path.write_text("")
    with pytest.raises(Failure, match="File exists"):
        machine.save(str(path))
    machine.off()


def test_one_that_was_not_saved_may_stop_by_itself_later(place: Place) -> None:
    stopping = {"events": [["STOP", {}]]}
    machine = place.qemu(
        query_migrate=[{"status": "failed"}], cont=[stopping] * 2, query_status=[{"status": "io-error"}]
    )
    machine.start()
    with pytest.raises(Failure, match="it was not saved: failed"):
        machine.save(str(place.path / "state"))
    machine.look()
    assert machine.outcome is None, "that was our own stop"
    machine.go_on()
    machine.look()
    assert machine.outcome == Outcome(False, "a disk cannot be written")


def test_one_that_is_not_saved_in_time_continues(place: Place) -> None:
    machine = place.qemu(query_migrate=[{"status": "active"}])
    machine.start()
    machine._settings = machine._settings.changed(patience=0.05)
    with pytest.raises(Failure, match=r"it was not saved within 0.05 seconds"):
        machine.save(str(place.path / "state"))
    machine.off()


@pytest.mark.parametrize("status", ["paused", "prelaunch", "postmigrate", "running"])
def test_a_saved_machine_goes_on_when_it_is_read(place: Place, status: str) -> None:
    (place.path / "state").write_text("x")
    states = [{"status": "inmigrate"}, {"status": "inmigrate"}, {"status": status}]
    machine = place.qemu(query_status=states)
    machine.start(str(place.path / "state"))
    asked = ["query-status"] * 4 + (["cont"] if status != "running" else [])
    assert place.commands()[1:] == asked
    machine.off()


# -- the command line


def words(spec: VmSpec = SPEC, settings: VmSettings = SETTINGS, **more: int) -> str:
    return " ".join(qemu_words(settings, spec, "pc-i440fx-7.2", **more))


CLOSED = "on,obsolete=deny,resourcecontrol=deny,elevateprivileges=deny,spawn=deny"
BEGIN = "/q -nodefaults -no-user-config -name condor_7.1 -machine pc-i440fx-7.2,accel=kvm"
MONITOR = "-chardev socket,id=monitor,fd=0 -mon chardev=monitor,mode=control -display none"


def test_a_plain_machine() -> None:
    assert words() == f"{BEGIN} -cpu host -m 64 -smp 2 -sandbox {CLOSED} {MONITOR} -serial null -nic none"


def test_its_processor() -> None:
    emulated = words(settings=SETTINGS.changed(emulates=True))
    assert emulated.startswith(BEGIN.replace("accel=kvm", "accel=tcg") + " -cpu max -m 64")
    assert words(settings=SETTINGS.changed(host_processor=False)).startswith(f"{BEGIN} -m 64")


def test_its_networks() -> None:
    device = "-device virtio-net-pci,netdev=net,mac=52:54:00:00:00:01,romfile="
    for network in ("nat", "user"):
        assert words(replace(SPEC, network=network, mac="52:54:00:00:00:01")).endswith(
            f"-sandbox {CLOSED} {MONITOR} -serial null -netdev user,id=net {device}"
        )
    bridged = replace(SPEC, network="bridge", bridge="br,0", mac="52:54:00:00:00:01")
    assert words(bridged).endswith(
        f"-sandbox on,obsolete=deny,resourcecontrol=deny {MONITOR} -serial null -netdev bridge,id=net,br=br,,0 {device}"
    )
    assert words(bridged, port=0).endswith(f"-sandbox {CLOSED} {MONITOR} -serial null -netdev tap,id=net,fd=0 {device}")


def test_its_screen_console_kernel_and_state() -> None:
    spec = replace(SPEC, vnc=True, console="/d/con,sole", boot=Boot("/d/k", "/d/i", "root=/dev/vda quiet"))
    assert words(spec, incoming=0).endswith(
        f"{MONITOR} -chardev file,id=console,path=/d/con,,sole,append=on -serial chardev:console -nic none "
        "-kernel /d/k -initrd /d/i -append root=/dev/vda quiet "
        "-device VGA -vnc 127.0.0.1:0,to=99 -incoming fd:0"
    )


def test_its_disks() -> None:
    disks = (
        Disk("/d/a", "vda", True, "qcow2"), Disk("/d/b", "sda", False), Disk("/d/c.iso", "sdb", False),
        Disk("/d/d.iso", "vdb", False), Disk("/d/e", "hda", True), Disk("/d/f", "xvda", True),
    )  # fmt: skip
    found = qemu_words(SETTINGS, replace(SPEC, disks=disks), "pc")
    found = found[found.index("null") + 1 : -2]
    assert found[:2] == ["-device", "virtio-scsi-pci,id=scsi"]
    devices = ("virtio-blk-pci", "scsi-hd,bus=scsi.0", "scsi-cd,bus=scsi.0", "ide-cd", "ide-hd", "virtio-blk-pci")
    for number, (disk, device) in enumerate(zip(disks, devices, strict=True)):
        at = 2 + 6 * number
        first, file, second, block, third, name = found[at : at + 6]
        assert (first, second, third) == ("-blockdev", "-blockdev", "-device")
        assert json.loads(file) == {
            "node-name": f"file{number}", "driver": "file", "filename": disk.path, "read-only": not disk.writable,
            "auto-read-only": not disk.writable,
        }  # fmt: skip
        assert json.loads(block) == {
            "node-name": f"disk{number}", "driver": disk.format, "file": f"file{number}",
            "read-only": not disk.writable,
        }  # fmt: skip
        assert name == f"{device},drive=disk{number},bootindex={number + 1}"
    without = qemu_words(SETTINGS, replace(SPEC, disks=disks[:1]), "pc")
    assert "virtio-scsi-pci,id=scsi" not in without


def test_it_dies_with_us(place: Place) -> None:
    """The kernel ends it with the process that has started it."""
    machine = place.qemu(stays=True)
    pid = os.fork()
    if not pid:
        machine.start()
        (place.path / "pid").write_text(str(machine._process.pid if machine._process else 0))
        os._exit(0)
    os.waitpid(pid, 0)
    child = int((place.path / "pid").read_text())
    try:
        descriptor = os.pidfd_open(child)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], 5)[0]
    finally:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        os.close(descriptor)
