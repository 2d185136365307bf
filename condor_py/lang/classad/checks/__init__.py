"""The checks behind ``classad.analyze``: one subject a module, each a function of a Subject that yields findings."""
