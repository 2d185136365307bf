"""The services whose tokens jobs need: use_oauth_services and the commands <service>_oauth_...[_<handle>]."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.macros import Macros

#: A command's ending -> the field of a request, and the parts of the knobs about it.
_PARTS = (
    ("permissions", "Scopes", "SCOPES"), ("resource", "Audience", "AUDIENCE"), ("options", "Options", "OPTIONS"),
)  # fmt: skip


def with_handles(services: Sequence[str], macros: Macros) -> list[str]:
    """Return the tokens of services in order: ``SERVICE*HANDLE`` for each handle that commands name, else the
    service."""
    import re

    wanted = {service.lower() for service in services}
    found: dict[str, str] = {}
    handled = set()
    for macro in macros.table:
        match = re.search(r"_oauth_(?:permissions|resource|options)", macro.name, re.IGNORECASE)
        service = macro.name[: match.start()] if match else ""
        if match is None or service.lower() not in wanted or macro.name.lower().startswith(("+", "my.")):
            continue
        name = service
        if rest := macro.name[match.end() :]:
            handled.add(service.lower())
            name = f"{service}*{rest[1:]}"
        found.setdefault(name.lower(), name)
    for service in services:
        if service.lower() not in handled:
            found.setdefault(service.lower(), service)
    return [found[key] for key in sorted(found)]


def requests(tokens: Sequence[str], macros: Macros, knob: Callable[[str], str]) -> list[dict[str, str]]:
    """Return the requests for tokens (``with_handles``), each with what its commands or, by ``knob``, the configuration
    say. SubmitError for a command that the configuration demands and the user does not give."""
    return [_request(token, macros, knob) for token in tokens]


def _request(token: str, macros: Macros, knob: Callable[[str], str]) -> dict[str, str]:
    service, _, handle = token.partition("*")
    request = {"Service": service, **({"Handle": handle} if handle else {})}
    for word, field, part in _PARTS:
        command = f"{service}_OAUTH_{word.upper()}" + (f"_{handle}" if handle else "")
        text = macros.param(command)
        if not text:
            if knob(f"{service}_USER_DEFINE_{part}").startswith("R"):
                raise SubmitError(f"You must specify {command} to use OAuth service {service}.")
            text = knob(f"{service}_DEFAULT_{part}")
        if text:
            request[field] = text
    return request
