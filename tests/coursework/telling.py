"""What a check says of a result that one of the known mistakes gave."""

import pytest

from nbjudge.testing import close


def told_of_other_mistakes(found, right, names="The result"):
    """Message → what was said of it instead, where it is not the message itself."""
    parts = right if isinstance(right, tuple) else (right,)
    seen = {}
    for message, wrong in found.items():
        wrong = wrong if isinstance(wrong, tuple) else (wrong,)
        got = tuple(r if w is None else w for w, r in zip(wrong, parts, strict=True))
        with pytest.raises(AssertionError) as caught:
            close(got if isinstance(right, tuple) else got[0], right, names, mistakes=found)
        if str(caught.value) != message:
            seen[message] = str(caught.value)
    return seen
