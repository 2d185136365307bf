"""Ads as text: old (``-long``), new, JSON and XML, reading and writing.

Writers take (name, text) pairs where the text is enough (old) and bindings where the tree is needed.
"""
