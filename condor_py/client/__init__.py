"""What tools, bindings and daemons share: the way to the queue, to the daemons and to the records of users."""
