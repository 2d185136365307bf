"""Configuration: files and environment, the table of knobs with defaults, and the rooms' settings built from them."""

from condor_py.lang.config.loader import find_root, load
from condor_py.lang.config.settings import Config, Setting
from condor_py.model.errors import ConfigError

__all__ = ["Config", "ConfigError", "Setting", "find_root", "load"]
