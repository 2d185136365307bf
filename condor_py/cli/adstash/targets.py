"""Targets of documents: nowhere, files of JSON, or a search engine (Elasticsearch, OpenSearch) over HTTP."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from condor_py.cli.adstash.documents import SETTINGS, Document, Fields
from condor_py.model.errors import CondorError
from condor_py.store.fs import RealFs, describe, replace_file

if TYPE_CHECKING:
    import urllib.request

#: (level, text) for the log.
Tell = Callable[[str, str], None]


class Target(Protocol):
    """Takes documents."""

    def post(self, documents: Sequence[Document], metadata: dict[str, Any], fields: Fields) -> int:
        """Take documents, and return how many were stored. CondorError: none of them."""


class Nowhere:
    """Counts documents."""

    def post(self, documents: Sequence[Document], metadata: dict[str, Any], fields: Fields) -> int:
        """Take documents."""
        return len(documents)


class Mappings(NamedTuple):
    """The file that shows the mappings last used; "" for none."""

    path: str

    def write(self, content: object) -> None:
        """Replace the file. CondorError."""
        if self.path:
            _replace(self.path, json.dumps(content, indent=2, sort_keys=True) + "\n", durable=False)


def _replace(path: str, text: str, *, durable: bool) -> None:
    try:
        replace_file(RealFs(), path, text.encode(), 0o644, durable=durable)
    except OSError as error:
        raise CondorError(describe(error, "cannot write", path)) from None


class JsonFiles:
    """A file for each bunch, named by the time, with a document on each line."""

    def __init__(self, directory: str, mappings: Mappings) -> None:
        self._directory = directory
        self._mappings = mappings

    def post(self, documents: Sequence[Document], metadata: dict[str, Any], fields: Fields) -> int:
        """Write documents; they are on disk on return. CondorError."""
        self._mappings.write({"mappings": fields.mappings(), "settings": {"index": SETTINGS}})
        lines = (
            json.dumps({**document, "metadata": metadata, "_id": name}, sort_keys=True) for name, document in documents
        )
        path = os.path.join(self._directory, f"{time.time():.6f}.json")
        while os.path.lexists(path):
            path = os.path.join(self._directory, f"{time.time():.6f}.json")
        _replace(path, "".join(f"{line}\n" for line in lines), durable=True)
        return len(documents)


#: Bytes of an answer that are read, at most.
_LONGEST = 64 << 20
#: Errors of documents that the log names.
_SHOWN = 3


class Server(NamedTuple):
    """The way to a search engine. No password is used without a user name, or the other way round."""

    host: str
    prefix: str = ""
    username: str = ""
    password: str = ""
    https: bool = False
    authorities: str = ""
    timeout: int = 120


class SearchEngine:
    """An index of Elasticsearch or OpenSearch, made when it does not exist."""

    def __init__(self, server: Server, index: str, mappings: Mappings, tell: Tell) -> None:
        self._server = server
        self._index = index
        self._mappings = mappings
        self._tell = tell
        self._prepared: set[int] = set()
        self._opener: urllib.request.OpenerDirector | None = None
        if bool(server.username) != bool(server.password):
            what = "Only one of username and password have been defined"
            tell("WARNING", f"{what}, attempting anonymous connection to {server.host}")

    def post(self, documents: Sequence[Document], metadata: dict[str, Any], fields: Fields) -> int:
        """Index documents; those that the engine refuses are counted and logged. CondorError."""
        if id(fields) not in self._prepared:
            self._prepare(fields)
            self._prepared.add(id(fields))
        lines: list[str] = []
        for name, document in documents:
            lines.append(json.dumps({"index": {"_id": name}}))
            lines.append(json.dumps({**document, "metadata": metadata}))
        body = "".join(f"{line}\n" for line in lines).encode()
        answer = self._ask("POST", f"{_part(self._index)}/_bulk", body, "application/x-ndjson")
        return len(documents) - self._errors(answer)

    def _errors(self, answer: Any) -> int:
        """Return how many documents were refused."""
        if not isinstance(answer, dict) or not answer.get("errors"):
            return 0
        items = answer.get("items")
        errors = [
            action["error"]
            for item in (items if isinstance(items, list) else [])
            if isinstance(item, dict)
            for action in item.values()
            if isinstance(action, dict) and action.get("error")
        ]
        kinds = Counter(str(error.get("type")) if isinstance(error, dict) else "unknown" for error in errors)
        common = ", ".join(f"{kind} ({count} times)" for kind, count in kinds.most_common(_SHOWN))
        self._tell("ERROR", f"{len(errors)} errors encountered during bulk index: {common}")
        if errors and isinstance(errors[0], dict):
            self._tell("ERROR", f"Example reason: {errors[0].get('reason')}")
        return len(errors)

    def _prepare(self, fields: Fields) -> None:
        """Make the index, or add to its mappings what they lack."""
        index, wanted = self._active(), fields.mappings()
        if self._exists(index):
            there = self._ask("GET", f"{_part(index)}/_mapping")
            known = there.get(index, {}).get("mappings", {}) if isinstance(there, dict) else {}
            missing = _missing(wanted, known if isinstance(known, dict) else {})
            if not missing:
                return
            self._tell("INFO", f"Updated mappings for index {index}")
            self._ask("PUT", f"{_part(index)}/_mapping", json.dumps(missing).encode())
            self._mappings.write(missing)
            return
        self._tell("INFO", f"Creating new index {index}.")
        self._ask("PUT", _part(index), json.dumps({"mappings": wanted, "settings": SETTINGS}).encode())
        self._mappings.write(wanted)

    def _active(self) -> str:
        """The index itself, or the one that an alias writes to."""
        if not self._exists(f"_alias/{_part(self._index)}", quoted=True):
            return self._index
        found = self._ask("GET", f"_alias/{_part(self._index)}")
        indices = found if isinstance(found, dict) else {}
        for name, about in indices.items():
            aliases = about.get("aliases", {}) if isinstance(about, dict) else {}
            if isinstance(aliases, dict) and (aliases.get(self._index) or {}).get("is_write_index"):
                return str(name)
        return max(indices, default=self._index)

    def _exists(self, path: str, *, quoted: bool = False) -> bool:
        return self._send("HEAD", path if quoted else _part(path))[0] == 200

    def _ask(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        status, answer = self._send(method, path, body, kind)
        try:
            reply = json.loads(answer) if answer else None
        except ValueError:
            reply = None
        if not 200 <= status < 300:
            error = reply.get("error") if isinstance(reply, dict) else None
            reason = error.get("reason") if isinstance(error, dict) else error
            raise CondorError(
                f"{self._server.host} answers {status} to {method} /{path}" + f": {reason}" * bool(reason)
            )
        if reply is None and answer:
            raise CondorError(
                f"{self._server.host} does not answer in JSON to {method} /{path}: is it a search engine?"
            )
        return reply

    def _send(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> tuple[int, bytes]:
        """Status and body of the answer. CondorError."""
        import base64
        import http.client
        import urllib.error
        import urllib.request

        server = self._server
        prefix = server.prefix.strip("/")
        url = f"http{'s' * server.https}://{_with_port(server.host)}/{prefix + '/' if prefix else ''}{path}"
        request = urllib.request.Request(url, body, {"Content-Type": kind} if body else {}, method=method)
        if server.username and server.password:
            pair = base64.b64encode(f"{server.username}:{server.password}".encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {pair}")
        if self._opener is None:
            self._opener = _opener(server)
        try:
            with self._opener.open(request, timeout=server.timeout) as answer:
                return answer.status, answer.read(_LONGEST)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, b"" if method == "HEAD" else error.read(_LONGEST)
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise CondorError(f"cannot reach {server.host}: {reason}") from None


def _opener(server: Server) -> urllib.request.OpenerDirector:
    """Without proxies: a search engine is a neighbour. CondorError for authorities that cannot be read."""
    import ssl
    import urllib.request

    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
    if server.https:
        try:
            context = ssl.create_default_context(cafile=server.authorities or None)
        except OSError as error:
            raise CondorError(f"cannot read {server.authorities}: {error.strerror or error}") from None
        handlers.append(urllib.request.HTTPSHandler(context=context))
    return urllib.request.build_opener(*handlers)


def _part(name: str) -> str:
    """A name as a part of a path."""
    from urllib.parse import quote

    return quote(name, safe="")


def _with_port(host: str) -> str:
    return host if host.rpartition(":")[2].isdecimal() and ":" in host else f"{host}:9200"


def _missing(wanted: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the part of ``wanted`` that ``known`` lacks, on the first two levels."""
    found: dict[str, Any] = {}
    for name, value in wanted.items():
        if name not in known:
            found[name] = value
        elif isinstance(value, dict) and isinstance(known[name], dict):
            inner = {each: value[each] for each in value if each not in known[name]}
            if inner:
                found[name] = inner
    return found
