"""The commands about the job router: the daemon by hand, what it would do, and what it has routed."""
