"""The settings of tokens: where keys and tokens are, and what daemons sign."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, integer, path, string, words


class TokenSettings(Settings, group="Tokens"):
    """``limits`` are the rights that requested tokens have at most, empty for no limit. ``longest`` is the greatest
    lifetime of a token that a daemon signs, in seconds; 0 for any."""

    issuer: str = string("TRUST_DOMAIN", "$(UID_DOMAIN)", "Name of the pools that accept each other's tokens.")
    keys: str = path("SEC_PASSWORD_DIRECTORY", "$(ETC)/passwords.d", "Directory of the keys that sign tokens.")
    pool_key: str = path(
        "SEC_TOKEN_POOL_SIGNING_KEY_FILE",
        "$(SEC_PASSWORD_FILE)",
        "File of the usual signing key (POOL), which the pool makes when it starts.",
    )
    system_tokens: str = path("SEC_TOKEN_SYSTEM_DIRECTORY", "$(ETC)/tokens.d", "Directory of the tokens of root.")
    user_tokens: str = path(
        "SEC_TOKEN_DIRECTORY", None, "Directory of tokens; unset, ~/.condor/tokens.d, or root's own."
    )
    default_key: str = string("SEC_TOKEN_ISSUER_KEY", "POOL", "The key that daemons sign with when none is named.")
    fetch_keys: tuple[str, ...] = words(
        "SEC_TOKEN_FETCH_ALLOWED_SIGNING_KEYS", "POOL AP", "Keys that condor_token_fetch may name (wildcards allowed)."
    )
    longest: int = integer(
        "SEC_ISSUED_TOKEN_EXPIRATION", None, "Seconds that a fetched or requested token is valid at most."
    )
    fetching: bool = boolean("SEC_ENABLE_TOKEN_FETCH", True, "Whether tokens may be fetched.")
    requesting: bool = boolean("SEC_ENABLE_TOKEN_REQUEST", True, "Whether tokens may be requested.")
    limits: tuple[str, ...] = words(
        "SEC_TOKEN_REQUEST_LIMITS", None, "Rights (levels of authorization) that requested tokens have at most."
    )
