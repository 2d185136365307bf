"""E-mail through the mailer of this machine: SENDMAIL, or MAIL where there is none."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.machine.run.identity import Account

if TYPE_CHECKING:
    import subprocess

    from condor_py.model.settings.master import MailSettings

_PROLOG = 'This is an automated email from the Condor system\non machine "{host}".  Do not reply.\n\n'
_EPILOG = (
    "\n\n-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=\n"
    "Questions about this message or HTCondor in general?\n"
    "Email address of the local HTCondor administrator: {support}\n"
    "The Official HTCondor Homepage is https://htcondor.org/\n"
)

#: An address begins with what names begin with, and holds nothing that means something to a shell.
_ADDRESS = re.compile(r"\w[\w.+%=!#?^~*/@:\[\]{}'-]*")


class Mailer:
    """Pass messages to the mailer, which runs as ``user`` (None: as we do), and does not wait for it."""

    def __init__(self, settings: MailSettings, complain: Callable[[str], None], user: Account | None = None) -> None:
        self._settings = settings
        self._user = user
        self._complain = complain
        self._running: list[subprocess.Popen[bytes]] = []

    def configure(self, settings: MailSettings) -> None:
        """Takes other settings."""
        self._settings = settings

    def send(self, to: str, subject: str, text: str) -> bool:
        """One message; several addresses have commas or blanks between them. False when it cannot be sent."""
        # A user chose these: none may pass for an option of the mailer, or be a file or a program to it.
        addresses = [address for address in to.replace(",", " ").split() if _ADDRESS.fullmatch(address)]
        given = self._settings
        self._running = [process for process in self._running if process.poll() is None]
        from shutil import which  # these two are many modules, and few daemons have anything to say

        program = which(given.sendmail) if given.sendmail else None
        mail = given.mail if given.mail and os.access(given.mail, os.X_OK) else ""
        if not addresses or not (program or mail):
            return False
        subject = f"[Condor] {subject}"
        end = f"\n\n{given.signature}\n" if given.signature else _EPILOG.format(support=given.support or given.admin)
        body = _PROLOG.format(host=given.host) + text + end
        if program:
            command = [program, "-t", "-i"]
            sender = f"From: {given.sender}\n" if given.sender else ""
            body = f"{sender}Subject: {subject}\nTo: {', '.join(addresses)}\n\n{body}"
        else:
            command = [mail, "-s", subject, *(["-r", given.sender] if given.sender else []), *addresses]
        return self._hand_over(command, body)

    def _hand_over(self, command: list[str], body: str) -> bool:
        import subprocess
        import tempfile

        from condor_py.machine.run.spawning import Launch, start

        try:
            with tempfile.TemporaryFile() as message:  # a pipe could make us wait for a slow mailer
                message.write(body.encode("utf-8", "surrogateescape"))
                message.seek(0)
                launch = Launch(command, os.environ, user=self._user)
                process = start(launch, message.fileno(), subprocess.DEVNULL, subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError) as error:
            self._complain(f"cannot send mail with {command[0]}: {getattr(error, 'strerror', None) or error}")
            return False
        self._running.append(process)
        return True

    def wait(self) -> None:
        """Until the mailers that were started have ended."""
        for process in self._running:
            process.wait()
        self._running = []
