"""Kinds of URL that the starters of a machine transfer: those built in and those of plugins, without those that fail a
test.

Plugins are asked and tried with the rights of the pool's account, never as root where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.daemons.common.condorids import Home
from condor_py.machine.run.builtin_urls import load_movers
from condor_py.machine.run.failures import UrlError
from condor_py.machine.run.identity import as_user
from condor_py.machine.run.plugins import Mover, plugins_of
from condor_py.machine.run.signing import SCHEMES
from condor_py.machine.run.transfer import INPUT_CLASS
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import StarterSettings, TransferSettings

Tell = Callable[..., None]


def with_methods(knobs: StartdSettings, starter: StarterSettings, home: Home, tell: Tell) -> StartdSettings:
    """The settings of a startd with the methods that its starters have. ``tell`` takes lines for its log."""
    if not starter.transfer.urls:
        return knobs.changed(transfer_methods=())
    transfer = starter.transfer.changed(plugins=_trusted(starter.transfer.plugins, home, tell))
    with as_user(home.user):
        asked = plugins_of(transfer.plugins, timeout=transfer.plugin_patience)
    for path in sorted(set(transfer.plugins) - {one.path for one in asked}):
        if os.path.exists(path):
            tell(f"FILETRANSFER: plugin {path} does not answer to -classad, skipping")
    methods = {*knobs.transfer_methods, *(name for one in asked for name in one.methods)}
    if transfer.test_urls:
        load_movers()
    for method, url in transfer.test_urls:
        if method in methods and not _works(url, transfer, starter.execute, home, tell):
            methods.remove(method)
    signed = SCHEMES if transfer.sign_s3_urls and "https" in methods else ()
    return knobs.changed(transfer_methods=(*sorted(methods.difference(signed)), *signed))


def _trusted(plugins: tuple[str, ...], home: Home, tell: Tell) -> tuple[str, ...]:
    """The plugins that may run at all: as root none that another account may have changed."""
    found = []
    for path in plugins:
        try:
            home.check(path)
        except OSError as error:
            tell(f"FILETRANSFER: plugin {path}: {error.strerror}")
        else:
            found.append(path)
    return tuple(found)


def _works(url: str, settings: TransferSettings, execute: str, home: Home, tell: Tell) -> bool:
    """Whether the URL of <method>_TEST_URL can be fetched."""
    from tempfile import TemporaryDirectory

    try:
        with TemporaryDirectory(prefix="test_file_transfer.", dir=execute) as place:
            if home.user is not None and os.geteuid() == 0:
                os.chown(place, home.user.uid, home.user.gid)
            with as_user(home.user):
                Mover({}, settings, place, tell).move([(url, os.path.join(place, "test_file"))], INPUT_CLASS)
    except (OSError, UrlError) as error:
        tell(f"FILETRANSFER: Test URL {url} download failed: {error}")
        return False
    tell(f"FILETRANSFER: Successfully downloaded test URL {url}.")
    return True
