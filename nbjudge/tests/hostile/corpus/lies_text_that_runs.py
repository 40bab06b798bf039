"""Errors whose text is code, colour, HTML and a file of its own when it is printed.

kind: objects that lie
honest: 0
exercise: double
"""


class Said(Exception):
    def __str__(self):
        print("<script>alert('printed')</script>")
        return "\x1b]0;title\x07<img src=x onerror=alert(1)>{{ 7 * 7 }}%s \u202e5/5 points"

    __repr__ = __str__

    def _render_traceback_(self):
        return ["<script>alert('traceback')</script>" * 1000]


Said.__name__ = Said.__qualname__ = "<svg/onload=alert(2)>"
Said.__module__ = "javascript:alert(3)"


def double(x):
    raise Said


raise Said
