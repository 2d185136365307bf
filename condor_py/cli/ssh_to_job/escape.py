"""The escapes of ssh in a session on a terminal: ``~`` at the start of a line."""

from __future__ import annotations

_TILDE, _DOT, _CTRL_Z = b"~"[0], b"."[0], 0x1A
_LINE_ENDS = frozenset(b"\r\n")


class Escape:
    """Reads typed bytes: ``~.`` leaves, ``~^Z`` suspends the program, ``~~`` is one ``~``; all else passes."""

    def __init__(self) -> None:
        self._at_start = True
        self._tilde = False

    def feed(self, data: bytes) -> tuple[bytes, str, bytes]:
        """(what the session gets, "leave" or "suspend" or "", what follows that and was not read yet)."""
        out = bytearray()
        for at, byte in enumerate(data):
            if self._tilde:
                self._tilde = False
                if byte in (_DOT, _CTRL_Z):
                    self._at_start = True
                    return bytes(out), "leave" if byte == _DOT else "suspend", data[at + 1 :]
                if byte != _TILDE:
                    out.append(_TILDE)
            elif byte == _TILDE and self._at_start:
                self._tilde = True
                continue
            out.append(byte)
            self._at_start = byte in _LINE_ENDS
        return bytes(out), "", b""
