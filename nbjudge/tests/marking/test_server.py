"""The marking page over real HTTP, on a real gradebook, and in a real browser."""

import asyncio
import getpass
import re
import signal
import socket
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest
import small_set
from tornado.httpclient import AsyncHTTPClient
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from nbjudge.marking import server

pytestmark = pytest.mark.thorough("test of the marking page")

QUESTION = f"{small_set.NAME}/explain--written"


def ids(page):
    """The learners' ids on the page, by name."""
    asked = page.client.get("question", question=QUESTION).content
    return {one["name"]: one["student"] for one in asked["learners"]}


def answer(page, name):
    return page.client.get("answer", question=QUESTION, student=ids(page)[name]).content


def mark(page, name, items, seen=None, **more):
    content = {"question": QUESTION, "student": ids(page)[name], "items": items, "adjustment": 0}
    seen = seen or answer(page, name)["seen"]
    return page.client.post("mark", **{**content, "comment": "", "seen": seen, **more})


def in_gradebook(page, name):
    with small_set.book_of(page.into) as book:
        where = "explain--written", small_set.NAME, small_set.NAME, name
        grade, comment = book.find_grade(*where), book.find_comment(*where)
        return grade.manual_score, comment.manual_comment, grade.needs_manual_grade


def test_the_command_says_its_address_and_what_it_could_not_read(page):
    assert page.output[0] == (
        "requests.csv, line 3: there is no work of a learner called 'zoe' in the gradebook."
    )
    assert page.output[1].startswith(f"Marking as {getpass.getuser()}.")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", page.address)


def test_nobody_gets_in_without_the_token_or_from_elsewhere(page):
    where = urllib.parse.urlsplit(page.address)
    for path in ("/", "/questions", "/x/questions", f"{where.path[:-2]}/questions"):
        assert page.client.get(path).status == 404
    own = socket.gethostbyname(socket.gethostname())
    if not own.startswith("127."):
        with socket.socket() as other:
            assert other.connect_ex((own, where.port)) != 0, "it listens on this machine only"
    # Another site's name that leads to this machine is not answered.
    with socket.create_connection((where.hostname, where.port)) as raw:
        raw.sendall(f"GET {where.path} HTTP/1.0\r\nHost: evil.example\r\n\r\n".encode())
        assert b" 404 " in raw.recv(1000).split(b"\r\n")[0]


def test_the_page_allows_scripts_only_of_its_own(page):
    shell = page.client.get()
    assert shell.status == 200 and shell.headers["Referrer-Policy"] == "no-referrer"
    policy = shell.headers["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'self';" in policy and "form-action 'none'" in policy
    assert not re.search(r"<script(?![^>]*src=)", shell.content["text"])
    assert page.client.get("mathjax/tex-chtml.js").status == 200
    assert "pip install" not in shell.content["text"]
    assert page.client.get("files/../command.py").status in (403, 404)


def test_without_mathjax_the_page_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(server, "folder_of", lambda package: None)

    async def shell():
        sockets = bind_sockets(0, "127.0.0.1")
        serving = HTTPServer(server.make_app(None, "token"))
        serving.add_sockets(sockets)
        address = f"http://127.0.0.1:{sockets[0].getsockname()[1]}/token/"
        return await AsyncHTTPClient().fetch(address)

    # In a thread of its own, since another test's browser may keep a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        html = thread.submit(asyncio.run, shell()).result().body.decode()
    assert "since MathJax is not installed: pip install --no-deps sphinx-mathjax-offline" in html


def test_the_question_comes_with_its_mark_scheme_and_the_learners(page):
    asked = page.client.get("question", question=QUESTION).content
    assert [item["points"] for item in asked["items"]] == [1, 1, 1]
    assert asked["items"][0]["html"].strip() == r"<p>Says that $x^2 \geq 0$.</p>"
    assert "half a point" in asked["remarks"] and "product of two numbers" in asked["model"]
    standings = {one["name"]: one["standing"] for one in asked["learners"]}
    assert standings["nil"] == "nothing" and standings["eve"] == "open"
    assert asked["requests"][0]["text"] == "Why not 3 points?"
    assert not set(ids(page).values()) & set(standings), "addresses hold no names"


def test_a_mark_goes_into_the_gradebook_and_the_record(page):
    given = mark(page, "ada", {"1": 1, "3": 0.5}, adjustment=0.25, comment="See *page 2*.")
    assert given.status == 200 and given.content["marked"] >= 1
    assert given.content["answer"]["by"] == getpass.getuser()
    assert in_gradebook(page, "ada") == (1.75, "See *page 2*.", False)
    assert '"points": 1.75' in (page.into / "marks.jsonl").read_text().splitlines()[-1]
    back = mark(page, "ada", {}, withdraw=True)
    assert back.content["answer"]["standing"] == "open"
    assert in_gradebook(page, "ada") == (None, None, True)


def test_two_markers_do_not_overwrite_each_other_unasked(page):
    seen = answer(page, "ben")["seen"]
    assert mark(page, "ben", {"1": 1}, seen=seen, comment="first").status == 200
    second = mark(page, "ben", {}, seen=seen, comment="second")
    assert second.status == 409
    now = second.content["answer"]
    assert (now["points"], now["comment"], now["by"]) == (1, "first", getpass.getuser())
    assert in_gradebook(page, "ben")[:2] == (1, "first")
    assert mark(page, "ben", {"2": 1}, seen=now["seen"], comment="second").status == 200
    # The formgrader is another marker.
    seen = answer(page, "ben")["seen"]
    with small_set.book_of(page.into) as book:
        grade = book.find_grade("explain--written", small_set.NAME, small_set.NAME, "ben")
        grade.manual_score = 3
        book.db.commit()
    late = mark(page, "ben", {"1": 1}, seen=seen)
    assert late.status == 409 and late.content["answer"]["points"] == 3
    assert (late.content["answer"]["items"], late.content["answer"]["adjustment"]) == ({}, 3)


def test_an_item_s_points_change_every_mark_that_used_it(page):
    mark(page, "ada", {"1": 1, "2": 0.5})
    mark(page, "eve", {"2": 1})
    mark(page, "ben", {"1": 1})
    edit = {"question": QUESTION, "number": 2, "text": "Says so for $x < 0$.", "points": 2}
    edited = page.client.post("item", **edit).content
    assert edited["changed"] == 2
    assert [in_gradebook(page, who)[0] for who in ("ada", "eve", "ben")] == [2, 2, 1]
    added = page.client.post("item", question=QUESTION, number=0, text="No units", points=-0.5)
    assert added.content["items"][-1]["number"] == 4 and added.content["changed"] == 0
    mark(page, "ada", {"1": 1, "2": 0.5, "4": 1})
    assert in_gradebook(page, "ada")[0] == 1.5
    page.client.post("item", **{**edit, "points": 1})
    assert [in_gradebook(page, who)[0] for who in ("ada", "eve", "ben")] == [1, 1, 1]


def test_deleting_an_item_changes_the_marks_given_with_it_and_can_be_undone(page):
    for name, items in (("ada", {"1": 1, "2": 0.5}), ("eve", {"2": 1}), ("ben", {"1": 1})):
        mark(page, name, items)
    item = {"question": QUESTION, "number": 2}
    asked = page.client.get("question", question=QUESTION).content
    assert [one["used"] for one in asked["items"][:3]] == [2, 2, 0]
    # Somebody marked with it since the page was loaded: the marker is asked again.
    unseen = page.client.post("delete", **item, used=1)
    assert (unseen.status, unseen.content["changed"]) == (409, 2) and not unseen.content["deleted"]
    done = page.client.post("delete", **item, used=2).content
    assert 2 not in [one["number"] for one in done["items"]]
    assert [(one["number"], one["deleted"]) for one in done["deleted"]] == [(2, getpass.getuser())]
    assert done["adds_up"] == 2
    assert [in_gradebook(page, who)[0] for who in ("ada", "eve", "ben")] == [1, 0, 1]
    assert '"points": 0.0' in (page.into / "marks.jsonl").read_text().splitlines()[-1]
    late = mark(page, "ben", {"1": 1, "2": 1})
    assert (late.status, late.content["error"]) == (
        409,
        f"Item 2 was deleted by {getpass.getuser()}.",
    )
    assert in_gradebook(page, "ben")[0] == 1
    for path in ("delete", "item"):
        refused = page.client.post(path, **item, used=0, text="x", points=1)
        assert refused.status == 404
    assert page.client.post("bring-back", **item).content["changed"] == 2
    assert [in_gradebook(page, who)[0] for who in ("ada", "eve", "ben")] == [1.5, 1, 1]


@pytest.mark.parametrize(
    ("path", "message", "status"),
    [
        ("mark", {"items": {"9": 1}}, 400),
        ("mark", {"items": {"1": 7}}, 400),
        ("mark", {"items": []}, 400),
        ("mark", {"items": {}, "adjustment": "1"}, 400),
        ("mark", {"items": {}, "comment": "x" * 30_000}, 400),
        ("mark", {"items": {}, "student": "nobody"}, 404),
        ("item", {"number": 9, "text": "x", "points": 1}, 404),
        ("item", {"number": 0, "text": " ", "points": 1}, 400),
        ("delete", {"number": 0, "used": 0}, 404),
        ("delete", {"number": [1], "used": 0}, 404),
        ("bring-back", {"number": 1}, 404),
        ("item", {"number": 0, "text": "x", "points": None}, 400),
        ("ask", {"exercise": "sing", "text": "x"}, 400),
        ("ask", {"exercise": "explain", "text": " "}, 400),
        ("reply", {"id": 99, "answer": "x"}, 404),
        ("reply", {"question": ["x"], "id": 1, "answer": "x"}, 404),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(page, path, message, status):
    given = {"question": QUESTION, "student": ids(page)["ada"], "seen": "", **message}
    answer = page.client.post(path, **given)
    assert answer.status == status and answer.content["error"]


def test_a_form_of_another_site_changes_nothing(page):
    assert page.client.post("item", {}, kind="text/plain").status == 415
    assert page.client.post("item", []).status == 400


def test_what_a_learner_wrote_is_only_words_and_formulas(page):
    html = answer(page, "eve")["html"]
    assert set(re.findall(r"<(\w+)", html)) <= {"p", "em", "strong"}
    assert not re.search(r"<[^>]*=", html), "no attributes"
    assert "\\href" not in html and "\\require" not in html
    assert r"$$\sqrt{x^2} = |x|$$" in answer(page, "ada")["html"]
    whole = page.client.get("page", question=QUESTION, student=ids(page)["eve"])
    assert whole.headers["Content-Security-Policy"].endswith("sandbox")
    assert "It is never negative." in whole.content["text"]


def opened(chromium, page, **settings):
    context = chromium.new_context(**settings)
    tab = context.new_page()
    tab.problems, tab.asked = [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.on("console", lambda m: m.type == "error" and tab.problems.append(m.text))
    tab.goto(page.address)
    tab.wait_for_selector("#answer p")
    return tab


def test_marking_by_keys_with_formulas_shown_and_no_network(page, chromium):
    for name in ("ada", "ben", "eve"):
        mark(page, name, {}, withdraw=True)
    tab = opened(chromium, page)
    tab.wait_for_selector("#answer mjx-container[display=true] mjx-msqrt")
    tab.wait_for_selector("#items li >> nth=0 >> mjx-container")
    assert tab.locator("#progress").inner_text() == "0 of 3 marked"
    tab.keyboard.press("1")
    tab.keyboard.press("Shift+2")
    assert tab.locator("#total").inner_text() == "1.5 of 3"
    tab.keyboard.press("3")
    tab.keyboard.press("3")
    assert tab.locator("#item-1").is_checked() and tab.locator("#half-2").is_checked()
    tab.keyboard.press("c")
    tab.keyboard.type("n3w: 1 more $x$")
    tab.keyboard.press("Escape")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#answer >> text=It is positive.")
    assert tab.locator("#progress").inner_text() == "1 of 3 marked"
    assert in_gradebook(page, "ada") == (1.5, "n3w: 1 more $x$", False)
    tab.keyboard.press("p")
    tab.wait_for_selector("#standing >> text=Marked by")
    # Somebody else marks meanwhile.
    mark(page, "ada", {"3": 1}, comment="theirs")
    tab.keyboard.press("2")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#conflict:visible")
    assert "1 point, with the comment: theirs" in tab.locator("#conflict-text").inner_text()
    assert in_gradebook(page, "ada")[0] == 1
    tab.click("#mine")
    tab.wait_for_selector("#conflict", state="hidden")
    assert in_gradebook(page, "ada")[0] == 2
    # Names can be hidden; what the hostile learner wrote does nothing.
    tab.keyboard.press("h")
    shown = f"{tab.title()} {tab.inner_text('body')}"
    assert not re.findall(r"\b(?:ada|ben|eve|nil)\b", shown)
    tab.keyboard.press("h")
    tab.select_option("#learners", ids(page)["eve"])
    tab.wait_for_selector("#answer >> text=It is never negative.")
    assert tab.title().startswith("eve") and tab.locator("#answer a, #answer img").count() == 0
    assert [text for text in tab.problems if "409" not in text] == [], "the conflict is expected"
    assert all(url.startswith((page.address, "data:")) for url in tab.asked)


def test_an_item_is_deleted_on_the_page_after_a_question(page, chromium):
    mark(page, "ben", {"1": 1, "3": 1})
    tab = opened(chromium, page)
    tab.select_option("#learners", ids(page)["ben"])
    tab.wait_for_selector("#answer >> text=It is positive.")
    tab.click("[aria-label='Delete item 3']")
    warning = tab.locator(".delete").inner_text()
    assert "1 mark was given with it. The points will be computed without it." in warning
    tab.click(".delete >> text=Keep")
    assert in_gradebook(page, "ben")[0] == 2 and tab.locator("#item-3").is_checked()
    tab.click("[aria-label='Delete item 3']")
    tab.click(".delete >> text=Delete for all learners")
    tab.wait_for_selector("#status >> text=1 mark has changed with the item.")
    assert in_gradebook(page, "ben")[0] == 1 and tab.locator("#item-3").count() == 0
    assert "add up to 2 points" in tab.locator("#scheme-note").inner_text()
    tab.click("#deleted summary")
    tab.click("[aria-label='Bring back item 3']")
    tab.wait_for_selector("#item-3:checked")
    assert in_gradebook(page, "ben")[0] == 2 and not tab.locator("#deleted").is_visible()
    assert tab.problems == []


def test_it_fits_a_narrow_screen_and_a_dark_one(page, chromium):
    tab = opened(chromium, page, viewport={"width": 360, "height": 740}, color_scheme="dark")
    assert tab.evaluate("document.documentElement.scrollWidth <= 360")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 30)"


def test_ctrl_c_ends_it_with_a_word_on_what_comes_next(page):
    """The last test of this page."""
    page.program.send_signal(signal.SIGINT)
    assert "Run `grade`" in page.program.stdout.read()
    assert page.program.wait() == 0
