"""nbgrader's settings for a small course about sorting."""

c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.course_id = "sorting"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks/assignments"

c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Your code goes here.")',
}
