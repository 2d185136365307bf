#!/usr/bin/env python3
"""Takes so many MB of memory, and keeps them for two seconds."""

import sys
import time

memory = bytearray(int(sys.argv[1]) << 20)
time.sleep(2)
print(len(memory) >> 20, "MB")
