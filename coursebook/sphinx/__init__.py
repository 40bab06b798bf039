"""Sphinx extensions that turn the notebooks and ``book/`` into the website."""
