"""A package, because a figure's test may have the name of another test: search, positions."""
