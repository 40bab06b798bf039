"""The trust boundary: everything of the judge that a learner's process can see, and nothing else.

The jail around learners' code shows only this folder, so nothing here may import what is outside
it, and nothing here is a secret. What comes out of it is not trusted: learners' code can change
all of it in its own process.
"""
