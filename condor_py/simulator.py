"""``python -m condor_py.simulator SCENARIO.toml`` runs a scenario in virtual time."""

from condor_py.simulate.__main__ import main

if __name__ == "__main__":
    main()
