"""The hub as `make hub` starts it, to try it out: without root, with three people and one password.

All of them run as the account that started it, so that nothing keeps one from another's files.
"""

import os
import secrets
from pathlib import Path

c = get_config()  # noqa: F821 - JupyterHub defines it
load_subconfig(  # noqa: F821 - JupyterHub defines it
    "jupyterhub_config.py", path=str(Path(__file__).resolve().parent)
)

PEOPLE = ("ada", "ben", "teacher")
PASSWORD = secrets.token_urlsafe(9)

c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = PASSWORD
c.Authenticator.allow_all = False
c.Authenticator.allowed_users = set(PEOPLE)
c.JupyterHub.spawner_class = "simple"
home = Path(os.environ["COURSE_HUB"]).resolve() / "users"
c.SimpleLocalProcessSpawner.home_dir_template = f"{home}/{{username}}"
if os.getuid() == 0:  # Jupyter asks whether root is meant
    c.Spawner.args = ["--allow-root"]
c.JupyterHub.log_level = "WARN"

print(f"Log in as {', '.join(PEOPLE)} with the password {PASSWORD}", flush=True)
