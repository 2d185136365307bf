"""Knobs of condor_web."""

from __future__ import annotations

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.web import WebSettings


def web(config: Config) -> WebSettings:
    """Return settings with which it is safe to listen. ConfigError names the knob."""
    import ipaddress

    settings = build(WebSettings, config)
    try:
        interface = ipaddress.ip_address(settings.interface)
    except ValueError:
        raise ConfigError(f"WEB_INTERFACE: {settings.interface!r} is not an IP address", "WEB_INTERFACE") from None
    if not interface.is_loopback and not settings.proxy_user_header:
        raise ConfigError(
            f"WEB_INTERFACE: {interface} can be reached from other machines: set WEB_PROXY_USER_HEADER and "
            "WEB_PROXY_ADDRESSES for a proxy that encrypts and asks who it is, or listen on 127.0.0.1",
            "WEB_INTERFACE",
        )
    for word in settings.proxy_addresses:
        if _is_loopback(word):
            raise ConfigError(
                f"WEB_PROXY_ADDRESSES: every account of this machine can connect from {word}: let the proxy use "
                "WEB_SOCKET, and name its account here",
                "WEB_PROXY_ADDRESSES",
            )
    return settings


def _is_loopback(word: str) -> bool:
    """Whether a word is an address by which this machine reaches itself; it may be the name of an account, too."""
    import ipaddress

    try:
        found = ipaddress.ip_address(word)
        return (getattr(found, "ipv4_mapped", None) or found).is_loopback
    except ValueError:
        return False
