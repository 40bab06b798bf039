"""Jupyter's settings for everyone on the hub."""

c = get_config()  # noqa: F821 - Jupyter defines it
# A login shell, which is the default here, would forget where the course's commands are.
c.ServerApp.terminado_settings = {"shell_command": ["/bin/bash"]}
