"""Running one job at a time: sandbox, input, environment, process, output. Side effects only; decisions are made
elsewhere.
"""
