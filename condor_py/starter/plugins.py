"""Moving URLs: built in for ``http``, ``https``, ``ftp``, ``file`` and ``data``, by plugins for the rest.

A plugin is HTCondor's: ``PLUGIN -classad`` tells its ``SupportedMethods``, ``PLUGIN -infile I -outfile O [-upload]``
moves what the ads of I name (``Url``, ``LocalFileName``) and writes an ad a file to O (``TransferSuccess``,
``TransferError``, ``TransferUrl``). A plugin without ``MultipleFileSupport`` is called with source and destination.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from condor_py.classad import ClassAd, quote_string

BUILT_IN = ("data", "file", "ftp", "http", "https")
_CHUNK = 1 << 20
_HTTP_TIMEOUT = 60.0
_HTTP_TRIES = 3


class UrlError(Exception):
    """A URL that was not moved; the text is for the reason of the hold, ``subcode`` the exit status of the plugin."""

    def __init__(self, url: str, text: str, subcode: int = 1) -> None:
        super().__init__(f"{text} ( URL file = {_without_secrets(url)} )")
        self.scheme = scheme_of(url)
        self.subcode = subcode


def scheme_of(name: str) -> str:
    """The scheme of a URL in lower case, empty for a path."""
    scheme, found, _ = name.partition("://")
    if not found and name[:5].lower() == "data:":
        return "data"
    return scheme.lower() if found and scheme and all(c.isalnum() or c in "+-." for c in scheme) else ""


def _without_secrets(url: str) -> str:
    """A URL as logs may show it: a query may hold a signature."""
    return url.partition("?")[0] + ("?..." if "?" in url else "")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin program and what it can do."""

    path: str
    methods: tuple[str, ...]
    many: bool


def load_movers() -> None:
    """Imports what moving URLs takes, with our own rights: a job's owner may not be allowed to read it."""
    for name in ("email.parser", "encodings.idna", "ftplib", "urllib.error", "urllib.request"):
        import_module(name)


def plugins_of(paths: Iterable[str]) -> list[Plugin]:
    """The plugins of FILETRANSFER_PLUGINS that are there and answer."""
    found = []
    for path in paths:
        if os.access(path, os.X_OK) and (plugin := ask(path)) is not None:
            found.append(plugin)
    return found


def ask(path: str, timeout: float = 20.0) -> Plugin | None:
    """What a plugin says of itself; None when it does not answer as a file transfer plugin."""
    user, group = _rights()
    try:
        done = subprocess.run(
            [path, "-classad"], capture_output=True, text=True, errors="replace", timeout=timeout, check=False,
            stdin=subprocess.DEVNULL, start_new_session=True, user=user, group=group,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    items = (line.partition("=") for line in done.stdout.splitlines() if "=" in line)
    ad = ClassAd.from_text_items((name.strip(), text.strip()) for name, _, text in items)
    methods = tuple((ad.eval_str("SupportedMethods", "") or "").lower().replace(",", " ").split())
    if done.returncode or ad.eval_str("PluginType", "FileTransfer") != "FileTransfer" or not methods:
        return None
    return Plugin(path, methods, ad.eval_bool("MultipleFileSupport", False) is True)


def _rights() -> tuple[int, int] | tuple[None, None]:
    """User and group that a program has to become to have the rights that we have at the moment, and no others: who is
    root and works as somebody else would hand on the way back (a shell takes it by itself)."""
    return (os.geteuid(), os.getegid()) if os.getuid() == 0 and os.geteuid() != 0 else (None, None)


class Mover:
    """Moves URLs for one job. ``own`` are the job's plugins by method, which win; ``scratch`` is its directory.

    Everything runs with the rights that the caller has at the moment.
    """

    def __init__(self, own: Mapping[str, str], paths: Sequence[str], scratch: str, lifetime: int) -> None:
        self._own = own
        self._paths = paths
        self._scratch = scratch
        self._lifetime = lifetime
        self._known: list[Plugin] | None = None

    def move(self, items: Sequence[tuple[str, str]], upload: bool = False) -> None:
        """Moves (URL, local path) pairs, one call a plugin. UrlError for the first that fails."""
        by_plugin: dict[Plugin | None, list[tuple[str, str]]] = {}
        for url, path in items:
            by_plugin.setdefault(self._plugin_for(url), []).append((url, path))
        for plugin, group in by_plugin.items():
            if plugin is None:
                for url, path in group:
                    _built_in(url, path, upload)
            elif plugin.many:
                self._run_many(plugin, group, upload)
            else:
                for url, path in group:
                    self._run_one(plugin, url, path, upload)

    def _plugin_for(self, url: str) -> Plugin | None:
        """Who moves a URL; None for what is built in."""
        scheme = scheme_of(url)
        own = self._own.get(scheme)
        if own is not None:
            return Plugin(own, (scheme,), True)
        if self._known is None and (self._paths and scheme not in ("file", "data")):
            self._known = plugins_of(self._paths)
        for plugin in self._known or ():
            if scheme in plugin.methods:
                return plugin
        if scheme in BUILT_IN:
            return None
        raise UrlError(url, f"no file transfer plugin for {scheme}")

    def _run_many(self, plugin: Plugin, items: Sequence[tuple[str, str]], upload: bool) -> None:
        base = os.path.join(self._scratch, f".{os.path.basename(plugin.path)}")
        infile, outfile = base + ".in", base + ".out"
        ads = [f"[ LocalFileName = {quote_string(path)}; Url = {quote_string(url)} ]\n" for url, path in items]
        try:
            with open(infile, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.writelines(ads)
            command = [plugin.path, "-infile", infile, "-outfile", outfile, *(["-upload"] if upload else [])]
            status, said = self._execute(command, items[0][0])
            for ad in _ads_of(outfile):
                if ad.eval_bool("TransferSuccess", False) is not True:
                    url = ad.eval_str("TransferUrl", None) or items[0][0]
                    raise UrlError(url, ad.eval_str("TransferError", None) or _silent(plugin, status), status or 1)
            if status:
                raise UrlError(items[0][0], said or _silent(plugin, status), status)
        finally:
            for name in (infile, outfile):
                if os.path.lexists(name):
                    os.unlink(name)

    def _run_one(self, plugin: Plugin, url: str, path: str, upload: bool) -> None:
        status, said = self._execute([plugin.path, *((path, url) if upload else (url, path))], url)
        if status:
            raise UrlError(url, said or _silent(plugin, status), status)

    def _execute(self, command: list[str], url: str) -> tuple[int, str]:
        """Exit status and last words of a plugin, run by the identity whose rights we have now."""
        environment = {name: text for name, text in os.environ.items() if not name.startswith("CONDOR_")}
        environment["_CONDOR_JOB_AD"] = self._scratch + "/.job.ad"
        environment["_CONDOR_MACHINE_AD"] = self._scratch + "/.machine.ad"
        user, group = _rights()
        try:
            done = subprocess.run(
                command, cwd=self._scratch, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", timeout=self._lifetime, check=False, start_new_session=True,
                user=user, group=group,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise UrlError(url, f"plugin {command[0]} took longer than {self._lifetime} seconds") from None
        except OSError as error:
            raise UrlError(url, f"plugin {command[0]} is not operational: {error.strerror}") from None
        words = (done.stderr or done.stdout).strip().splitlines()
        return done.returncode, words[-1][:500] if words else ""


def _silent(plugin: Plugin, status: int) -> str:
    return f"non-zero exit ({status}) from {plugin.path}"


def _ads_of(path: str) -> list[ClassAd]:
    """The ads of a plugin's answer, in the new form or as lines with blank lines between ads."""
    from condor_py.classad import parseAds

    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    return [ad for ad in parseAds(text) if len(ad)]


def _built_in(url: str, path: str, upload: bool) -> None:
    scheme = scheme_of(url)
    if scheme == "file":
        local = _local_path(url)
        try:
            shutil.copyfile(*((path, local) if upload else (local, path)))
        except OSError as error:
            raise UrlError(url, f"{error.strerror}: {error.filename}", error.errno or 1) from None
    elif upload:
        _put(url, path)
    else:
        _get(url, path)


def _local_path(url: str) -> str:
    from urllib.parse import unquote

    rest = url[len("file://") :]
    return unquote(rest[rest.index("/") :]) if "/" in rest else rest


def _get(url: str, path: str) -> None:
    """Fetches with urllib; what may pass by itself is tried again."""
    import urllib.error
    import urllib.request

    for attempt in range(1, _HTTP_TRIES + 1):
        try:
            with urllib.request.urlopen(url, timeout=_HTTP_TIMEOUT) as answer, open(path, "wb") as file:
                while chunk := answer.read(_CHUNK):
                    file.write(chunk)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < 500 or attempt == _HTTP_TRIES:
                raise UrlError(url, f"HTTP error {error.code}: {error.reason}") from None
        except (OSError, ValueError) as error:
            if attempt == _HTTP_TRIES:
                raise UrlError(url, _why(error)) from None
        else:
            return


def _put(url: str, path: str) -> None:
    import urllib.error
    import urllib.request

    if scheme_of(url) not in ("http", "https"):
        raise UrlError(url, f"cannot write to {scheme_of(url)} URLs")
    try:
        with open(path, "rb") as file:
            length = {"Content-Length": str(os.path.getsize(path))}
            request = urllib.request.Request(url, data=file, method="PUT", headers=length)
            urllib.request.urlopen(request, timeout=_HTTP_TIMEOUT).close()
    except urllib.error.HTTPError as error:
        error.close()
        raise UrlError(url, f"HTTP error {error.code}: {error.reason}") from None
    except (OSError, ValueError) as error:
        raise UrlError(url, _why(error)) from None


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
    return str(getattr(reason, "strerror", None) or reason)
