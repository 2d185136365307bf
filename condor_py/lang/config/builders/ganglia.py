"""Knobs of condor_gangliad."""

from __future__ import annotations

from condor_py.lang.config.build import parsed_expression
from condor_py.lang.config.settings import Config
from condor_py.model.settings.ganglia import GangliaSettings, Rules


def ganglia(config: Config) -> GangliaSettings:
    """Return the settings of condor_gangliad. ConfigError."""
    return GangliaSettings(
        interval=config.integer("GANGLIAD_INTERVAL"),
        lifetime=config.integer("GANGLIAD_MIN_METRIC_LIFETIME", 86400),
        rules=Rules(
            verbosity=config.integer("GANGLIAD_VERBOSITY"),
            requirements=parsed_expression(config, "GANGLIAD_REQUIREMENTS"),
            per_execute_node=config.boolean("GANGLIAD_PER_EXECUTE_NODE_METRICS"),
            cluster=parsed_expression(config, "GANGLIAD_DEFAULT_CLUSTER"),
            machine=parsed_expression(config, "GANGLIAD_DEFAULT_MACHINE"),
            ip=parsed_expression(config, "GANGLIAD_DEFAULT_IP"),
        ),
        config=config.path("GANGLIA_CONFIG") or "/etc/ganglia/gmond.conf",
        gmetric=config.path("GANGLIA_GMETRIC"),
        library=config.string("GANGLIA_LIB").strip(),
        gstat=config.string("GANGLIA_GSTAT_COMMAND") or "gstat --all --mpifile --gmond_ip=localhost --gmond_port=8649",
        definitions=config.path("GANGLIAD_METRICS_CONFIG_DIR") or f"{config.path('ETC')}/ganglia.d",
        all_hosts=config.boolean("GANGLIA_SEND_DATA_FOR_ALL_HOSTS"),
        resets=config.boolean("GANGLIAD_WANT_RESET_METRICS"),
    )
