"""nbgrader's settings for the courses that tests make of a problem set or two."""

c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.course_id = "small-course"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks/assignments"
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "*.py", "accepts.json"]

c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Your code goes here.")',
}
