"""The pages: a module has a ``PAGE`` (see ../page.py)."""
