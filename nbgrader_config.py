"""nbgrader's settings: its own commands (formgrader too) work from this folder."""

c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.course_id = "attention-to-transformers"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks/assignments"
# Known answers, and what tests accept, are for the course's own tests; no learner gets them.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "*.py", "accepts.json"]

c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Your code goes here.")',
}
