#!/usr/bin/env python3
"""Estimates pi by throwing random points at a square."""

import argparse
import random

parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=10_000)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()

rng = random.Random(options.seed)
inside = sum(rng.random() ** 2 + rng.random() ** 2 < 1 for _ in range(options.points))
print(f"seed {options.seed}: pi is about {4 * inside / options.points:.4f}")
