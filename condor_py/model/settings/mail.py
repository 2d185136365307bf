"""How e-mail is sent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MailSettings:
    """How e-mail is sent: SENDMAIL and MAIL are programs, ``sender`` is MAIL_FROM, ``admin`` CONDOR_ADMIN.

    ``signature`` (EMAIL_SIGNATURE) stands for the usual end, which names ``support`` (CONDOR_SUPPORT_EMAIL).
    """

    host: str = "localhost"
    sendmail: str = ""
    mail: str = ""
    sender: str = ""
    admin: str = ""
    support: str = ""
    signature: str = ""
