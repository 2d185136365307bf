"""One DAG as the page shows it: its graph, the state of each node, and an estimate of the time left.

`reader` is a program that runs with the rights of the DAG's owner, reads the files of the DAG and writes what it finds
as lines of JSON. `follower` starts it, and keeps what it has said for the server. `layout` and `estimate` are pure.
"""
