"""Make the corpora that are shipped as files: prose and documents from docstrings, and digits.

``python -m benchmarks.corpora`` reads the packages that the extra ``dev`` pins, and writes
``tfcourse/data/shipped/`` and ``LICENSE-corpora``. Nobody else needs those packages.
"""
