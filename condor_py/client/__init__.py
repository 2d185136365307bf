"""Code shared by tools, bindings and daemons: access to the queue, to the daemons and to the records of users."""
