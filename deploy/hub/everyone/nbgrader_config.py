"""nbgrader's settings for everyone on the hub."""

import os

c = get_config()  # noqa: F821 - nbgrader defines it
c.Exchange.root = os.environ["COURSE_EXCHANGE"]
