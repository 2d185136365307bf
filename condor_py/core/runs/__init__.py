"""The course of a run: what a starter does for its job, decided without a clock, a file or a process."""
