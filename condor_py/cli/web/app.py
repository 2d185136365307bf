"""The site: addresses to pages, in HTML, JSON or SVG, for people who are logged in."""

from __future__ import annotations

import asyncio
import hmac
import json
import math
import os
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from condor_py.cli.plots.svg import STYLE
from condor_py.cli.web import actions, svg
from condor_py.cli.web.events import Streams
from condor_py.cli.web.live import Watch
from condor_py.cli.web.login import COOKIE, Doorkeeper
from condor_py.cli.web.page import Asked, BadRequest, Data, Forbidden, NotHere, Page, Viewer
from condor_py.cli.web.pages import dag, history, machine, pool, queue, shares, wall, why
from condor_py.cli.web.render import FOLDER, environment
from condor_py.cli.web.security import Guarded
from condor_py.cli.web.texts import Bounded
from condor_py.cli.web.turns import TooMany, Turns
from condor_py.daemons.common.guard import FaultGuard
from condor_py.model.errors import CondorError

#: All pages, in the order of the navigation.
PAGES: tuple[Page, ...] = (
    pool.PAGE,
    queue.PAGE,
    why.PAGE,
    shares.PAGE,
    dag.PAGE,
    history.PAGE,
    machine.PAGE,
    wall.PAGE,
)

T = TypeVar("T")
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class Fault(CondorError):
    """Something is wrong in a page itself; answered with status 500."""


_STATUS = {NotHere: 404, Forbidden: 403, BadRequest: 400, TooMany: 429, Fault: 500}
#: Pages and actions of one user that are made or wait at a time.
_MOST_PAGES, _MOST_ACTIONS = 16, 4
#: Seconds that the browser may use a style or script without asking.
_STATIC_LIFETIME = 300
_LONGEST_ADDRESS = 2000
_USED = "This address has been used, or is older than a minute."
#: Seconds in which a form has to come.
_FORM_PATIENCE = 10.0


class Entered(NamedTuple):
    """A person who is in, and the text that their forms have to send."""

    viewer: Viewer
    form: str


class Site:
    """The pages of one pool. ``watch`` is only used on one thread, so that no look waits in the loop of requests;
    ``complain`` takes what is for the log."""

    def __init__(
        self, watch: Watch, door: Doorkeeper, complain: Callable[[str], None], pages: tuple[Page, ...] = PAGES
    ) -> None:
        self.watch = watch
        self.door = door
        self.pages = {page.name: page for page in pages}
        self.streams = Streams(watch)
        self._guard = FaultGuard(complain)
        self._templates = environment()
        self._templates.globals.update(
            url=url,
            progress=svg.progress,
            pages=[page for page in pages if page.in_menu],
            host=watch.pool.settings.host,
        )
        self._thread = ThreadPoolExecutor(1, "look")
        self._hands = ThreadPoolExecutor(2, "act")
        self._looks, self._acts = Turns(_MOST_PAGES), Turns(_MOST_ACTIONS)
        self._secret = secrets.token_bytes(32)
        self._static = {name: _static_file(name) for name in sorted(os.listdir(os.path.join(FOLDER, "static")))}
        self._static["plots.css"] = _static_content(STYLE.encode(), ".css")

    def application(self) -> Guarded:
        """Return the application, as a server runs it."""
        routes = [
            Route("/", self._front),
            Route("/login/{token}", self._log_in),
            Route("/logout", self._log_out, methods=["POST"]),
            Route("/act", self._act, methods=["POST"]),
            Route("/events", self._events),
            Route("/openapi.json", self._openapi),
            Route("/metrics", self._metrics),
            Route("/static/{name}", self._file),
            Route("/{page}", self._page),
            Route("/{page}/{rest:path}", self._page),
        ]
        return Guarded(Starlette(routes=routes), self.door.settings)

    async def look(self, work: Callable[[], T], user: str) -> T:
        """Return the result of work for a user that uses the watch. TooMany."""
        async with self._looks.of(user):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    # ---- who --------------------------------------------------------------------------------------------------------

    def entered(self, request: Request) -> Entered | None:
        """Return who asks; None for a person who has to log in."""
        client, header = request.client.host if request.client else "", self.door.settings.proxy_user_header
        user = self.door.by_proxy(client, request.headers.getlist(header) if header else [])
        if user is not None:
            form = hmac.new(self._secret, user.encode("utf-8", "surrogateescape"), "sha256").hexdigest()
            return Entered(self.door.viewer(user), form)
        session = self.door.session(request.cookies.get(_cookie(request), ""), _account(request))
        return Entered(self.door.viewer(session.user), session.form) if session is not None else None

    def _passer_by(self) -> Entered | None:
        """Return a person without a name, who sees the wall where WEB_WALL shows it without a login."""
        return Entered(Viewer("", False), "") if self.door.settings.wall else None

    async def _log_in(self, request: Request) -> Response:
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return self._ask_first(request)
        key = self.door.enter(request.path_params["token"], _account(request))
        if key is None:
            return self._how_to_enter(request, _USED)
        place = request.query_params.get("to", "")
        address = f"/{place}" if place in self.pages else "/"
        # A redirection from another site would go without the cookie; a page that leads on does not.
        answer = _html(self._templates.get_template("entered.html").render(address=address, page=None, viewer=None,
                                                                           fragment=False))  # fmt: skip
        answer.headers["Refresh"] = f"0; url={address}"
        answer.set_cookie(
            _cookie(request),
            key,
            max_age=self.door.settings.session_lifetime,
            path="/",
            httponly=True,
            samesite="strict",
        )
        return answer

    def _ask_first(self, request: Request) -> Response:
        """Return a page that leads on to a login: a page of another account must not log a person in as that."""
        user = self.door.owner_of(request.path_params["token"])
        if user is None:
            return self._how_to_enter(request, _USED)
        address = url(request.url.path, to=request.query_params.get("to", ""))
        return _html(self._templates.get_template("foreign.html").render(user=user, address=address, page=None,
                                                                         viewer=None, fragment=False))  # fmt: skip

    async def _log_out(self, request: Request) -> Response:
        self.door.leave(request.cookies.get(_cookie(request), ""))
        answer = self._how_to_enter(request, "You are logged out.")
        answer.delete_cookie(_cookie(request), path="/", httponly=True, samesite="strict")
        return answer

    def _how_to_enter(self, request: Request, reason: str = "") -> Response:
        if _form(request) != "html":
            return _json({"error": reason or "log in with the address that condor_web -login prints"}, 401)
        text = self._templates.get_template("enter.html").render(reason=reason, page=None, viewer=None, fragment=False)
        return _html(text, 401)

    # ---- pages ------------------------------------------------------------------------------------------------------

    async def _front(self, request: Request) -> Response:
        if self.entered(request) is None:
            return self._how_to_enter(request)
        return RedirectResponse(f"/{next(iter(self.pages))}", 303)

    async def _page(self, request: Request) -> Response:
        page = self.pages.get(request.path_params["page"])
        who = self.entered(request) or (self._passer_by() if page is not None and page.bare else None)
        if who is None:
            return self._how_to_enter(request)
        parts = tuple(part for part in request.path_params.get("rest", "").split("/") if part)
        parameters = {name: value for name, value in request.query_params.items() if len(value) <= _LONGEST_ADDRESS}
        asked = Asked(who.viewer, parameters, parts, self.watch.pool.now())
        form = _form(request)
        if page is None or len(parts) > max((len(place.parts) for place in page.places), default=0):
            return self._failed(request, who, NotHere("There is no page at this address."))

        def made() -> Response:
            with self.watch.still():
                data = Bounded().of(page.view(self.watch, asked))
            if form == "json":
                return _json(data)
            if form == "svg":
                return _svg(page, data, parameters.get("picture", ""))
            return _html(self._shown(page, data, asked, who, request))

        try:
            return await self.look(made, _user(who, request))
        except CondorError as error:
            return self._failed(request, who, error)
        except Exception as error:  # whatever a job does to a page, the others are served
            self._guard.fault(error, f"the page {page.name}")
            await asyncio.get_running_loop().run_in_executor(self._thread, self.watch.begin_again)
            return self._failed(request, who, Fault("This page failed. The log of condor_web says why."))

    def _shown(self, page: Page, data: Data, asked: Asked, who: Entered, request: Request) -> str:
        return self._templates.get_template(f"{page.name}.html").render(
            page=page,
            data=data,
            viewer=asked.viewer,
            parameters=_Given(asked.parameters),
            path=asked.path,
            now=asked.now,
            form_token=who.form,
            actions=self.door.settings.allow_actions,
            fragment="x-fragment" in request.headers,
            address=request.url.path,
            draw=lambda name: _drawn(page, name, data),
        )

    def _failed(self, request: Request, who: Entered, error: CondorError) -> Response:
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 503)
        reason = str(error).strip()
        if _form(request) != "html":
            return _json({"error": reason}, status)
        text = self._templates.get_template("error.html").render(
            reason=reason, status=status, viewer=who.viewer, fragment="x-fragment" in request.headers, page=None,
            form_token=who.form,
        )  # fmt: skip
        return _html(text, status)

    async def _act(self, request: Request) -> Response:
        who = self.entered(request)
        if who is None:
            return self._how_to_enter(request)
        try:
            form = _fields(await _body(request))
            wish = actions.checked(form, who.form, self.door.settings.allow_actions)
            async with self._acts.of(who.viewer.name):
                doing = asyncio.get_running_loop().run_in_executor(self._hands, actions.act, wish, who.viewer)
                result = await doing
        except CondorError as error:
            return self._failed(request, who, error)
        if _form(request) != "html":
            return _json(result)
        back = form.get("back", "")
        inside = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
        if inside and not result["refused"]:
            return RedirectResponse(quote(back, errors="replace"), 303)
        return self._failed(request, who, BadRequest(actions.told(result)))

    # ---- other addresses --------------------------------------------------------------------------------------------

    async def _events(self, request: Request) -> Response:
        who = self.entered(request) or self._passer_by()
        if who is None:
            return self._how_to_enter(request)
        try:
            stream = self.streams.open(_user(who, request))
        except TooMany as error:
            return _json({"error": str(error)}, 429)
        return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    async def _openapi(self, request: Request) -> Response:
        from condor_py.cli.web.openapi import description

        return _json(description(tuple(self.pages.values())))

    async def _metrics(self, request: Request) -> Response:
        who = self.entered(request)
        if who is None and not self.door.settings.metrics_public:
            return self._how_to_enter(request)
        from condor_py.cli.metrics import TYPES, families
        from condor_py.cli.metrics.families import text

        openmetrics = "openmetrics" in request.headers.get("accept", "")
        try:
            shown = await self.look(
                lambda: text(families(self.watch.pool), openmetrics=openmetrics), _user(who, request)
            )
        except TooMany as error:
            return _json({"error": str(error)}, 429)
        except CondorError as error:
            return _json({"error": str(error)}, 503)
        return Response(shown, headers={"Content-Type": TYPES[openmetrics]})

    async def _file(self, request: Request) -> Response:
        found = self._static.get(request.path_params["name"])
        if found is None:
            return Response("There is no such file.\n", 404, media_type="text/plain")
        headers = {"Cache-Control": f"max-age={_STATIC_LIFETIME}", "ETag": found.tag, "Content-Type": found.kind}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, headers=headers)


class _StaticFile(NamedTuple):
    content: bytes
    kind: str
    tag: str


def _static_file(name: str) -> _StaticFile:
    with open(os.path.join(FOLDER, "static", name), "rb") as file:
        content = file.read()
    return _static_content(content, os.path.splitext(name)[1])


def _static_content(content: bytes, kind: str) -> _StaticFile:
    tag = hmac.new(b"", content, "sha256").hexdigest()[:16]
    return _StaticFile(content, _TYPES[kind], f'"{tag}"')


async def _body(request: Request) -> bytes:
    """Return the body of a form. BadRequest when it is too long, or comes too slowly."""
    body = b""
    try:
        async with asyncio.timeout(_FORM_PATIENCE):
            async for more in request.stream():
                body += more
                if len(body) > actions.LONGEST_FORM:
                    raise BadRequest(f"a form has at most {actions.LONGEST_FORM} bytes")
    except TimeoutError:
        raise BadRequest(f"a form has to come within {_FORM_PATIENCE:.0f} seconds") from None
    return body


def _fields(body: bytes) -> dict[str, str]:
    """Return the fields of a form, the first of each name. BadRequest."""
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="replace", max_num_fields=20)
    except ValueError:
        raise BadRequest("this is not a form") from None
    return dict(reversed(pairs))


class _Given(dict[str, str]):
    """Parameters as templates read them: one that is not given is empty."""

    def __missing__(self, name: str) -> str:
        return ""


def _cookie(request: Request) -> str:
    """Return the name of the cookie. It has our port: browsers send cookies to all ports of a machine, and a person may
    be logged in to the pages of several pools."""
    server = request.scope.get("server")
    return f"{COOKIE}_{server[1]}" if server and server[1] else COOKIE


def _account(request: Request) -> str:
    """Return the account at the other end of a connection of this machine; "" where the kernel does not say."""
    host = request.client.host if request.client else ""
    return host if host.startswith(("account:", "local:")) else ""


def _user(who: Entered | None, request: Request) -> str:
    """Return the name of a person, and without one the other end of the connection."""
    host = request.client.host if request.client else ""
    return (who.viewer.name if who is not None else "") or f"at {host}"


def _form(request: Request) -> str:
    """Return whether HTML, JSON or SVG is asked for."""
    wanted = request.query_params.get("format", "")
    if wanted in ("html", "json", "svg"):
        return wanted
    accept = request.headers.get("accept", "")
    return "json" if "application/json" in accept and "text/html" not in accept else "html"


def _html(text: str, status: int = 200) -> Response:
    return Response(text.encode("utf-8", "replace"), status, headers={"Content-Type": "text/html; charset=utf-8"})


def _json(data: Data, status: int = 200) -> Response:
    try:
        text = json.dumps(data, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(data), allow_nan=False)
    return Response(text + "\n", status, headers={"Content-Type": "application/json"})


def _finite(value: Any) -> Any:
    """Return data with null in place of numbers that JSON cannot say."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def _drawn(page: Page, name: str, data: Data) -> Markup:
    """Return a picture for the page around it; nothing where there is none to draw."""
    try:
        return page.pictures[name](data)
    except NotHere:
        return Markup("")


def _svg(page: Page, data: Data, name: str) -> Response:
    """Return a picture of a page. NotHere."""
    draw = page.pictures.get(name or next(iter(page.pictures), ""))
    if draw is None:
        raise NotHere("There is no such picture.")
    shown = svg.document(draw(data)).encode("utf-8", "replace")
    return Response(shown, headers={"Content-Type": "image/svg+xml"})


def url(path: str, **parameters: object) -> str:
    """Return an address of the site; parameters that are empty are left out."""
    given = {name: value for name, value in parameters.items() if value not in (None, "")}
    query = urlencode(given, errors="replace")
    return quote(path, errors="replace") + (f"?{query}" if query else "")
