"""Loads what a worker needs, in the process that workers are forked from."""

from tfcourse.grading.workers import loading

with loading():
    import distributed  # noqa: F401

    import tfcourse.grading.cluster
    import tfcourse.grading.handling
    import tfcourse.grading.judging.course  # noqa: F401
