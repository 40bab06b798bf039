"""nbgrader's settings for learners on the hub: the course's own, and where their work lies."""

import os
from pathlib import Path

c = get_config()  # noqa: F821 - nbgrader defines it
load_subconfig(  # noqa: F821 - nbgrader defines it
    "nbgrader_config.py", path=os.environ["NBJUDGE_COURSE"]
)
# nbgrader takes a relative folder from wherever its server was started.
c.Exchange.assignment_dir = str(Path.home() / "work" / "assignments")
# Where the hub's users share one account, nbgrader would give all work that account's name.
c.CourseDirectory.student_id = os.environ["JUPYTERHUB_USER"]
