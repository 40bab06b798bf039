"""What a test cell's check or verb says of a mistake."""

import pytest

from nbjudge.testing import Mistake


def message_of(function, *args, **kwargs):
    """The message of the Mistake that a call raises."""
    with pytest.raises(Mistake) as caught:
        function(*args, **kwargs)
    return str(caught.value)
