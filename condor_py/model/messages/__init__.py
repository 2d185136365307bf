"""The messages between daemons and tools: a class a message, a module a link.

| module | sender and receiver |
|---|---|
| ``common`` | any process with every daemon: wakeup, shutdown, reconfig, condor_config_val |
| ``access`` | condor_ping and the condor_token tools with every daemon |
| ``master`` | condor_on, condor_off, condor_restart, condor_who with the master |
| ``queue`` | tools and bindings with the schedd: submit, hold, edit ... |
| ``machine`` | tools, master and condor_defrag with the startd: drain, vacate ... |
| ``claims`` | the schedd with the startd: claims, and the runs on them |
| ``runs`` | the startd, or the schedd for its own universes, with a starter |
| ``cycles`` | the schedd with the negotiator: demand and plan; condor_userprio with the negotiator |
| ``sessions`` | condor_ssh_to_job with the schedd and with a starter |

``codec`` has what they share, and turns them into the head of a frame (see ``client.wire``) and back; ``kinds`` has the
kinds of fields. Every receiver has a ``Vocabulary``: the messages that it understands on a link.
"""
