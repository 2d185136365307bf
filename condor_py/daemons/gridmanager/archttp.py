"""Requests to an ARC computing element over HTTPS, as its owner's credential: made in a child of the gridmanager, which
waits for none of them."""

from __future__ import annotations

import http.client
import os
import ssl
import tempfile
from collections.abc import Iterable, Mapping
from typing import IO, Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from condor_py.machine.batch import arc, notices
from condor_py.model.gridjobs import Ending

#: Where certificates of authorities are unless X509_CERT_DIR says so (HTCondor's default).
_AUTHORITIES = "/etc/grid-security/certificates"
_CHUNK = 1 << 20
#: So many jobs are asked about in one request.
_SOME = 200
_NOT_FOUND = 404
_BUSY = (408, 425, 429)


class Credential(NamedTuple):
    """Files of what its owner shows: a SciToken, or else a certificate with its key (an X.509 proxy)."""

    token: str
    proxy: str


class Found(NamedTuple):
    """A job of ours there: ``ending`` is the end that its script reports, else ``failure`` is ARC's reason."""

    name: str
    id: str
    state: str
    ending: Ending | None = None
    failure: str = ""


class Missing(arc.Refusal):
    """There is no such thing."""


class Service:
    """One computing element, for one child: a connection that is made with the first request."""

    def __init__(self, base: str, credential: Credential, patience: float) -> None:
        parts = urlsplit(base)
        self._path = parts.path
        self._host, self._port = parts.hostname or "", parts.port or 443
        self._credential = credential
        self._patience = patience
        self._connection: http.client.HTTPSConnection | None = None

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | BinaryIO = b"",
        kind: str = "application/json",
        into: IO[bytes] | None = None,
    ) -> bytes:
        """Send a request and return the answer, or b"" where it was written ``into`` a file. Refusal, Missing."""
        length = len(body) if isinstance(body, bytes) else os.fstat(body.fileno()).st_size
        try:
            headers = {"Content-Type": kind, "Accept": "application/json", "Content-Length": str(length)}
            connection = self._connection or self._connect()
            if self._credential.token:
                headers["Authorization"] = f"Bearer {_token(self._credential.token)}"
            connection.request(method, self._path + path, body, headers)
            answer = connection.getresponse()
            if into is not None and answer.status < 300:
                while data := answer.read(_CHUNK):
                    into.write(data)
                return b""
            text = answer.read()
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.close()
            raise arc.Refusal(f"{self._host}: {_line(error)}", away=True) from None
        if answer.status >= 300:
            said = " ".join(f"{answer.status} {answer.reason} {text.decode('utf-8', 'replace')}".split())
            if answer.status == _NOT_FOUND:
                raise Missing(said)
            raise arc.Refusal(said, away=answer.status >= 500 or answer.status in _BUSY)
        return text

    def _connect(self) -> http.client.HTTPSConnection:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        authorities = os.environ.get("X509_CERT_DIR") or _AUTHORITIES
        if os.path.isdir(authorities):
            context.load_verify_locations(capath=authorities)
        else:
            context.load_default_certs()
        if not self._credential.token:
            _show(context, self._credential.proxy)
        self._connection = http.client.HTTPSConnection(self._host, self._port, timeout=self._patience, context=context)
        return self._connection

    def close(self) -> None:
        """Ends the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _show(context: ssl.SSLContext, path: str) -> None:
    try:
        context.load_cert_chain(path)
    except (OSError, ssl.SSLError) as error:
        raise arc.Refusal(f"cannot use the X.509 proxy {path}: {_line(error)}") from None


def _token(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError) as error:
        raise arc.Refusal(f"cannot read the SciToken {path}: {_line(error)}") from None


def _line(error: Exception) -> str:
    text = (getattr(error, "strerror", None) or str(error)) or type(error).__name__
    return " ".join(str(text).split())


# -- what is done with jobs -------------------------------------------------------------------------------------------


def submit(service: Service, description: bytes, inputs: Iterable[arc.Input]) -> str:
    """Gives a job to it and its input after it; its id. It does not begin before all has come: one whose input does not
    come is taken back."""
    job = arc.created(service.ask("POST", "/jobs?action=new", description, "application/xml"))
    try:
        for one in inputs:
            with open(one.path, "rb") as file:
                service.ask("PUT", arc.file_of(job, one.name), file, "application/octet-stream")
    except (OSError, arc.Refusal) as error:
        drop(service, [job])
        if isinstance(error, arc.Refusal):
            raise arc.Refusal(f"File stage-in failed: {error}", error.away) from None
        raise arc.Refusal(f"File stage-in failed: {error}") from None
    return job


def tell(service: Service, action: str, jobs: Iterable[str]) -> list[str]:
    """Send ``kill`` or ``clean`` for jobs. Return why not for those that exist and did not get it."""
    answer = service.ask("POST", f"/jobs?action={action}", arc.these(jobs))
    codes = ((str(one.get("status-code", "")), one) for one in arc.jobs_of(answer))
    return [str(one.get("reason", code)) for code, one in codes if not code.startswith("2") and code != "404"]


def drop(service: Service, jobs: list[str]) -> None:
    """End and remove jobs that are not wanted. What cannot be removed now, the next look finds."""
    for action in ("kill", "clean"):
        try:
            tell(service, action, jobs)
        except arc.Refusal:
            return


def look(service: Service, known: Mapping[str, str], foreign: set[str], over: set[str], mark: str) -> list[Found]:
    """Our jobs there. ``known`` are names by ids, ``foreign`` ids that are not ours, of those in ``over`` the end is
    known; names of others end with ``mark``. Ids that prove to be foreign come with no name."""
    states = arc.states_of(service.ask("GET", arc.all_jobs()))
    names = {one: known[one] for one in states if one in known}
    found: list[Found] = []
    unknown = [one for one in states if one not in names and one not in foreign]
    for one, activity in _at_length(service, unknown).items():
        name = str(activity.get("Name", ""))
        if name.endswith(mark):
            names[one] = name.removesuffix(mark)
        elif name:
            found.append(Found("", one, ""))
    for one, name in names.items():
        if states[one] in arc.ENDS and name not in over:
            found.append(_ended(service, name, one, states[one]))
        else:
            found.append(Found(name, one, states[one]))
    return found


def _at_length(service: Service, ids: list[str]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(ids), _SOME):
        found |= arc.activities(service.ask("POST", "/jobs?action=info", arc.these(ids[start : start + _SOME])))
    return found


def _ended(service: Service, name: str, job: str, state: str) -> Found:
    """Find out how a job has ended: from its script's notices if there are any, else from ARC, which may be slow."""
    with tempfile.TemporaryDirectory() as directory:
        for ending in (notices.BEGAN, notices.ENDED, notices.SAID):
            try:
                text = service.ask("GET", arc.file_of(job, arc.SCRIPT + ending))
            except Missing:
                continue
            with open(f"{directory}/{arc.SCRIPT}{ending}", "wb") as file:
                file.write(text)
        how = notices.ending(directory, arc.SCRIPT)
    if how is not None and state in ("FINISHED", "FAILED"):
        return Found(name, job, state, how)
    activity = _at_length(service, [job]).get(job, {})
    return Found(name, job, state, None, arc.failure(activity) if arc.is_over(activity) else "")


def fetch(service: Service, job: str, directory: str, wanted: Iterable[str], known: frozenset[str], rest: bool) -> None:
    """Brings the ``wanted`` files and directories of a job to a directory here, with ``rest`` all files that are not
    ``known`` too. What is not there does not come."""
    files, directories = _listing(service, job, "")
    for name in sorted(set(wanted)):
        if name in files or "/" in name:
            _get(service, job, name, directory)
        elif name in directories:
            _get_tree(service, job, name, directory)
    for name in files if rest else ():
        if name not in known and not name.startswith(arc.SCRIPT):
            _get(service, job, name, directory)


def _listing(service: Service, job: str, name: str) -> tuple[list[str], list[str]]:
    return arc.entries_of(service.ask("GET", arc.file_of(job, name)))


def _get_tree(service: Service, job: str, name: str, directory: str) -> None:
    os.makedirs(os.path.join(directory, name), exist_ok=True)
    files, directories = _listing(service, job, name)
    for one in files:
        _get(service, job, f"{name}/{one}", directory)
    for one in directories:
        _get_tree(service, job, f"{name}/{one}", directory)


def _get(service: Service, job: str, name: str, directory: str) -> None:
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # What a crash leaves half done is next to the directory: inside, it would be output.
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(directory), delete=False) as file:
        try:
            service.ask("GET", arc.file_of(job, name), into=file)
            file.flush()
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except Missing:
            os.unlink(file.name)
        except BaseException:
            os.unlink(file.name)
            raise
