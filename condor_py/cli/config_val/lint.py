"""-lint: what is probably wrong with the configuration."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from condor_py.lang.config import load

if TYPE_CHECKING:
    from condor_py.cli.options import Args
    from condor_py.lang.config import Config
    from condor_py.lang.config.lint import Finding


def lint_report(args: Args, config: Config) -> int:
    """Print the findings, those of NAME alone where names are given; 1 when an error is among them."""
    from condor_py.client.configcheck import check

    def seen(subsystem: str) -> Config:
        """The configuration as a daemon reads it."""
        root, local_name = args.text("root-config"), args.text("local-name")
        return load(config.environ, subsystem=subsystem, local_name=local_name, root=root, last=args.text("reconfig"))

    wanted = {name.lower() for name in args.positional}
    found = [one for one in check(config, seen) if not wanted or one.knob.lower() in wanted]
    form = args.last("json", "toml")
    if form is not None:
        from condor_py.cli.config_val.structured import write

        write([one._asdict() for one in found], form.name)
    else:
        _print(found)
    return 1 if any(one.severity == "error" for one in found) else 0


def _print(found: list[Finding]) -> None:
    """File by file, aligned: line, severity, knob, and what is wrong."""
    number = max((len(str(one.line)) for one in found), default=0)
    knob = min(max((len(one.knob) for one in found), default=0), 32)
    file = None
    for one in found:
        if one.file != file:
            file = one.file
            print(file)
        line = str(one.line) if one.line else ""
        print(f"  {line:>{number}}  {one.severity:<7}  {one.knob:<{knob}}  {one.message}")
    counts = [(name, sum(one.severity == name for one in found)) for name in ("error", "warning", "note")]
    shown = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts if count]
    sys.stdout.flush()
    sys.stderr.write(f"{', '.join(shown) if shown else 'nothing found'}\n")
