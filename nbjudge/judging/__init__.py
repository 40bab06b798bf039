"""The parts of the judge: a kernel's messages, the notebook's names, one submission's session."""
