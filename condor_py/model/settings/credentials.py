"""Settings of the users' credentials: their places, and for how long they are kept."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, expression, integer, path, string, words


class CredentialSettings(Settings, group="Credentials"):
    """``local_names`` are the services whose tokens the pool signs itself, ``name`` is that of the daemon's ad.

    Kerberos credentials are stored again when they are older than ``krb_renewal`` seconds; below 0 never.
    """

    oauth: str = path("SEC_CREDENTIAL_DIRECTORY_OAUTH", None, "Directory of the users' OAuth2 credentials.")
    krb: str = path("SEC_CREDENTIAL_DIRECTORY_KRB", None, "Directory of the users' Kerberos credentials.")
    krb_renewal: int = integer(
        "SEC_CREDENTIAL_REFRESH_INTERVAL", -1, "Age in seconds from which a Kerberos credential is stored again."
    )
    refresh: int = integer(
        "SEC_CREDENTIAL_REFRESH", 300, "Seconds between looks for renewed credentials of a running job; 0 for none."
    )
    super_users: tuple[str, ...] = words("CRED_SUPER_USERS", "", "Accounts that may store credentials for others.")
    patience: int = integer(
        "CREDD_POLLING_TIMEOUT", 20, "Seconds to wait until a credential monitor has prepared a credential.", least=0
    )
    sweep_interval: int = integer(
        "SEC_CREDENTIAL_SWEEP_INTERVAL", 300, "Seconds between removals of credentials of users without jobs.", least=1
    )
    sweep_delay: int = integer(
        "SEC_CREDENTIAL_SWEEP_DELAY", 3600, "Seconds after a user's last job until the credentials are removed.",
        least=0,
    )  # fmt: skip
    public_key: str = path(
        "LOCAL_CREDMON_PUBLIC_KEY", "/etc/condor/scitokens.pem",
        "File of the public part of a key that condor_credd makes, for those who check tokens.",
    )  # fmt: skip
    trusts: bool = boolean(
        "TRUST_CREDENTIAL_DIRECTORY", False, "Use credential files of any owner, even if others may read them."
    )


class LocalTokenSettings(Settings, group="Credentials"):
    """The tokens of a service that the pool signs itself; ``LOCAL_CREDMON_<service>_...`` is for one service alone."""

    key: str = path(
        "LOCAL_CREDMON_PRIVATE_KEY", "/etc/condor/scitokens-private.pem", "File of the key (PEM) that signs tokens."
    )
    key_id: str = string("LOCAL_CREDMON_KEY_ID", "local", "Name of the key in tokens.", needed=True)
    algorithm: str = string(
        "LOCAL_CREDMON_PRIVATE_KEY_ALGORITHM", "ES256", "Algorithm of the signature: ES256 or RS256.", needed=True
    )
    issuer: str = string("LOCAL_CREDMON_ISSUER", "https://$(FULL_HOSTNAME)", "Issuer that tokens name.")
    lifetime: int = integer("LOCAL_CREDMON_TOKEN_LIFETIME", 1200, "Seconds for which a token is valid.", least=1)
    audience: str = string("LOCAL_CREDMON_TOKEN_AUDIENCE", "", "Audiences that tokens name, with spaces.")
    version: str = string("LOCAL_CREDMON_TOKEN_VERSION", "scitoken:2.0", "Version that tokens name.")
    as_json: bool = boolean("LOCAL_CREDMON_TOKEN_USE_JSON", True, "Write tokens as JSON with their lifetime.")
    template: str = string(
        "LOCAL_CREDMON_AUTHZ_TEMPLATE", "read:/user/{username} write:/user/{username}", "Scopes of each user's token."
    )
    more: str = expression("LOCAL_CREDMON_AUTHZ_TEMPLATE_EXPR", None, "Expression about Username for further scopes.")
    group_template: str = string(
        "LOCAL_CREDMON_AUTHZ_GROUP_TEMPLATE", None, "Scopes for each group of a user, with {groupname}."
    )
    groups: str = path("LOCAL_CREDMON_AUTHZ_GROUP_MAPFILE", None, "File with lines: * USER GROUP,GROUP.")
    needed_group: str = string(
        "LOCAL_CREDMON_AUTHZ_GROUP_REQUIREMENT", None, "Group that a user must be in; others get an empty token."
    )
