"""Serve the marking page on this machine only, at an address that holds a secret token."""

from __future__ import annotations

import hashlib
import hmac
import html
import json
import math
import secrets
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tornado import web

from nbjudge.inside.program import folder_of
from nbjudge.intake import cells
from nbjudge.marking.desk import (
    AGAIN,
    LONGEST,
    MARKED,
    OPEN,
    Answer,
    Conflict,
    Deleted,
    MarkingDesk,
    Question,
)
from nbjudge.marking.rubric import MarkersChoice, RegradeRequest
from nbjudge.report.pages import style
from nbjudge.report.rich import rich, source

#: The page's own files.
PAGE = Path(__file__).parent / "page"

#: Only requests to these names are answered, so that no other site's name can lead here.
HOSTS = r"(127\.0\.0\.1|localhost)"

#: Formulas get inline styles from MathJax; scripts come only from this server.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


#: How to get MathJax. Its package names Sphinx as a requirement, which is not needed here.
INSTALL = "pip install --no-deps sphinx-mathjax-offline"


def mathjax() -> Path | None:
    """The folder of the installed MathJax; ``None`` if it is not installed."""
    folder = folder_of("sphinx-mathjax-offline")
    return folder and folder / "static" / "mathjax"


def make_app(desk: MarkingDesk, token: str | None = None) -> web.Application:
    """The application; its page is at ``/TOKEN/``, and all other addresses give 404.

    Parameters
    ----------
    desk:
        The open desk.
    token:
        The secret in the address; drawn by default, and kept as ``settings["token"]``.
    """
    token = token or secrets.token_urlsafe(24)
    given = {"people": People(desk, token)}
    app = web.Application(token=token)
    here = f"/{token}"
    routes: list[Any] = [
        (f"{here}/", ShowPage),
        (f"{here}/style.css", Style),
        (f"{here}/files/(.*)", Files, {"path": str(PAGE)}),
        *((f"{here}/{name}", handler, given) for name, handler in HANDLERS.items()),
    ]
    if folder := mathjax():
        routes.append((f"{here}/mathjax/(.*)", Files, {"path": str(folder)}))
    app.add_handlers(HOSTS, routes)
    return app


class People:
    """The desk, with learners named by ids that say nothing: addresses show no names."""

    def __init__(self, desk: MarkingDesk, token: str):
        self.desk, self._key = desk, token.encode()
        self._students: dict[str, str] = {}

    def id(self, student: str) -> str:
        """The learner's id, the same while the server runs."""
        return hmac.new(self._key, student.encode(), hashlib.sha256).hexdigest()[:12]

    def student(self, given: Any) -> str:
        """The learner with this id."""
        if not isinstance(given, str):
            given = ""
        if given not in self._students:  # perhaps graded since
            self._students = {self.id(student): student for student in self.desk.students()}
        if given not in self._students:
            raise web.HTTPError(404, reason="No such learner")
        return self._students[given]

    def question(self, given: Any) -> Question:
        """The question with this id."""
        question = self.desk.questions.get(given) if isinstance(given, str) else None
        if question is None:
            raise web.HTTPError(404, reason="No such question")
        return question

    def described(self, question: Question, answer: Answer) -> dict[str, Any]:
        """An answer as the page gets it."""
        described = asdict(answer) | {"student": self.id(answer.student), "name": answer.student}
        described["html"] = self.desk.html(question, answer.student)
        return described

    def request(self, request: RegradeRequest) -> dict[str, Any]:
        """A regrade request as the page gets it."""
        return asdict(request) | {"student": self.id(request.student), "name": request.student}

    def overview(self, question: Question) -> dict[str, Any]:
        """What stands around the answers: the rubric, the learners, progress, requests."""
        desk = self.desk
        answers = desk.answers(question).values()
        items = [
            asdict(item)
            | {
                "html": rich(item.text),
                "used": sum(item.number in answer.items for answer in answers),
            }
            for item in desk.items(question)
        ]
        current = [item for item in items if not item["deleted"]]
        return {
            "items": current,
            "deleted": [item for item in items if item["deleted"]],
            "adds_up": sum(max(0.0, item["points"]) for item in current if not item["added"]),
            "learners": [
                {
                    "student": self.id(answer.student),
                    "name": answer.student,
                    "standing": answer.standing,
                    "points": answer.points,
                    "by": answer.by,
                }
                for answer in answers
            ],
            "marked": sum(a.standing == MARKED for a in answers),
            "open": sum(a.standing in (OPEN, AGAIN) for a in answers),
            "requests": [self.request(one) for one in desk.requests()],
        }


class AnyPage(web.RequestHandler):
    """What all answers have in common: headers, and errors as one line."""

    def set_default_headers(self) -> None:
        """Set the headers that keep the page closed."""
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def write_error(self, status_code: int, **more: Any) -> None:
        """Say what is wrong, without a traceback."""
        self.finish({"error": self._reason})


class ShowPage(AnyPage):
    """The page itself, which is the same for everybody."""

    def get(self) -> None:
        """Send it."""
        text = (PAGE / "mark.html").read_text(encoding="utf-8")
        if mathjax() is None:
            note = f"Formulas are shown as typed, since MathJax is not installed: {INSTALL}"
            text = text.replace("<!-- note -->", f'<p class="warning">{html.escape(note)}</p>')
        self.write(text)


class Style(AnyPage):
    """The style of highlighted code."""

    def get(self) -> None:
        """Send it."""
        self.set_header("Content-Type", "text/css; charset=utf-8")
        self.write(str(style()))


class Files(web.StaticFileHandler):
    """The page's scripts and styles, and MathJax."""

    def set_extra_headers(self, path: str) -> None:
        """Set the headers that keep the page closed."""
        for name, value in HEADERS.items():
            self.set_header(name, value)


class Handler(AnyPage):
    """A request from the page."""

    people: People

    def initialize(self, people: People) -> None:
        """Keep what it works on."""
        self.people, self.desk = people, people.desk

    def sent(self) -> dict[str, Any]:
        """The body of a request that changes something: JSON, which no form can send."""
        if self.request.headers.get("Content-Type", "").partition(";")[0] != "application/json":
            raise web.HTTPError(415, reason="The body must be JSON")
        try:
            body = json.loads(self.request.body)
        except ValueError:
            raise web.HTTPError(400, reason="The body is no JSON") from None
        if not isinstance(body, dict):
            raise web.HTTPError(400, reason="The body must be an object")
        return body

    def item(self, question: Question, given: Any, *, deleted: bool, new: bool = False) -> int:
        """The number of an item that is deleted or not; 0, a new one's, if ``new``."""
        numbers = {one.number for one in self.desk.items(question) if bool(one.deleted) == deleted}
        known = list(numbers | ({0} if new else set()))  # a list: what is given may have no hash
        if isinstance(given, bool) or given not in known:
            raise web.HTTPError(404, reason="No such item")
        return given

    def asked(self) -> tuple[Question, str]:
        """The question and the learner named in the address."""
        question = self.people.question(self.get_query_argument("question", ""))
        return question, self.people.student(self.get_query_argument("student", ""))


class Questions(Handler):
    """The questions, and who marks."""

    def get(self) -> None:
        """Send them."""
        desk = self.desk
        exercises = desk.exercises()
        self.write(
            {
                "problem_set": desk.problem_set,
                "marker": desk.marker,
                "exercises": exercises,
                "questions": [
                    {"id": one.id, "title": one.title, "most": one.most}
                    for one in desk.questions.values()
                ],
            }
        )


class OneQuestion(Handler):
    """A question with its mark scheme, its rubric and its learners."""

    def get(self) -> None:
        """Send it."""
        question = self.people.question(self.get_query_argument("question", ""))
        scheme = question.scheme
        self.write(
            {
                "id": question.id,
                "exercise": cells.exercise_of(question.cell),
                "title": question.title,
                "most": question.most,
                "html": rich(question.text),
                "remarks": rich(scheme.remarks),
                "model": rich(scheme.model) if question.prose else source(scheme.model),
                "agrees": question.agrees,
                **self.people.overview(question),
            }
        )


class OneAnswer(Handler):
    """One learner's answer."""

    def get(self) -> None:
        """Send it."""
        question, student = self.asked()
        try:
            answer = self.desk.answer(question, student)
        except KeyError:
            raise web.HTTPError(404, reason="No such answer") from None
        self.write(self.people.described(question, answer))


class Whole(Handler):
    """A learner's feedback page, with the whole notebook; its own rule allows no script."""

    def get(self) -> None:
        """Send it."""
        text = self.desk.page(*self.asked())
        self.set_header(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
        )
        self.write(text or "There is no feedback page.")


class SaveMark(Handler):
    """Saves a mark, unless it was changed meanwhile."""

    def post(self) -> None:
        """Save it; 409 with the answer as it is now if it was changed meanwhile."""
        sent = self.sent()
        question = self.people.question(sent.get("question"))
        student = self.people.student(sent.get("student"))
        choice = None
        if not sent.get("withdraw"):
            known = {item.number for item in self.desk.items(question)}
            choice = MarkersChoice(
                _items(sent.get("items"), known), _number(sent.get("adjustment", 0))
            )
        comment, seen = _text(sent.get("comment", "")), _text(sent.get("seen", ""))
        try:
            answer = self.desk.save(question, student, choice, comment, seen)
        except KeyError:
            raise web.HTTPError(404, reason="No such answer") from None
        except Conflict as error:
            self.set_status(409)
            answer = error.now
        except Deleted as error:
            self.set_status(409)
            self.write({"error": str(error), **self.people.overview(question)})
            return
        reply = {"answer": self.people.described(question, answer)}
        self.write(reply | self.people.overview(question))


class EditItem(Handler):
    """Changes or adds an item of the rubric."""

    def post(self) -> None:
        """Do it; the answer says how many marks have changed with it."""
        sent = self.sent()
        question = self.people.question(sent.get("question"))
        text, points = _text(sent.get("text", "")).strip(), _number(sent.get("points"))
        if not text:
            raise web.HTTPError(400, reason="The item's text is missing")
        number = self.item(question, sent.get("number", 0), deleted=False, new=True)
        changed = self.desk.edit(question, number, text, points)
        self.write({"changed": changed, **self.people.overview(question)})


class DeleteItem(Handler):
    """Deletes an item of the rubric, unless more or fewer marks use it than the marker knows."""

    def post(self) -> None:
        """Do it; 409 if ``used`` is not the number of marks given with the item."""
        sent = self.sent()
        question = self.people.question(sent.get("question"))
        number = self.item(question, sent.get("number"), deleted=False)
        used = self.desk.delete(question, number, sent.get("used"))
        if used != sent.get("used"):
            self.set_status(409)
        self.write({"changed": used, **self.people.overview(question)})


class BringBackItem(Handler):
    """Undoes the deletion of an item."""

    def post(self) -> None:
        """Do it; the answer says how many marks have changed with it."""
        sent = self.sent()
        question = self.people.question(sent.get("question"))
        number = self.item(question, sent.get("number"), deleted=True)
        changed = self.desk.bring_back(question, number)
        self.write({"changed": changed, **self.people.overview(question)})


class SaveRequest(Handler):
    """Puts a learner's regrade request on record."""

    def post(self) -> None:
        """Do it."""
        sent = self.sent()
        question = self.people.question(sent.get("question"))
        student = self.people.student(sent.get("student"))
        try:
            self.desk.ask(student, _text(sent.get("exercise", "")), _text(sent.get("text", "")))
        except ValueError as error:
            self.set_status(400)
            self.finish({"error": str(error)})
            return
        self.write(self.people.overview(question))


class Reply(Handler):
    """Answers a regrade request."""

    def post(self) -> None:
        """Do it."""
        sent = self.sent()
        question = self.people.question(sent.get("question"))
        if sent.get("id") not in {request.id for request in self.desk.requests()}:
            raise web.HTTPError(404, reason="No such request")
        self.desk.reply(sent["id"], _text(sent.get("answer", "")))
        self.write(self.people.overview(question))


HANDLERS: dict[str, Callable[..., Any]] = {
    "questions": Questions,
    "question": OneQuestion,
    "answer": OneAnswer,
    "page": Whole,
    "mark": SaveMark,
    "item": EditItem,
    "delete": DeleteItem,
    "bring-back": BringBackItem,
    "ask": SaveRequest,
    "reply": Reply,
}


def _number(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise web.HTTPError(400, reason="Points must be a number")
    return float(given)


def _text(given: Any) -> str:
    if not isinstance(given, str) or len(given) > LONGEST:
        raise web.HTTPError(400, reason=f"A text may have at most {LONGEST} characters")
    return given


def _items(given: Any, known: set[int]) -> dict[int, float]:
    """The items chosen: number → 1 or 0.5."""
    try:
        shares = {int(number): _number(share) for number, share in given.items()}
    except (AttributeError, ValueError):
        raise web.HTTPError(400, reason="The items must be numbers with shares") from None
    if not set(shares) <= known or not set(shares.values()) <= {1.0, 0.5}:
        raise web.HTTPError(400, reason="No such item, or a share other than 1 and 0.5")
    return shares
