"""The accounts that may act on the jobs of all users."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.lang.config.settings import Config

_USUAL = ("root", "condor")


def super_users(config: Config) -> tuple[str, ...]:
    """Return the accounts of QUEUE_SUPER_USERS, those of UID_DOMAIN without it, and groups of accounts, ``%NAME``."""
    domain = f"@{config.string('UID_DOMAIN') or config.string('FULL_HOSTNAME')}".lower()
    listed = config.list("QUEUE_SUPER_USERS")
    bare = [name[: -len(domain)] for name in listed if name.lower().endswith(domain)]
    return tuple(dict.fromkeys((*listed, *bare))) or _USUAL
