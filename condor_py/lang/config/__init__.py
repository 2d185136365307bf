"""Configuration: files and environment, the table of knobs, and the settings of daemons and tools made from them."""

from condor_py.lang.config.loader import find_root, load
from condor_py.lang.config.settings import Config, Setting
from condor_py.model.errors import ConfigError

__all__ = ["Config", "ConfigError", "Setting", "find_root", "load"]
