"""The pages are readable on light and dark screens, and wide tables scroll by themselves."""

import re

import pytest

from nbjudge.report.pages import TEMPLATES, feedback_links, page, share

HEAD = page("head.html.j2", title="a title")
LIGHT, DARK = HEAD.split("@media screen and (prefers-color-scheme: dark)")

#: What WCAG asks of text.
ENOUGH = 4.5


def luminance(colour):
    digits = colour.lstrip("#")
    digits = "".join(2 * one for one in digits) if len(digits) == 3 else digits[:6]
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("style", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(style):
    colours = dict(re.findall(r"--(\w+): (#\w+)", style))
    for front in ("text", "link"):
        for behind in ("page", "soft", "warm", "wrong"):
            assert contrast(colours[front], colours[behind]) >= ENOUGH, (front, behind)
    behind = re.search(r"\.highlight \{ background: (#\w+)", style)[1]
    code = re.findall(r"\.highlight \.(\w+) \{ color: (#\w+)", style)
    assert len(code) > 20
    assert all(contrast(colour, behind) >= ENOUGH for _, colour in code)


def test_a_dark_page_leaves_no_colour_of_the_light_one():
    def names(style):
        return set(re.findall(r"(--\w+):|(\.highlight \.\w+) \{ color", style))

    assert names(LIGHT) == names(DARK)


def test_wide_tables_scroll_in_a_box_that_the_keyboard_reaches():
    for name in ("term.html.j2", "items.html.j2", "learners.html.j2"):
        text = (TEMPLATES / name).read_text("utf-8")
        boxes = re.findall(r'<div class="scrolls" tabindex="0" role="region" aria-label', text)
        assert len(boxes) == text.count("<table") > 0, name


def test_links_to_pages_are_quoted(tmp_path):
    folder = tmp_path / "feedback" / "a#b c?" / "ps"
    folder.mkdir(parents=True)
    (folder / "one.html").touch()
    (folder / "timestamp.txt").touch()
    assert feedback_links(tmp_path, "a#b c?", "ps") == {
        "one": "../feedback/a%23b%20c%3F/ps/one.html"
    }
    assert feedback_links(tmp_path, "nobody", "ps") == {}


def test_shares():
    assert (share(None), share(0.254)) == ("–", "25 %")
