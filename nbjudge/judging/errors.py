"""What a test that comes to no result ends with, as an error's name; no more, and loads nothing."""

#: The learner's process took too long, has ended, or answered what is no answer.
OUT_OF_TIME, GONE, GARBLED = "OutOfTime", "KernelDied", "Garbled"

#: The test cell itself is at fault.
FAULTY = "FaultyTest"
