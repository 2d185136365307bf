"""Moving URLs: built in for ``http``, ``https``, ``dav``, ``davs``, ``ftp``, ``file`` and ``data``, by plugins for the
rest.

A plugin is HTCondor's: ``PLUGIN -classad`` prints its ``SupportedMethods``, ``PLUGIN -infile I -outfile O [-upload]``
moves what the ads of I name (``Url``, ``LocalFileName``) and writes an ad a file to O (``TransferSuccess``,
``TransferError``, ``TransferUrl``). A plugin without ``MultipleFileSupport`` is called with source and destination.
What the job has for plugins, PluginData and <scheme>_PluginData, stands in the ads of the files (ProtocolVersion 2) or
in ads before them (4). A plugin NAME_plugin finds those variables of the job's environment that begin with ``NAME_``.
"""

from __future__ import annotations

import errno
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from condor_py.lang.classad import ClassAd, ClassAdParseError, parseAds, quote_string
from condor_py.machine.run import builtin_urls, trees
from condor_py.machine.run.failures import UrlError, method_of, scheme_of, without_secrets
from condor_py.machine.run.places import CREDENTIALS_NAME
from condor_py.machine.run.spawning import answer_of, rights
from condor_py.machine.run.userfiles import user_file
from condor_py.model.settings.starter import TransferSettings

BUILT_IN = ("data", "dav", "davs", "file", "ftp", "http", "https")
#: Subcodes of a plugin that is not there, that cannot be executed, and that prints nothing.
_NOT_FOUND, _NOT_OPERATIONAL, _NOT_EXECUTED, _SAYS_NOTHING = -1001, -1002, -1003, -1004
#: How a call of a plugin ended, by its record.
_SUCCESS, _ERROR, _TIMED_OUT, _NOT_STARTED = 0, 1, 3, 4
#: Characters of a plugin's output that are shown in the log.
_MOST_SHOWN = 16 << 10
#: Characters of a plugin's answer about its files.
_LONGEST_ANSWER = 64 << 20


class Plugin(NamedTuple):
    """A plugin program and what it can do."""

    path: str
    methods: tuple[str, ...]
    many: bool
    protocol: int = 2


def plugins_of(
    paths: Iterable[str], environment: Mapping[str, str] | None = None, timeout: float = 20.0
) -> list[Plugin]:
    """The plugins of FILETRANSFER_PLUGINS that are there and answer."""
    found = []
    for path in paths:
        if os.access(path, os.X_OK) and (plugin := ask(path, environment, timeout)) is not None:
            found.append(plugin)
    return found


def ask(path: str, environment: Mapping[str, str] | None = None, timeout: float = 20.0) -> Plugin | None:
    """Ask a plugin for its description; None when it does not answer as a file transfer plugin. ``environment`` is that
    of the job."""
    try:
        ended = _call([path, "-classad"], {**os.environ, **_meant_for(path, environment or {})}, None, timeout)
    except OSError:
        return None
    items = (line.partition("=") for line in ended.out.splitlines() if "=" in line)
    ad = ClassAd.from_text_items((name.strip(), text.strip()) for name, _, text in items)
    methods = tuple((ad.eval_str("SupportedMethods", "") or "").lower().replace(",", " ").split())
    if ended.status or ad.eval_str("PluginType", "FileTransfer") != "FileTransfer" or not methods:
        return None
    many = ad.eval_bool("MultipleFileSupport", False) is True
    return Plugin(path, methods, many, ad.eval_int("ProtocolVersion", 2))


class _Called(NamedTuple):
    """The end of a call of a plugin: ``status`` as a shell prints it (negative: a signal), and its output."""

    status: int
    out: str
    err: str


def _call(command: Sequence[str], environment: Mapping[str, str], directory: str | None, patience: float) -> _Called:
    """Call a plugin with the rights that we have now. OSError; TimeoutError when it takes longer than ``patience``
    seconds: it is killed with what it has started."""
    user, group = rights()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=directory,
        env=environment, start_new_session=True, user=user, group=group,
    )  # fmt: skip
    said = answer_of(process, patience)
    if said is None:
        raise TimeoutError(errno.ETIME, os.strerror(errno.ETIME), command[0])
    return _Called(process.returncode, *(text.decode(errors="replace") for text in said))


def _meant_for(path: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of a job that a plugin is to have: they begin with its name."""
    name = os.path.basename(path)
    prefix = (name.partition("_plugin")[0] if "_plugin" in name else os.path.splitext(name)[0]) + "_"
    return {name: text for name, text in environment.items() if name.lower().startswith(prefix.lower())}


class Told(NamedTuple):
    """The record of one call of a plugin: an ad of the call, and an ad a file, as texts."""

    call: str
    files: tuple[str, ...]


class _Ended(NamedTuple):
    """``status`` as a shell prints it (negative: a signal), and the last words of the output."""

    status: int
    said: str = ""

    @property
    def subcode(self) -> int:
        """The exit status as a HoldReasonSubCode has it."""
        return -self.status if self.status < 0 else self.status << 8


class Mover:
    """Moves URLs for one job. ``own`` are the job's plugins by method, which win; ``scratch`` is its directory; ``log``
    takes what is worth a line of the starter's log; ``refused`` are plugins of the job that must not run, by method;
    ``environment`` is the job's, ``data`` what it has for plugins
    (texts by lower-case name).

    Everything runs with the rights that the caller has at the moment.
    """

    def __init__(
        self, own: Mapping[str, str], settings: TransferSettings, scratch: str, log: Callable[..., None],
        environment: Mapping[str, str] | None = None, data: Mapping[str, str] | None = None,
        refused: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self._own = own
        self._refused = refused or {}
        self._settings = settings
        self._scratch = scratch
        self._credentials = os.path.join(scratch, CREDENTIALS_NAME)
        self._log = log
        self._environment = environment or {}
        self._data = data or {}
        self._known: list[Plugin] | None = None
        #: How logs and records show URLs that have a secret.
        self._secret: dict[str, str] = {}
        #: What the calls of ``move`` had to tell.
        self.told: list[Told] = []

    def move(self, items: Sequence[tuple[str, str]], kind: int, upload: bool = False) -> None:
        """Moves (URL, local path) pairs, one call a plugin, all of them. UrlError for the first that fails.

        ``kind`` is the TransferClass of the records: 1 for input, 2 output, 3 a checkpoint.
        """
        self._secret.update((url, shown) for url, _ in items if (shown := without_secrets(url)) != url)
        by_plugin: dict[Plugin, list[tuple[str, str]]] = {}
        for url, path in items:
            by_plugin.setdefault(self._plugin_for(url), []).append((url, path))
        first: UrlError | None = None
        for plugin, group in by_plugin.items():
            schemes = ",".join(sorted({method_of(url) for url, _ in group}))
            try:
                self._run(plugin, group, upload, f"TransferClass = {kind}; Schemes = {quote_string(schemes)}")
            except UrlError as error:
                first = first or error
        if first is not None:
            raise first

    def _shown(self, text: str) -> str:
        """``text`` without the passwords and signatures of URLs."""
        for url, shown in self._secret.items():
            text = text.replace(url, shown).replace(quote_string(url), quote_string(shown))
        return text

    def _plugin_for(self, url: str) -> Plugin:
        """Return the plugin that transfers a URL. UrlError for a scheme without one."""
        if not self._settings.urls:
            raise UrlError(url, "URL transfers are disabled by configuration.")
        scheme = method_of(url)
        own = self._own.get(scheme)
        if own is not None:
            return Plugin(own, (scheme,), True)
        if scheme in self._refused:
            raise UrlError(url, f"user-supplied plugin {self._refused[scheme]} not allowed", _NOT_OPERATIONAL)
        settings = self._settings
        if self._known is None and (settings.plugins and scheme not in ("file", "data")):
            self._known = plugins_of(settings.plugins, self._environment, settings.plugin_patience)
        for plugin in self._known or ():
            if scheme in plugin.methods:
                return plugin
        if scheme in BUILT_IN:
            return _DATA if scheme == "data" else _CURL
        raise UrlError(url, f"no file transfer plugin for {scheme}", _NOT_FOUND)

    def _run(self, plugin: Plugin, group: Sequence[tuple[str, str]], upload: bool, about: str) -> None:
        """Moves what one plugin is for, and keeps a record of it. UrlError for the first that fails."""
        begun = time.monotonic()
        files: list[ClassAd] = []
        result, ended, error = _SUCCESS, _Ended(0), None
        try:
            if plugin in (_CURL, _DATA):
                self._log(f"FILETRANSFER: invoking: {plugin.path} (built in) for {len(group)} URLs")
                wishes = builtin_urls.Wishes.of(_meant_for(plugin.path, self._environment), self._credentials)
                _move_built_in(group, upload, files, wishes)
            elif plugin.many:
                ended = self._run_many(plugin, group, upload, files)
            else:
                for url, path in group:
                    ended = self._execute([plugin.path, *((path, url) if upload else (url, path))], url)
                    if ended.status:
                        raise UrlError(url, ended.said or _silent(plugin, ended), ended.subcode)
        except UrlError as failed:
            codes = {errno.ETIME: _TIMED_OUT, _NOT_EXECUTED: _NOT_STARTED}
            error, result = failed, codes.get(failed.subcode, _ERROR)
            if failed.subcode > 0xFF:
                ended = _Ended(failed.subcode >> 8)
            elif failed.subcode > 0 and failed.subcode != errno.ETIME:
                ended = _Ended(-failed.subcode)
        seconds, name = int(time.monotonic() - begun), quote_string(os.path.basename(plugin.path))
        how = f"ExitBySignal = true; ExitSignal = {-ended.status}"
        if ended.status >= 0:
            how = f"ExitBySignal = false; ExitCode = {ended.status}"
        call = f"[ {about}; PluginBasename = {name}; Result = {result}; DurationInSeconds = {seconds}; {how} ]"
        for ad in files:
            ad.set_int("PluginExitCode", max(0, ended.status))
        self.told.append(Told(call, tuple(self._shown(_in_line(ad)) for ad in files)))
        if error is not None:
            raise error

    def _run_many(self, plugin: Plugin, items: Sequence[tuple[str, str]], upload: bool, files: list[ClassAd]) -> _Ended:
        """One call for all files; their ads are put into ``files``. UrlError."""
        base = os.path.join(self._scratch, f".{os.path.basename(plugin.path)}")
        infile, outfile = base + ".in", base + ".out"
        ads = self._input_ads(plugin, items)
        try:
            with user_file(infile, "w") as file:
                file.writelines(f"{ad}\n" for ad in ads)
            command = [plugin.path, "-infile", infile, "-outfile", outfile, *(["-upload"] if upload else [])]
            self._log(f"FILETRANSFER: invoking: {' '.join(command)}")
            self._log(f"FILETRANSFER: with plugin input: {self._shown(''.join(ads))}")
            ended = self._execute(command, items[0][0])
            try:
                files += _ads_of(outfile)
            except (OSError, ClassAdParseError) as error:
                if not ended.status:
                    why = error.strerror if isinstance(error, OSError) else error
                    text = f"the answer of plugin {plugin.path} cannot be read: {why}"
                    raise UrlError(items[0][0], text, ended.subcode) from None
            for ad in files:
                if ad.eval_bool("TransferSuccess", False) is not True:
                    url = ad.eval_str("TransferUrl", None) or items[0][0]
                    text = ad.eval_str("TransferError", None) or _silent(plugin, ended)
                    raise UrlError(url, self._shown(text), ended.subcode)
            if ended.status:
                raise UrlError(items[0][0], ended.said or _silent(plugin, ended), ended.subcode)
            if not files:
                raise UrlError(items[0][0], f"plugin {plugin.path} reported nothing about its files", _SAYS_NOTHING)
            return ended
        finally:
            for name in (infile, outfile):
                with suppress(OSError):  # it goes with the scratch directory
                    trees.remove(name)

    def _input_ads(self, plugin: Plugin, items: Sequence[tuple[str, str]]) -> list[str]:
        """Return a plugin's input in HTCondor's format: the files to transfer, and the job's data for the plugin."""
        schemes = sorted({method_of(url) for url, _ in items})
        given = [("", "PluginData"), *((scheme, f"{scheme}_PluginData") for scheme in schemes)]
        known = [(scheme, name) for scheme, name in given if name.lower() in self._data]
        data = [(scheme, f"{name} = {self._data[name.lower()]}") for scheme, name in known]
        before, inside = [], ""
        if plugin.protocol == 4:
            marks = (f"Protocol = {quote_string(scheme)}; " if scheme else "" for scheme, _ in data)
            before = [f"[ {mark}{text} ]" for mark, (_, text) in zip(marks, data, strict=True)]
        elif self._settings.plugin_data:
            inside = "".join(f"; {text}" for _, text in data)
        files = (f"LocalFileName = {quote_string(path)}; Url = {quote_string(url)}" for url, path in items)
        return [*before, *(f"[ {text}{inside} ]" for text in files)]

    def _execute(self, command: list[str], url: str) -> _Ended:
        """Runs a plugin by the identity whose rights we have now. UrlError when that does not work."""
        environment = {name: text for name, text in os.environ.items() if not name.startswith("CONDOR_")}
        environment.update(_meant_for(command[0], self._environment))
        environment["_CONDOR_JOB_AD"] = self._scratch + "/.job.ad"
        environment["_CONDOR_MACHINE_AD"] = self._scratch + "/.machine.ad"
        if os.path.isdir(credentials := f"{self._scratch}/{CREDENTIALS_NAME}"):
            environment["_CONDOR_CREDS"] = credentials
        try:
            called = _call(command, environment, self._scratch, self._settings.plugin_lifetime)
        except TimeoutError:
            text = f"File transfer plugin {command[0]} timed out after {self._settings.plugin_lifetime} seconds."
            raise UrlError(url, text, errno.ETIME) from None
        except OSError as error:
            text = f"plugin {command[0]} is not operational: {error.strerror}"
            raise UrlError(url, text, _NOT_EXECUTED) from None
        self._show(command[0], called.status, self._shown(called.out + called.err))
        words = self._shown(called.err or called.out).strip().splitlines()
        return _Ended(called.status, words[-1][:500] if words else "")

    def _show(self, path: str, status: int, text: str) -> None:
        """Write a plugin's output, or its end if it is long, to the starter's log when the settings want it there."""
        shown = self._settings.plugin_output
        if text and (shown.on_failure if status else shown.on_success):
            self._log(f"FILETRANSFER: plugin {path} exit={status} stdout:\n{text[-_MOST_SHOWN:].rstrip()}", block=True)


def record_of(kind: int, told: Sequence[Told]) -> dict[str, str]:
    """The attributes that the record of a transfer has of its plugins. ``kind`` is a TransferClass."""
    name = ("Input", "Output", "Checkpoint")[kind - 1]
    return {
        "TransferClass": quote_string(name.upper()),
        f"{name}PluginInvocations": f"{{ {', '.join(one.call for one in told)} }}",
        f"{name}PluginResultList": f"{{ {', '.join(ad for one in told for ad in one.files)} }}",
    }


#: What is built in passes for the plugins that HTCondor has for it.
_CURL = Plugin("curl_plugin", tuple(name for name in BUILT_IN if name != "data"), True)
_DATA = Plugin("data_plugin", ("data",), True)


def _move_built_in(
    group: Sequence[tuple[str, str]], upload: bool, files: list[ClassAd], wishes: builtin_urls.Wishes
) -> None:
    """Moves files without a plugin; an ad of each is put into ``files``. UrlError for the first that fails."""
    first: UrlError | None = None
    for url, path in group:
        ad = ClassAd()
        ad.set_str("TransferUrl", url)
        ad.set_str("TransferProtocol", scheme_of(url))
        ad.set_str("TransferType", "upload" if upload else "download")
        ad.set_str("TransferFileName", path)
        try:
            builtin_urls.move(url, path, upload, wishes)
            ad.set_int("TransferTotalBytes", os.path.getsize(path))
        except UrlError as error:
            ad.set_str("TransferError", error.text)
            ad.set_text("TransferErrorData", f"{{ {_error_ad(error)} }}")
            first = first or error
        ad.set_bool("TransferSuccess", "TransferError" not in ad)
        files.append(ad)
    if first is not None:
        raise first


def _error_ad(error: UrlError) -> str:
    """Return the ad of an error in TransferErrorData, in one line."""
    ad = ClassAd()
    for name, value in {"ErrorString": error.text, **error.about}.items():
        if isinstance(value, bool):
            ad.set_bool(name, value)
        elif isinstance(value, int):
            ad.set_int(name, value)
        else:
            ad.set_str(name, value)
    return _in_line(ad)


def _in_line(ad: ClassAd) -> str:
    """An ad as an element of a list."""
    return f"[ {'; '.join(f'{name} = {text}' for name, text in ad.text_items())} ]"


def _silent(plugin: Plugin, ended: _Ended) -> str:
    return f"non-zero exit ({ended.status}) from {plugin.path}"


def _ads_of(path: str) -> list[ClassAd]:
    """Return the ads of a plugin's answer, in the new form or as lines with empty lines between ads. OSError for what
    is no file or too long, ClassAdParseError for what is no ad."""
    try:
        with user_file(path) as file:
            text = file.read(_LONGEST_ANSWER + 1)
    except FileNotFoundError:
        return []
    if len(text) > _LONGEST_ANSWER:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return list(parseAds(text))
