"""The gridmanager of one user: the core of ``grid`` with engines for what it wants done. Started by the schedd."""
