"""``python -m coursebook``: what a maintainer types in a clone of the course."""

from coursebook.new.commands import app

if __name__ == "__main__":
    app(prog_name="python -m coursebook")
