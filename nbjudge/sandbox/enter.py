"""Drops root's privileges, but keeps files readable that only root can reach; runs a command.

It is run as a program with its plan as JSON in its only argument. If root ran the jail, limits on
the number of processes would not hold, and the sandbox would own root's files. So the jail belongs
to an ordinary user, who cannot read what is in root's home, such as an environment created there.
Those folders are first bind-mounted elsewhere for that user, in a mount namespace that ends with
the jail.
"""

from __future__ import annotations

import json
import os
import sys


def stage(folder: str, paths: list[str]) -> dict[str, str]:
    """Mount each path in ``folder`` for every user in this namespace; return path → mount point."""
    from nbjudge.inside import linux

    linux.unshare(linux.CLONE_NEWNS)
    linux.mount("", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", folder, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=64k,mode=0755")
    staged = {}
    for number, path in enumerate(paths):
        staged[path] = f"{folder}/{number}"
        if os.path.isdir(path):
            os.mkdir(staged[path])
        else:
            os.close(os.open(staged[path], os.O_CREAT))
        linux.mount(path, staged[path], flags=linux.MS_BIND | linux.MS_REC)
    return staged


def main() -> None:
    """Mount the paths, become the user, run the command."""
    plan = json.loads(sys.argv[1])
    sys.path.insert(0, plan["package"])
    try:
        staged = stage(plan["stage"], plan["paths"])
    except PermissionError:  # root without capabilities, in a container: do without
        staged = {}
    os.setgroups([])
    os.setresgid(plan["gid"], plan["gid"], plan["gid"])
    os.setresuid(plan["uid"], plan["uid"], plan["uid"])
    os.execv(plan["command"][0], [_replaced(argument, staged) for argument in plan["command"]])


def _replaced(argument: str, staged: dict[str, str]) -> str:
    """Replace ``from:PATH``, the source of a mount, by where it was mounted."""
    path = argument.removeprefix("from:")
    return argument if path == argument else staged.get(path, path)


if __name__ == "__main__":
    main()
