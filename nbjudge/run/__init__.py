"""Grade a class: read, stage and judge each submission, and store the result."""
