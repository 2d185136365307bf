"""One connection of a job to its Chirp server, from the cookie to the end: a process of its own with the identity of
the job's owner, so that whatever a request does to it, or waits for, is nobody else's concern.

What belongs to the starter (its copy of the job ad, updates that wait) is asked for over a line to it; what belongs to
the queue goes to the schedd, whose kernel tells it that we are the owner.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass

from condor_py.client.chirpwire import (
    DOES_NOT_EXIST,
    INVALID_REQUEST,
    LINE_MAX,
    NOT_AUTHORIZED,
    TOO_BIG,
    TRY_AGAIN,
    UNKNOWN,
    VERSION,
    Answer,
    Refused,
    code_of,
    text,
    words,
)
from condor_py.client.wire import WireError, ask
from condor_py.daemons.starter.chirpfiles import Files
from condor_py.machine.run.limits import Limits
from condor_py.model.ids import JobId
from condor_py.model.messages import codec
from condor_py.model.messages.queue import Edit, WriteEvent

#: Seconds that the schedd has for an answer.
_PATIENCE = 60.0
_CHUNK = 1 << 16
_DONE = 1  # Result.SUCCESS of an edit


@dataclass(frozen=True, slots=True)
class Grants:
    """What a job may ask for: files at the access point, its ad in the queue, updates that wait."""

    files: bool = False
    updates: bool = False
    delayed: bool = True

    @property
    def any(self) -> bool:
        """Whether there is anything to serve."""
        return self.files or self.updates or self.delayed


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose connection it is. ``schedd`` is the schedd's socket."""

    job: JobId
    iwd: str
    schedd: str
    grants: Grants
    limits: tuple[str, ...] = ()


class Session:
    """Serves requests until the other side ends the connection. ``begun``: bytes that came behind the cookie."""

    def __init__(self, sock: socket.socket, begun: bytes, line: socket.socket, wanted: Wanted) -> None:
        self._sock = sock
        self._buffer = bytearray(begun)
        self._line = line.makefile("rwb")
        self._wanted = wanted
        self._files = Files(Limits(wanted.limits).check, self._receive, self._send)

    def serve(self) -> None:
        """OSError when the connection breaks."""
        if self._wanted.grants.files:
            os.chdir(self._wanted.iwd)
        while (line := self._next_line()) is not None:
            self._send(self._answer(line))

    def _next_line(self) -> bytes | None:
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > LINE_MAX:
                self._send(Answer(TOO_BIG))
                return None
            data = self._sock.recv(_CHUNK)
            if not data:
                return None
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        if len(line) <= LINE_MAX:
            return line
        self._send(Answer(TOO_BIG))
        return None

    def _receive(self, length: int) -> bytes:
        while len(self._buffer) < length:
            data = self._sock.recv(_CHUNK)
            if not data:
                raise ConnectionError("the end of the connection inside a request")
            self._buffer += data
        data = bytes(self._buffer[:length])
        del self._buffer[:length]
        return data

    def _send(self, answer: Answer) -> None:
        self._sock.sendall(answer.encoded())

    # -- requests ------------------------------------------------------------------------------------------------------

    def _answer(self, line: bytes) -> Answer:
        found = words(line)
        if not found:
            return Answer(INVALID_REQUEST)
        try:
            return self._dispatch(found[0].decode("ascii", "replace"), found[1:])
        except Refused as refused:
            return Answer(refused.code)
        except ConnectionError:
            raise
        except WireError:
            return Answer(TRY_AGAIN)
        except OSError as error:
            return Answer(code_of(error))
        except (ValueError, OverflowError):
            return Answer(INVALID_REQUEST)

    def _dispatch(self, name: str, given: list[bytes]) -> Answer:
        grants = self._wanted.grants
        served: dict[str, tuple[bool, int, Callable[..., Answer]]] = {
            "get_job_attr": (grants.updates, 1, self._get),
            "set_job_attr": (grants.updates, 2, self._set),
            "constrain": (grants.updates, 1, self._constrain),
            "ulog": (grants.updates, 1, self._ulog),
            "version": (grants.updates, 0, lambda: Answer(VERSION)),
            "get_job_attr_delayed": (grants.delayed, 1, self._get_delayed),
            "set_job_attr_delayed": (grants.delayed, 2, self._set_delayed),
        }
        allowed, count, handler = served.get(name, (False, 0, self._none))
        if allowed and len(given) >= count:
            return handler(*map(text, given[:count]))
        answer = self._files.handle(name, given) if grants.files else None
        return Answer(INVALID_REQUEST) if answer is None else answer

    def _none(self) -> Answer:
        return Answer(INVALID_REQUEST)

    def _get(self, name: str) -> Answer:
        told = self._ask("get", name)
        return _told(told if isinstance(told, str) else "UNDEFINED")

    def _get_delayed(self, name: str) -> Answer:
        told = self._ask("get_delayed", name)
        return _told(told) if isinstance(told, str) else Answer(DOES_NOT_EXIST)

    def _set_delayed(self, name: str, expression: str) -> Answer:
        told = self._ask("delay", name, expression)
        return Answer(told if isinstance(told, int) else UNKNOWN)

    def _set(self, name: str, expression: str) -> Answer:
        """The answer follows the commit of the schedd."""
        asked = Edit(ids=[self._wanted.job], assignments=[[name, expression]])
        answer = ask(self._wanted.schedd, asked, timeout=_PATIENCE)
        if isinstance(answer, codec.Refused) or [result for *_, result in answer.spans] != [_DONE]:
            return Answer(NOT_AUTHORIZED)
        self._ask("set", name, expression)
        return Answer(0)

    def _constrain(self, expression: str) -> Answer:
        answer = self._set("AgentRequirements", expression)
        before = self._ask("get", "Requirements")
        before = before if isinstance(before, str) else "true"
        if answer.code or "agentrequirements" in before.lower():
            return answer
        return self._set("Requirements", f"({before}) && AgentRequirements")

    def _ulog(self, message: str) -> Answer:
        answer = ask(self._wanted.schedd, WriteEvent(self._wanted.job, message), timeout=_PATIENCE)
        return Answer(NOT_AUTHORIZED if isinstance(answer, codec.Refused) else 0)

    def _ask(self, *question: str) -> object:
        self._line.write(json.dumps(question).encode() + b"\n")
        self._line.flush()
        return json.loads(self._line.readline() or b"null")


def _told(expression: str) -> Answer:
    data = expression.encode("utf-8", "surrogateescape")
    return Answer(len(data), data)
