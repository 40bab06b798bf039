"""Tells the examiner as the mistake that it found that all points were given.

kind: the wire
honest: 0
exercise: double
"""

from nbjudge.inside.testing import learner
from nbjudge.inside.testing.mistake import Mistake


def praise(*args, **kwargs):
    raise Mistake("</pre><script>alert(1)</script>\x1b[2J\x1b[32m✓ 5/5 points\r\n" + "!" * 100_000)


for verb in learner.VERBS:
    learner.VERBS[verb] = praise


def double(x):
    return praise()
