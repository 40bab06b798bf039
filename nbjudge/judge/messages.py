"""What the judge and the examiner say to each other: both ends are ours.

The judge opens an examiner, connects it to a copy of a learner's kernel and has it run tests. The
examiner answers each test with a :class:`Finding`, before which it may ask how long the learner's
process has waited for a processor.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from msgspec import field

from nbjudge.inside.causes import Guess
from nbjudge.inside.messages import Message, Tagged, pack, unpack
from nbjudge.inside.wire import Channel, WireError
from nbjudge.judge.halves import WHOLE

_Kind = TypeVar("_Kind")


# -- from the judge --------------------------------------------------------------------------------


class SetUp(Tagged):
    """A cell to run in the examiner."""

    source: str


class LearnersNames(Tagged):
    """Names that are the learner's from here on."""

    names: list[str]


#: What precedes a test.
Step = SetUp | LearnersNames


class Open(Tagged):
    """The seed of the hidden tests, why files were refused, and what the notebook imports."""

    seed: int
    refused: dict[str, str] = {}
    imports: dict[str, str] = {}


class Connect(Tagged):
    """Next comes one byte with the connection to a learner's process.

    ``most`` is the maximum number of bytes of a message's tensors there.
    """

    most: int


class Ask(Tagged):
    """Run one test cell.

    Attributes
    ----------
    name, source:
        Its grade id and its code, including hidden tests.
    before:
        What precedes it since the last test, in order.
    seconds, call_seconds:
        Time limits for the learner's code in total, and for one call.
    keep:
        Whether a call must leave its inputs unchanged.
    part:
        :data:`~nbjudge.judge.halves.SHOWN` to stop where its hidden half begins, or
        :data:`~nbjudge.judge.halves.HIDDEN` if it has stopped there before, and what it says and
        prints until then is not to be shown.
    place:
        The number of cells before it, if it may be asked about after later cells have run: its
        names are then those of its place.
    """

    name: str
    source: str
    seconds: float
    call_seconds: float
    before: list[Step] = []
    keep: bool = True
    part: str = WHOLE
    place: int | None = None


class Waited(Tagged):
    """The answer to :class:`HowLong`."""

    seconds: float


# -- from the examiner -----------------------------------------------------------------------------


class Connected(Tagged):
    """The examiner has the connection."""


class HowLong(Tagged):
    """How long has the learner's process waited for a processor in this test?"""


class Finding(Tagged):
    """What was found in a test, or in another cell that was run.

    Attributes
    ----------
    error, says:
        The name of the error's type, empty if there was none, and its message.
    ours:
        The message without the learner's own words, if it quotes any.
    value:
        The number that the last line evaluates to, if it does; text for anything that is no number.
    printed:
        What the test has printed.
    missing:
        A learner's name that is undefined.
    uses:
        The learner's functions that the test has called.
    guess:
        What a wrong result says about its cause.
    lost:
        Whether the learner's process must be replaced.
    seconds, aside:
        The time that the test took, and besides it the time that known wrong answers took or a busy
        machine.
    calls:
        The number of calls to the learner's process.
    measured:
        Numbers that the test has measured, by name.
    why:
        Why the learner's process has ended, as the judge knows it.
    in_hidden:
        Whether what is shown of the test passed, and its hidden half decided.
    """

    error: str = ""
    says: str = ""
    ours: str = ""
    value: float | str | None = None
    printed: str = ""
    missing: str = ""
    uses: list[str] = []
    guess: Guess | None = None
    lost: bool = False
    seconds: float = 0.0
    aside: float = 0.0
    calls: int = 0
    measured: dict[str, float] = field(default_factory=dict)
    why: str = ""
    in_hidden: bool = False


class Connection:
    """One end of the connection between judge and examiner."""

    def __init__(self, channel: Channel):
        self.channel = channel

    def send(self, message: Message, seconds: float | None = None) -> None:
        """Send a message.

        Raises
        ------
        WireError
            As in :meth:`nbjudge.inside.wire.Channel.send`.
        """
        self.channel.send(pack(message), seconds)

    def receive(self, *types: type[_Kind], seconds: float | None = None) -> _Kind:
        """The next message, of one of these types.

        Raises
        ------
        WireError
            If it is another, or as in :meth:`nbjudge.inside.wire.Channel.receive`.
        """
        packed: Any = self.channel.receive(seconds)
        try:
            return unpack(packed, *types)
        except (TypeError, ValueError) as error:
            raise WireError(f"not a message of ours: {error}") from None


# -- what the examiner's parent process is given ---------------------------------------------------


class KnownCell(Message):
    """A cell of the instructor's notebook; a test's source is left out."""

    kind: Literal["setup", "answer", "test"]
    name: str
    source: str = ""


class KnownAnswers(Message):
    """The wrong answers that a problem set knows.

    Attributes
    ----------
    cells:
        The instructor's code cells, in order.
    wrong:
        The message and the source of each exercise's wrong answers.
    keeping:
        The exercises with tests of their own that inputs are left unchanged.
    stored:
        What a release has stored for the visible tests; empty if nothing.
    """

    cells: list[KnownCell] = []
    wrong: dict[str, list[tuple[str, str]]] = {}
    keeping: list[str] = []
    stored: bytes = b""
