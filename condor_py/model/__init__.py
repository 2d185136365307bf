"""Types that every package shares: identifiers, states, codes, plans and reports. Imports nothing above it."""
