"""All that a learner's process can see of the judge, and nothing else: the trust boundary.

The jail around learners' code shows this folder alone, so that nothing here may import what lies
beside it, and nothing that is here is a secret. What comes out of it is not believed: learners'
code can change all of it in its own process.
"""
