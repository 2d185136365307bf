"""Handing e-mail to the mailer of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.client.mail import Mailer
from condor_py.model.settings.master import MailSettings


def program(tmp_path: Path, name: str) -> str:
    path = tmp_path / name
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$0" "$@" >{tmp_path}/arguments\ncat >{tmp_path}/message\n')
    path.chmod(0o755)
    return str(path)


def test_mail_gets_subject_and_addresses_as_arguments(tmp_path: Path) -> None:
    mail = program(tmp_path, "mail")
    mailer = Mailer(MailSettings("vm", mail=mail, sender="pool@vm", admin="root@vm"), print)
    assert mailer.send("a@b.c, d@e.f", "Condor Job 1.0", "text\n")
    mailer.wait()
    said = (tmp_path / "arguments").read_text().splitlines()
    assert said == [mail, "-s", "[Condor] Condor Job 1.0", "-r", "pool@vm", "a@b.c", "d@e.f"]
    message = (tmp_path / "message").read_text()
    assert message.startswith("This is an automated email from the Condor system\n")
    assert 'on machine "vm".  Do not reply.\n\ntext\n\n\n-=-=' in message
    assert "administrator: root@vm\n" in message


def test_sendmail_gets_headers(tmp_path: Path) -> None:
    mailer = Mailer(MailSettings("vm", program(tmp_path, "sendmail"), program(tmp_path, "mail"), "pool@vm"), print)
    assert mailer.send("a@b.c d@e.f", "Condor Job 1.0", "text\n")
    mailer.wait()
    assert (tmp_path / "arguments").read_text().splitlines()[1:] == ["-t", "-i"]
    assert (
        (tmp_path / "message")
        .read_text()
        .startswith("From: pool@vm\nSubject: [Condor] Condor Job 1.0\nTo: a@b.c, d@e.f\n\nThis is")
    )


@pytest.mark.parametrize("settings", [MailSettings(), MailSettings("vm", "/nonexistent/sendmail", "/nonexistent/mail")])
def test_without_a_mailer_nothing_is_sent_and_nobody_disturbed(settings: MailSettings) -> None:
    complaints: list[str] = []
    assert not Mailer(settings, complaints.append).send("a@b.c", "x", "y")
    assert complaints == []


def test_a_mailer_that_cannot_be_executed_is_complained_about(tmp_path: Path) -> None:
    bad = tmp_path / "mail"
    bad.write_bytes(b"\x7fELF nonsense")
    bad.chmod(0o755)
    complaints: list[str] = []
    assert not Mailer(MailSettings("vm", mail=str(bad)), complaints.append).send("a@b.c", "x", "y")
    assert complaints
    assert "cannot send mail" in complaints[0]


def test_an_address_is_no_option_of_the_mailer(tmp_path: Path) -> None:
    mail = program(tmp_path, "mail")
    mailer = Mailer(MailSettings("vm", mail=mail), print)
    assert not mailer.send("-oQ/tmp -Xlog", "x", "y")
    assert not mailer.send('|/bin/sh /etc/passwd +folder "|id" a|b `id`@c', "x", "y"), "nor a file or a program to it"
    assert mailer.send("-oQ/tmp a@b.c", "x", "y")
    mailer.wait()
    assert (tmp_path / "arguments").read_text().splitlines() == [mail, "-s", "[Condor] x", "a@b.c"]
