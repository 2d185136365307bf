"""HTCondor for one machine: the same commands, submit files, configuration and on-disk formats."""

__version__ = "0.1.0"
