"""The table of commands: it says of each what its own module says, and loads none of them."""

import inspect
import subprocess
import sys

import pytest

from nbjudge import commands


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_the_help_page_says_what_the_command_itself_says(name):
    summary = inspect.getdoc(commands.function(name)).partition("\n\n")[0]
    assert commands.COMMANDS[name][1] == summary


def test_a_list_of_commands_loads_none():
    modules = sorted({module for module, _ in commands.COMMANDS.values()})
    asked = (
        "import sys, typer.testing, nbjudge.__main__ as main\n"
        "done = typer.testing.CliRunner().invoke(main.app, ['--help'])\n"
        f"print(done.exit_code, [name for name in {modules} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "0 []\n"
