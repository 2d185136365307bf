"""Settings that do not change. A field that comes from one knob names it (``knob``), with its default and meaning."""
