"""condor_metrics: the figures of the pool for monitoring systems, in the OpenMetrics format."""

from __future__ import annotations

import sys

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import Opt, ToolSpec, UsageError, parse

_SPEC = ToolSpec(
    name="condor_metrics",
    usage="[-file FILE | -listen ADDRESS] [-prometheus]",
    summary="Figures of the pool for monitoring systems, in the OpenMetrics format.",
    description=(
        "Jobs by owner and state, slots by state and activity, what of the machine is free, starts and evictions, the "
        "last negotiation cycle, priorities, shares and limits of submitters, how long it takes to force the queue to "
        "disk, memory of daemons, and room on disks. Nothing has to run: what nobody publishes is left out."
    ),
    options=(
        Opt("file", 1, "FILE", "write into FILE, which is never seen half written (for cron and the textfile directory "
            "of a node exporter)", takes="file"),
        Opt("listen", 1, "ADDRESS", "answer HTTP requests for /metrics on unix:/PATH, PORT or LOOPBACK-ADDRESS:PORT"),
        Opt("prometheus", 1, help="the older text format of Prometheus (a request says itself which one it wants)"),
        VERSION,
        HELP,
    ),
    examples=(
        ("condor_metrics", "look at them"),
        ("condor_metrics -prometheus -file /var/lib/prometheus/node-exporter/condor.prom", "from cron, every minute"),
        ("condor_metrics -listen 9618", "for a Prometheus on this machine"),
    ),
    exit_status="0, 1 when the pool cannot be read or the file not written.",
    see_also=("condor_status", "condor_q", "condor_userprio"),
)  # fmt: skip
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_metrics."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    path, address = args.text("file"), args.text("listen")
    if path is not None and address is not None:
        raise UsageError("Error: -file and -listen cannot be used together", _SPEC)
    if address is not None:
        from condor_py.cli.metrics.collect import serve

        return serve(address, _text)
    shown = _text(not args.has("prometheus"))
    if path is None:
        sys.stdout.write(shown)
    else:
        from condor_py.cli.output.files import replace

        replace("condor_metrics", path, shown)
    return 0


def _text(openmetrics: bool) -> str:
    """The figures as they are now."""
    from condor_py.cli.metrics.collect import families
    from condor_py.cli.metrics.families import text
    from condor_py.client.pool import open_pool

    return text(families(open_pool()), openmetrics=openmetrics)
