"""From root to nobody: run a command without root's rights on files that only root can reach.

Run as a program with its plan as JSON in its only argument. Where root starts the grader, limits on
the number of processes would not hold and root's files would be the sandbox's own. So the jail
belongs to an ordinary user, who cannot read what lies in root's home, such as an environment made
there: those folders are first shown to that user elsewhere, in a mount namespace that ends with the
jail.
"""

from __future__ import annotations

import json
import os
import sys


def stage(folder: str, paths: list[str]) -> dict[str, str]:
    """Where each path can be reached in ``folder`` by anybody who is in this namespace."""
    from nbjudge.inside import linux

    linux.unshare(linux.CLONE_NEWNS)
    linux.mount("", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", folder, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=64k,mode=0755")
    found = {}
    for number, path in enumerate(paths):
        found[path] = f"{folder}/{number}"
        if os.path.isdir(path):
            os.mkdir(found[path])
        else:
            os.close(os.open(found[path], os.O_CREAT))
        linux.mount(path, found[path], flags=linux.MS_BIND | linux.MS_REC)
    return found


def main() -> None:
    """Show the paths, become the user, run the command."""
    plan = json.loads(sys.argv[1])
    sys.path.insert(0, plan["package"])
    try:
        found = stage(plan["stage"], plan["paths"])
    except PermissionError:  # a root without rights, in a container: the user's own must do
        found = {}
    os.setgroups([])
    os.setresgid(plan["gid"], plan["gid"], plan["gid"])
    os.setresuid(plan["uid"], plan["uid"], plan["uid"])
    os.execv(plan["command"][0], [_replaced(argument, found) for argument in plan["command"]])


def _replaced(argument: str, found: dict[str, str]) -> str:
    """The source of a mount is written ``from:PATH``."""
    path = argument.removeprefix("from:")
    return argument if path == argument else found.get(path, path)


if __name__ == "__main__":
    main()
