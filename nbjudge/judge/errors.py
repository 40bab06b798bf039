"""Names of the errors that leave a test without a result. Importing this loads nothing else."""

#: The learner's process took too long, ended, or sent something that is not an answer.
OUT_OF_TIME, GONE, GARBLED = "OutOfTime", "KernelDied", "Garbled"

#: The test cell itself is at fault.
FAULTY = "FaultyTest"
