"""The gridmanager: jobs of the grid universe that other systems run. Pure: events in, actions out."""
