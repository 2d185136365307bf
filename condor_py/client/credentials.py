"""The credentials that jobs need, before they are queued: asked of condor_credd, and made by the programs of the site.

Also the kinds of services, as HTCondor tells them apart.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING

from condor_py.client.wire import WireError
from condor_py.lang.config import Config
from condor_py.lang.config.builders.credentials import added_services, local_services
from condor_py.lang.macro.macro_set import Origin
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.services import requests, with_handles
from condor_py.model.errors import CondorError
from condor_py.model.messages.codec import A, Refused, Request
from condor_py.model.messages.credentials import TEXTS, CheckCredentials, Outcome, StoreCredential

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.lang.submit.submit_file import SubmitFile

#: What makes the access tokens of a service: the pool's own key, a site's credential monitor, Vault, a Pelican
#: federation, or the user.
LOCAL, OAUTH2, VAULT, PELICAN, UNKNOWN = "local", "oauth2", "vault", "pelican", "unknown"
#: In the place of a program: the user's credential is stored already.
STORED = "CREDENTIAL_ALREADY_STORED"
#: Bytes that are taken of what SEC_CREDENTIAL_PRODUCER prints.
_MOST_PRODUCED = 65536
#: Seconds that condor_credd may take, which may wait for a credential monitor.
_PATIENCE = 60.0


class NoCredd(CondorError):
    """No condor_credd runs in this pool."""


class CredentialProblem(CondorError):
    """Why jobs do not have the credentials that they need, in HTCondor's words."""


class Services:
    """The kinds of services by the configuration."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.local = local_services(config)
        self._oauth2 = [name for name in config.list("OAUTH2_CREDMON_PROVIDER_NAMES") if name != "*"]
        self._vault = [name for name in config.list("VAULT_CREDMON_PROVIDER_NAMES") if name != "*"]
        self._pelican = config.list("PELICAN_CREDMON_PROVIDER_NAMES")
        self._has_vault = bool(config.string("VAULT_CREDMON_PROVIDER_NAMES") or config.string("SEC_CREDENTIAL_STORER"))

    def kind(self, service: str) -> str:
        """The kind of a service."""
        if service in self.local:
            return LOCAL
        if service in self._oauth2:
            return OAUTH2
        if service in self._vault:
            return VAULT
        if service in self._pelican:
            return PELICAN
        has_client = bool(self._config.string(f"{service}_CLIENT_ID"))
        if has_client and not self._oauth2:
            return OAUTH2
        return VAULT if self._has_vault and not self._vault and not has_client else UNKNOWN


def ask_credd(pool: Pool, request: Request[A], body: bytes = b"") -> A:
    """The answer of condor_credd. NoCredd, CondorError where it refuses."""
    from condor_py.client import wire

    host = pool.config.string("CREDD_HOST")
    if host and not _is_ours(pool, host):
        raise NoCredd(f"Can't find address of credd {host}")
    try:
        answer = wire.ask(pool.paths.socket("credd"), request, body, timeout=_PATIENCE)
    except (WireError, OSError):
        from condor_py.client.pool import why_closed

        missing = f"Can't find address of credd {host or pool.settings.host}"
        raise NoCredd(why_closed(pool.paths) or missing) from None
    if isinstance(answer, Refused):
        raise CondorError(answer.error)
    return answer


def _is_ours(pool: Pool, host: str) -> bool:
    name, ours = host.lower().partition(":")[0], pool.settings.host.lower()
    return name in (ours, ours.partition(".")[0], "localhost", "127.0.0.1") or (
        bool(pool.ads("CREDD")) and any(ad.eval_str("Name", "").lower() == host.lower() for ad in pool.ads("CREDD"))
    )


def wanted_services(file: SubmitFile, config: Config) -> list[str] | None:
    """Return the services of which the jobs of a description need tokens; None where they need no credentials."""
    if not file.statements:
        return None
    text = file.macros(file.statements[0].table).param("use_oauth_services", "UseOAuthServices")
    if not text and not added_services(config) and not config.string("SEC_CREDENTIAL_PRODUCER"):
        return None
    return (text or "").replace(",", " ").split()


def prepare(pool: Pool, file: SubmitFile, services: Sequence[str]) -> bool:
    """Have what the jobs of a description need, before they are made: the tokens of ``services``, and the Kerberos
    credential where the site has one; whether jobs send one. CredentialProblem, NoCredd."""
    macros = file.macros(file.statements[0].table)
    try:
        tokens = with_handles(services, macros)
        named = {token.partition("*")[0].lower() for token in tokens}
        tokens += [service for service in added_services(pool.config) if service.lower() not in named]
        wanted = requests(tokens, macros, pool.config.string)
    except SubmitError as error:
        raise CredentialProblem(str(error)) from None
    if storer := pool.config.string("SEC_CREDENTIAL_STORER"):
        _store(storer, wanted, Services(pool.config))
    if wanted and (missing := ask_credd(pool, CheckCredentials(wanted)).missing):
        raise CredentialProblem(f"OAuth error: {missing}")
    producer = pool.config.string("SEC_CREDENTIAL_PRODUCER")
    if not producer:
        return False
    if producer.upper() != STORED:
        _produce(pool, producer)
    for statement in file.statements:
        statement.table.set("MY.SendCredential", "true", Origin(file.name))
    return True


def _store(storer: str, wanted: Sequence[dict[str, str]], services: Services) -> None:
    """Run SEC_CREDENTIAL_STORER for the services that it stores tokens of, once for each of their kinds."""
    modes: dict[str, list[str]] = {}
    for request in wanted:
        kind = services.kind(request["Service"])
        if kind in (VAULT, PELICAN):
            more = {"handle": "Handle", "scopes": "Scopes", "audience": "Audience", "options": "Options"}
            texts = {word: request.get(field, "") for word, field in more.items()}
            texts["scopes"] = ",".join(texts["scopes"].replace(",", " ").split())
            details = (f"{word}={text}" for word, text in texts.items() if text)
            modes.setdefault(kind, []).append("&".join((request["Service"], *details)))
    for mode, words in sorted(modes.items()):
        try:
            done = subprocess.run(
                [storer, *words], env={**os.environ, "CONDOR_CREDENTIAL_STORER_MODE": mode}, check=False
            )
        except OSError as error:
            raise CredentialProblem(f"Failed to run '{storer}': errno {error.errno} ({error.strerror})") from None
        if done.returncode:
            raise CredentialProblem(f"'{storer}' failed: exit code {done.returncode}")


def _produce(pool: Pool, producer: str) -> None:
    """Run SEC_CREDENTIAL_PRODUCER and store what it prints as the user's Kerberos credential."""
    try:
        printed = produced(producer)
    except OSError as error:
        raise CredentialProblem(f"Failed to launch {producer}: {error.strerror}") from None
    if not printed:
        raise CredentialProblem(f"Failed to read any data from {producer}!")
    answer = ask_credd(pool, StoreCredential("add", "krb"), printed)
    if answer.outcome not in (Outcome.SUCCESS, Outcome.PENDING):
        why = f" ({answer.why})" if answer.why else ""
        text = TEXTS.get(Outcome(answer.outcome), "")
        raise CredentialProblem(f"store_cred of Kerberos credential failed - {text}{why}")


def produced(producer: str) -> bytes:
    """Return what a program prints, as far as a credential may be long. OSError where it cannot be run."""
    with subprocess.Popen([producer], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        return process.stdout.read(_MOST_PRODUCED)
