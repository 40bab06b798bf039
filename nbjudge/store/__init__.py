"""Where results are kept: the folder of graded work, the gradebook and the ledger."""
