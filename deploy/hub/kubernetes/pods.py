"""How the hub's pods differ from person to person; the chart's hub reads it as configuration.

Each person has a number of their own on the exchange's volume, as accounts have on one machine, so
that nbgrader's permissions keep learners from each other's work there.
"""

import os

INSTRUCTORS = os.environ["COURSE_INSTRUCTORS"].split()
INSTRUCTORS_IMAGE = os.environ["COURSE_INSTRUCTORS_IMAGE"]

#: Where the images hold the course, and their settings of Jupyter and nbgrader.
COURSE = "/home/grader/course"
SETTINGS = f"{COURSE}/deploy/hub"

#: Above the numbers of the accounts that the images have.
FIRST_NUMBER = 100_000

#: The group `users`, to which the chart gives people's volumes.
GROUP = 100


def prepare(spawner):
    """Instructors get the image with the solutions; a learner's files are the learner's alone."""
    instructor = spawner.user.name in INSTRUCTORS
    spawner.uid, spawner.gid = FIRST_NUMBER + spawner.user.id, GROUP
    settings = [f"{SETTINGS}/everyone"]
    spawner.environment |= {
        "HOME": "/home/jovyan",
        "USER": spawner.user.name,  # the number has no account in the image
        "LOGNAME": spawner.user.name,
    }
    if instructor:
        spawner.image = INSTRUCTORS_IMAGE
        spawner.extra_labels = {**spawner.extra_labels, "course/role": "instructor"}
        # The clone is made once; it stays in her home.
        first = f"test -d ~/course || git clone --quiet file://{COURSE} ~/course; cd ~/course"
        server = [f"{COURSE}/.venv/bin/python", "-m", "jupyterhub.singleuser"]
        spawner.environment |= {
            "DASK_GATEWAY__ADDRESS": "http://traefik-gateway-dask-gateway",
            "DASK_GATEWAY__AUTH__TYPE": "jupyterhub",
            # The image's clone belongs to another number: git is told that this is meant.
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
    else:
        first = "umask 077"  # what a learner writes, nbgrader's copies included
        server = [f"{COURSE}/.venv/bin/tfcourse", "lab", "--into", "~/work"]
        settings.append(f"{SETTINGS}/learners")
        spawner.environment["NBJUDGE_COURSE"] = COURSE
        spawner.default_url = "/lab/tree/start-here.md"
    spawner.cmd = ["sh", "-c", f'{first} && exec "$@"', "sh", *server]
    spawner.environment["JUPYTER_CONFIG_PATH"] = ":".join(settings)


# The chart runs this file inside its own configuration, where `get_config` is another function.
c.Spawner.pre_spawn_hook = prepare
