"""The startd around its core."""
