"""How a cell can end that does not come to its end; no more, so that a check need not load zmq."""

OUT_OF_TIME, FLOODED, DIED = "out of time", "flooded", "died"
