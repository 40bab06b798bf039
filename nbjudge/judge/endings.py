"""How a cell can end prematurely; separate from the rest so that a check need not load zmq."""

OUT_OF_TIME, FLOODED, DIED, FAILED = "out of time", "flooded", "died", "failed"
