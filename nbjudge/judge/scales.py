"""The process in which :mod:`.weighing` has the tests of a notebook run."""

from __future__ import annotations

import os
import sys

from nbjudge.inside.messages import from_json, to_json
from nbjudge.inside.values import torch
from nbjudge.judge.believed import Believed, ToWeigh
from nbjudge.judge.examiner import Examiner
from nbjudge.judge.limited import within

#: Seconds that all tests of a notebook may take.
SECONDS = 1800.0


def main() -> None:
    """Weigh the notebooks on the standard input, each in a copy of this process."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what cells put out is no reply
    if torch is not None:
        torch.set_num_threads(1)

    def tell(line: str) -> None:
        folder, steps = from_json(line, tuple[str, ToWeigh])
        os.chdir(folder)
        try:
            with within(SECONDS):
                outcome: dict[str, Believed] | str = Examiner().weigh(steps.cells, steps.learners)
        except TimeoutError:
            outcome = f"they take more than {SECONDS:.0f} s"
        except BaseException as error:
            outcome = f"{type(error).__name__}: {error}"
        print(to_json(outcome), file=out, flush=True)

    for line in sys.stdin:
        if not hasattr(os, "fork"):
            tell(line)
        elif not (child := os.fork()):
            tell(line)
            os._exit(0)
        elif code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            print(to_json(f"they end Python with exit code {code}"), file=out, flush=True)


if __name__ == "__main__":
    main()
