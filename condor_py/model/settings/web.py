"""Settings of condor_web."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, integer, path, string, words


class WebSettings(Settings, group="Web page"):
    """Settings of the pages: where they are served, who gets in, and what they may do."""

    port: int = integer(
        "WEB_PORT", 9680, "Port of 127.0.0.1 on which condor_web listens; 0 for any that is free.", least=0, most=65535
    )
    interface: str = string(
        "WEB_INTERFACE",
        "127.0.0.1",
        "Address on which condor_web listens; one that is not loopback needs WEB_PROXY_USER_HEADER.",
    )
    socket: str = path("WEB_SOCKET", "", "Path of a Unix socket on which condor_web listens instead of a port.")
    session_lifetime: int = integer(
        "WEB_SESSION_LIFETIME", 43200, "Seconds after which a person has to log in to the page again.", least=60
    )
    allow_actions: bool = boolean(
        "WEB_ALLOW_ACTIONS", False, "Whether people may hold, release, remove and prioritize their jobs on the page."
    )
    proxy_user_header: str = string(
        "WEB_PROXY_USER_HEADER", "", "Header in which a proxy with a login of its own names the account of the user."
    )
    proxy_addresses: tuple[str, ...] = words(
        "WEB_PROXY_ADDRESSES",
        "",
        "IP addresses, and for WEB_SOCKET accounts, whose WEB_PROXY_USER_HEADER counts.",
    )
    host_names: tuple[str, ...] = words(
        "WEB_HOST_NAMES", "", "Names besides localhost by which browsers reach the page, as a proxy passes them on."
    )
    wall: bool = boolean("WEB_WALL", False, "Whether /wall, totals and slots without names, is shown without a login.")
    metrics_public: bool = boolean("WEB_METRICS_PUBLIC", False, "Whether /metrics answers without a login.")
