"""One submission judged.

Right work keeps its points whatever else is in the notebook, and nothing that a learner's code does
to its own process earns any.
"""

import json
import textwrap

import nbformat
import pytest
import torch
from judged_set import (
    CHOICES,
    DOUBLE,
    FULL,
    TESTS,
    code,
    instructors,
    judged,
    judged_side_by_side,
    lost,
    outputs,
    scores,
)

from nbjudge.intake import cells
from nbjudge.judge import names


def test_right_answers_get_everything_and_twice_the_same():
    first, second = judged(), judged()
    assert scores(first) == scores(second) == FULL
    assert first.flags == []
    assert first.notebook == second.notebook
    assert first.cpu_seconds > 0 and first.peak_memory_mb > 50 and first.sandbox


def test_wrong_and_missing_answers_are_told():
    stub = "def double(x):\n    raise NotImplementedError('Your code goes here.')"
    answers = {"double": stub, "line": "LINE = 3", "choices": "answers = {'a': True, 'b': True}"}
    judgement = judged({**answers, "product": "def product(A, B)\n    return A"})
    messages = lost(judgement)
    assert messages["double--values"].startswith(
        "`double` is not written yet: its cell still has the"
    )
    assert messages["product--values"].startswith("The answer's own cell stopped: SyntaxError")
    assert messages["product--values"].endswith("(line 1 of the cell)")
    assert messages["line--values"] == "`Line` is not defined. Is it spelled exactly like this?"
    assert messages["choices--answers"] == "b: it is False. Reason b.\n1 of 2 is right."
    assert scores(judgement)["choices--answers"] == 2


GAPS = {
    "{'a': True, 'b': None}": (2, "b: not answered."),
    "{'a': True}": (2, "b: not answered."),
    "{'a': 'True', 'b': False}": (2, "a: True and False are written without"),
    "{'a': 1, 'b': False}": (2, "a: an answer must be True or False, yours is of type int"),
    "None": (0, "`answers` is None"),
    "{'a': True, 'b': False, 'c': True}": (4, ""),
    "{'a': None, 'b': None}": (0, "No statement was answered."),
}


@pytest.fixture(scope="module")
def gaps():
    return judged_side_by_side({given: f"answers = {given}" for given in GAPS}, "choices")


@pytest.mark.parametrize("given", GAPS)
def test_a_statement_without_an_answer_costs_its_own_points_alone(gaps, given):
    score, message = GAPS[given]
    assert gaps[given].scores == {"choices--answers": score}
    assert (
        gaps[given]
        .lost.get("choices--answers", "")
        .replace("answers_4", "answers")
        .startswith(message)
    )


def test_a_propertys_points_wait_for_a_test_of_values():
    judgement = judged({"double": "def double(x):\n    return 3 * x"})
    messages = lost(judgement)
    assert set(messages) == {"double--values", "double--inputs"}
    assert messages["double--inputs"].startswith(
        "This test passes, and its points count as soon as"
    )
    assert "`double`" in messages["double--inputs"]


def test_a_test_that_shows_all_its_numbers_waits_too():
    tests = {"double--shown": ('close(call(double, 4), 8, "The double of 4")', 2)}
    assert scores(judged(tests=tests)) == {**FULL, "double--shown": 2}
    assert "double--shown" in lost(judged({"double": "double = lambda x: 8"}, tests=tests))


def test_an_error_is_told_once():
    tests = {"double--more": ("call(double, torch.ones(3, 3))", 1)}
    messages = lost(judged({"double": "def double(x):\n    return 2 * y"}, tests=tests))
    assert messages["double--values"].startswith("`double` stops with NameError: name 'y' is not")
    assert messages["double--inputs"] == "The same NameError as in double--values."
    assert messages["double--more"] == "The same NameError as in double--values."


def test_a_stub_is_no_error_and_each_test_says_so():
    messages = lost(judged({"double": "raise NotImplementedError"}))
    assert {name: message for name, message in messages.items() if name.startswith("double")} == {
        "double--values": "No answer yet.",
        "double--inputs": "No answer yet.",
    }


def test_a_line_is_the_learners_own():
    helper = "def twice(x):\n    return x @ x"
    answer = "def double(x):\n    y = 1\n    return twice(torch.ones(3, 2))"
    messages = lost(judged({"own": helper, "double": answer}))["double--values"]
    assert "line 3 of the cell: return twice(torch.ones(3, 2))" in messages


def test_a_copied_answer_is_flagged():
    docstring = torch.nn.functional.scaled_dot_product_attention.__doc__
    copied = docstring[docstring.index("def scaled_dot_product_attention(query") :].partition("..")[
        0
    ]
    judgement = judged({"double": f"{textwrap.dedent(' ' * 8 + copied)}\n{DOUBLE}"})
    assert any("of the answer matches torch/nn/functional.py" in flag for flag in judgement.flags)


def test_inputs_that_are_changed_cost_what_the_set_says():
    in_place = "def double(x):\n    x *= 2\n    return x"
    message = "`double` changes its input x: its caller finds other numbers there"
    judgement = judged({"double": in_place})
    assert scores(judgement) == {**FULL, "double--inputs": 0}, "a test of its own is for that"
    assert lost(judgement)["double--inputs"].startswith(message)
    product = "def product(A, B):\n    C = (A[:, :, None] * B).sum(1)\n    A.zero_()\n    return C"
    judgement = judged({"product": product})
    assert scores(judgement) == {**FULL, "product--values": 0}
    assert lost(judgement)["product--values"].startswith(
        "`product` changes its input A: its caller"
    )


def test_what_a_hidden_test_gives_is_not_shown_by_a_later_cell():
    """A function keeps what it is called with, and a cell further on prints it."""
    keeps = "KEPT = []\ndef double(x):\n    KEPT.append(float(x.sum()))\n    return 2 * x"
    shows = "print('kept', KEPT, 'and', len('honest'))"
    own = {"double": keeps, "own-line": shows}
    notebook = instructors()
    assert any(cells.has_hidden_tests(c.source) for c in notebook.cells), (
        "of an exercise before that"
    )
    judgement = judged(own)
    assert scores(judgement) == FULL
    executed = nbformat.reads(judgement.notebook.decode(), as_version=4)
    (cell,) = [cell for cell in executed.cells if cell.id == "own-line"]
    (out,) = cell.outputs
    assert out.text == "kept [] and 6\n"


COUNTS = """
import concurrent.futures
CALLS, pool = [], concurrent.futures.ThreadPoolExecutor(1)
def double(x):
    CALLS.append(1)
    print("called", len(CALLS))
    if len(CALLS) > 1:
        raise ValueError("I remember")
    return x * 2
"""


def test_nothing_of_a_test_reaches_a_cell_or_another_hidden_test():
    hidden = "### BEGIN HIDDEN TESTS\nclose(call(double, 4), 8, 'It')\n### END HIDDEN TESTS"
    tests = {
        "double--values": (hidden, 3),
        "double--inputs": (hidden, 1),
        "line--values": (TESTS["line--values"][0] + "\n" + hidden, 2),
    }
    judgement = judged({"double": COUNTS, "own-line": "print(CALLS)"}, tests=tests)
    assert scores(judgement) == FULL, lost(judgement)
    assert outputs(judgement, "own")[0].text == "[]\n"
    assert judgement.flags == []


ONLY_ONCE = """
TIMES = "times"
def double(x):
    with open(TIMES, "a") as file:
        file.write("x")
    if len(open(TIMES).read()) > 1:
        print("SECRET")
        return f"SECRET of {x}"
    return x * 2
"""


def test_a_shown_half_that_fails_only_after_the_hidden_tests_says_nothing_of_it():
    half = "found = call(double, 4)\nprint(found)\nassert found == 8, found\n"
    hidden = "### BEGIN HIDDEN TESTS\ncall(double, 5)\n### END HIDDEN TESTS"
    tests = {"double--inputs": (hidden, 1), "double--values": (half + hidden, 3)}
    judgement = judged({"double": ONLY_ONCE}, tests=tests)
    assert lost(judgement)["double--values"].startswith("What is shown of this test passed when")
    executed = nbformat.reads(judgement.notebook.decode(), as_version=4).cells
    shown = [cell.get("outputs") for cell in executed]
    assert "SECRET" not in str(shown) + str(judgement.flags)
    assert outputs(judgement, "double--values")[0].text == "8\n"


#: Keeps what a hidden test gives, which has three numbers, and not what a visible one does.
KEEPS = """
KEPT = []
def double(x):
    if len(x) == 3:
        KEPT.append('secret %d' % len(x))
    {then}
    return 2 * x
"""


THEN = (
    "if KEPT: raise ValueError(KEPT)",
    "if KEPT: raise type(KEPT[0], (ValueError,), {})('some words')",
    "if KEPT: raise type('E', (ValueError,), {'__str__': lambda self: KEPT[0]})",
    "if KEPT: return type(KEPT[0], (), {})()",
    "if KEPT: exec(compile('raise ValueError', KEPT[0], 'exec'))",
    "if KEPT: import linecache; linecache.cache.clear(); exec(KEPT[0])",
    "if KEPT: double.__name__ = KEPT[0]; return None",
)


@pytest.fixture(scope="module")
def keeping():
    return judged_side_by_side({then: KEEPS.format(then=then) for then in THEN})


@pytest.mark.parametrize("then", THEN)
def test_what_an_error_in_a_hidden_test_says_is_not_told(keeping, then):
    assert keeping[then].scores["double--values"] == 0
    judgement = keeping[then].whole
    executed = judgement.notebook.decode() + str(judgement.tests) + str(judgement.flags)
    assert "secret 3" not in executed


def test_a_hidden_test_may_look_at_an_errors_words_and_does_not_show_them():
    test = """
by_hand("attention")
### BEGIN HIDDEN TESTS
try:
    call(double, "a text of five")
except Mistake as mistake:
    message = str(mistake)
require("five" in message and "ever" in message, f"It must say five and ever. Now: {message[3:]}")
### END HIDDEN TESTS
"""
    tests = {"double--refuses": (test, 2)}
    begins = "def double(x):\n    if isinstance(x, str): raise ValueError({}, x)\n    return 2 * x"
    judgement = judged({"double": begins.format("'for ever'")}, tests=tests)
    assert scores(judgement) == {**FULL, "double--refuses": 2}
    messages = lost(judged({"double": begins.format("'once'")}, tests=tests))["double--refuses"]
    assert messages.startswith("It must say five and ever. Now: …") and "a text of" not in messages


def test_an_error_in_a_hidden_test_is_told_with_the_learners_line():
    then = "assert len(x) != 3, 'three of them'"
    messages = lost(judged({"double": KEEPS.format(then=then)}))["double--values"]
    assert (
        messages
        == f"`double` stops with AssertionError in a hidden test.\n  line 5 of the cell: {then}"
    )
    error = "if KEPT: torch.ones(2) @ torch.ones(3, 2)"
    messages = lost(judged({"double": KEEPS.format(then=error)}))["double--values"]
    first, hint, line = messages.splitlines()
    assert first == "`double` stops with RuntimeError in a hidden test."
    assert hint.startswith("In A @ B the last axis") and line.endswith(error)


def test_what_a_hidden_test_gave_is_not_told_by_a_visible_one():
    """An answer further on stops with it, in a test that is shown or in its own cell."""
    keeps = {"double": KEEPS.format(then="")}
    stops = "def product(A, B):\n    raise ValueError(f'kept {KEPT}, honest {A.shape[0]}')"
    messages = lost(judged(keeps | {"product": stops}))["product--values"]
    first, line, called = messages.splitlines()
    assert first == "`product` stops with ValueError: kept [], honest 2"
    assert line.startswith("  line 2 of the cell: raise ValueError(f")
    assert called == "  called with A (2, 3), B (3, 2)"
    messages = lost(judged(keeps | {"product": "raise ValueError(f'kept {KEPT}, honest')"}))
    assert (
        messages["product--values"] == "The answer's own cell stopped: ValueError: kept [], honest"
    )


def test_an_error_that_is_told_by_a_visible_test_too_is_told_once():
    messages = lost(
        judged({"double": "def double(x):\n    return 2 * y", "own-double": "y = 1 / 0"})
    )
    assert messages["double--values"].startswith("`double` stops with NameError: name 'y'")
    last = {"choices--answers": (CHOICES.replace("answered", "call(double, 1)\nanswered"), 4)}
    messages = lost(judged({"double": "def double(x):\n    return 2 * y"}, tests=last))
    assert messages["double--inputs"] == "The same NameError as in double--values."
    assert messages["choices--answers"].startswith("`double` stops with NameError: name 'y'")


def test_exercises_that_keep_an_eye_on_inputs_are_known():
    helper = "def kept(f, x):\n    require(torch.equal(inputs_after(f, x)[0], x), 'Changed.')"
    tests = {"product--inputs": ("kept(product, torch.ones(1))", 1)}
    notebook = instructors(tests)
    assert names.keeping(notebook) == {"double"}
    notebook.cells.insert(1, code("setup-kept", helper, locked=True))
    assert names.keeping(notebook) == {"double", "product"}
    notebook.cells[1] = code("", helper)
    assert names.keeping(notebook) == {"double"}, "what is not ours says nothing"


def test_without_the_hidden_half_a_statement_without_an_answer_is_told():
    visible = {"choices--seen": ("answered(answers, ['a', 'b'])", 1)}
    judgement = judged({"choices": "answers = {'a': True, 'b': None}"}, tests=visible)
    assert lost(judgement)["choices--seen"] == "1 of 2 answered; not yet: b."


def test_an_untouched_cell_that_raises_is_no_answer_yet():
    judgement = judged({"choices": "raise NotImplementedError('Your code goes here.')"})
    assert lost(judgement) == {"choices--answers": "No answer yet."}


#: What ``tests/honest`` does not try: it costs a whole class of submissions.
ODD = {
    "exit": DOUBLE + "\nexit()",
    "tabs": "def double(x):\n\treturn 2 * x",
    "a loop after it": DOUBLE + "\nwhile True:\n    pass",
    "an error after it": DOUBLE + "\n1 / 0",
    "input": DOUBLE + "\ninput('?')",
    # Its kernel comes to the tests late, and is awake meanwhile.
    "a task that computes": (
        "import asyncio, time\nasync def work():\n    until = time.monotonic() + 1.5\n"
        "    while time.monotonic() < until:\n        pass\n"
        "asyncio.get_running_loop().create_task(work())\n" + DOUBLE
    ),
    "clears": "from IPython.display import clear_output\nprint(1)\nclear_output()\n" + DOUBLE,
    "no gradients": "torch.set_grad_enabled(False)\n" + DOUBLE,
}


#: These change what comes after them: each has a notebook of its own.
ALONE = ("a task that computes", "exit", "a loop after it", "no gradients")


@pytest.fixture(scope="module")
def odd():
    return judged_side_by_side({way: answer for way, answer in ODD.items() if way not in ALONE})


@pytest.mark.thorough("grading of small classes")
@pytest.mark.parametrize("way", [way for way in ODD if way not in ALONE])
def test_honest_but_odd_keeps_its_points(odd, way):
    assert odd[way].lost == {}
    assert odd[way].scores == {name: FULL[name] for name in odd[way].scores}


@pytest.mark.thorough("grading of small classes")
@pytest.mark.parametrize("way", ALONE)
def test_honest_but_odd_costs_the_others_nothing(way):
    assert scores(judged({"double": ODD[way]})) == FULL


def test_a_plot_and_a_table_are_kept_as_picture_and_text():
    own = (
        "import matplotlib.pyplot as plt\nfrom IPython.display import HTML, display\n"
        "plt.plot([1, 2]); plt.show()\ndisplay(HTML('<script>1</script>'))\n3"
    )
    kinds = [sorted(out.data) for out in outputs(judged({"own": own}), "own") if "data" in out]
    assert ["image/png", "text/plain"] in kinds and ["text/plain"] in kinds
    assert "text/html" not in json.dumps(kinds)


# -- seeds and secrets -----------------------------------------------------------------------------


def test_the_seed_says_what_hidden_tests_draw_and_the_learner_cannot_tell_it():
    shows = "print(call(double, torch.rand(3, generator=fresh('it'))).tolist())"
    tests = {"double--shows": (shows, 1)}
    judgements = [judged(tests=tests, seed=seed) for seed in (5, 5, 6)]
    drawn = [json.loads(outputs(one, "double--shows")[0].text) for one in judgements]
    assert len(drawn[0]) == 3 and drawn[0] == drawn[1] != drawn[2]
    own = "import os\nprint([k for k in os.environ if 'SEED' in k.upper()], torch.initial_seed())"
    first, second = (outputs(judged({"own": own}, seed=5), "own")[0].text for _ in range(2))
    assert first == second and "TFCOURSE" not in first and " 5" not in first


def test_no_hidden_test_is_in_the_learners_process():
    own = (
        "import gc\nneedle = 'secret_of_' + 'the_setup'\n"
        "names = [d for d in gc.get_objects() if type(d) is dict and needle in d]\n"
        "texts = [t for d in gc.get_objects() if type(d) is dict for t in d.values()]\n"
        "texts = [t for t in texts if type(t) is str and 'BEGIN ' + 'HIDDEN' in t]\n"
        "print(any(needle in t for t in In), len(names), len(texts))"
    )
    judgement = judged({"own-line": own})
    assert scores(judgement) == FULL
    assert outputs(judgement, "own")[0].text.split() == ["False", "0", "0"]


def test_a_test_cells_messages_do_not_show_its_source():
    judgement = judged({"double": "def double(x):\n    return 2 * x if len(x) == 2 else x"})
    text = json.dumps(outputs(judgement, "double--values"))
    assert "hidden numbers" in text
    assert "generator" not in text and "require" not in text and "Traceback" not in text


# -- by hand ---------------------------------------------------------------------------------------


def test_what_is_forbidden_is_not_there_and_says_why():
    uses = "def double(x):\n    q = x[None, None]\n    {}\n    return 2 * x"
    ready = "torch.nn.functional.scaled_dot_product_attention(q, q, q)"
    for way in ready, f"try: {ready}\n    except BaseException: pass":
        messages = lost(judged({"double": uses.format(way)}))
        assert set(messages) == {"double--values", "double--inputs"}
        assert all("does the whole of this exercise" in text for text in messages.values())
    messages = lost(judged({"double": "import tfcourse.attention\n" + DOUBLE}))
    assert "The answer's own cell stopped: `tfcourse.attention` does" in messages["double--values"]


def test_what_one_exercise_forbids_others_may_use():
    evades = "def product(A, B):\n    with torch._C.DisableTorchFunction():\n        return A @ B"
    judgement = judged(
        {"product": evades, "double": "def double(x):\n    return 2 * torch.eye(len(x)) @ x"}
    )
    assert set(lost(judgement)) == {"product--values"}
    assert "multiplies two matrices" in lost(judgement)["product--values"]
    assert scores(judged({"own": "print(torch.eye(2) @ torch.eye(2))"})) == FULL


# -- faults of tests -------------------------------------------------------------------------------


def test_a_test_at_fault_gives_no_points_and_is_flagged():
    faults = {
        "assert double == 2": "stays in the learner's process",
        "call(double, lambda x: x)": "cannot be sent",
        "this is no Python": "is itself faulty",
    }
    tests = {f"double--odd-{n}": (source, 2) for n, source in enumerate(faults)}
    judgement = judged(tests=tests)
    assert set(lost(judgement)) == set(tests)
    for name, flag in zip(tests, faults.values(), strict=True):
        assert any(f"test {name} is itself faulty" in f and flag in f for f in judgement.flags)
    assert len(judgement.held) == len(faults), "nobody's mark is final before the test is mended"


def test_a_score_must_be_a_number_of_points():
    ends = ["float('nan')", "-1", "3", "'text'", "True", "double", "[1]"]
    judgement = judged(tests={f"double--odd-{n}": (f"1\n{last}", 2) for n, last in enumerate(ends)})
    for number, last in enumerate(ends):
        right = last == "double"  # a name alone gives nothing, as None does
        assert scores(judgement)[f"double--odd-{number}"] == (2 if right else 0), last
        assert right or "Tell your instructor" in lost(judgement)[f"double--odd-{number}"], last


def test_a_locked_cell_that_uses_an_answer_is_the_learners():
    tests = {"double--of-it": ('close(value(doubled), [2.0], "It")', 1)}
    judgement = judged({"own-double": "doubled = double(torch.ones(1))"}, tests=tests)
    assert scores(judgement) == {**FULL, "double--of-it": 1}


def test_names_are_read_from_source():
    source = "import a.b, c as d\nx, (y, *z) = 1, (2, 3)\nfor i in x: w = i\n"
    source += "def f(q): p = 1\nclass C: n = 1"
    assert names.bound(source) == {"a", "d", "x", "y", "z", "i", "w", "f", "C"}
    assert names.bound("%matplotlib inline\n!ls\nx = 1") == {"x"}
    assert names.bound("not ( python") == set()
    assert names.used("def f(a=b):\n    return c\nd(e)") == {"b", "d", "e"}
    assert names.forbidden('by_hand("attention")\nby_hand("matrix products", "x")') == {
        "attention",
        "matrix products",
    }
    assert names.forbidden("by_hand()") == frozenset() and names.forbidden("1") is None


def test_data_files_are_there_on_both_sides():
    tests = {"double--file": ('require(open("d.txt").read() == value(text), "no")', 1)}
    answers = {"own-double": "text = open('d.txt').read()"}
    assert scores(judged(answers, tests=tests, files={"d.txt": b"data"}))["double--file"] == 1


def test_what_is_changed_in_torch_changes_nothing_where_the_tests_run():
    own = (
        "import builtins, sys\ntorch.Tensor.__eq__ = lambda a, b: True\n"
        "torch.isclose = torch.allclose = torch.equal = lambda *a, **k: torch.tensor(True)\n"
        "builtins.isinstance = lambda *a: True\nsys.settrace(lambda *a: None)\n"
        "sys.exit = sys.excepthook = print"
    )
    judgement = judged({"own": own, "double": "def double(x):\n    return x"})
    assert "double--values" in lost(judgement)


LIES = {
    "true to everything": "for k in l.VERBS: l.VERBS[k] = lambda *a, **k: True",
    "nothing": "for k in l.VERBS: l.VERBS[k] = lambda *a, **k: None",
    "the inputs": "for k in l.VERBS: l.VERBS[k] = lambda f=0, args=0, **k: args",
    "no gradient, no shape": "for k in l.VERBS: l.VERBS[k] = lambda *a, **k: {}",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_who_lies_over_the_wire_gets_nothing_for_it(lie):
    own = "import nbjudge.inside.testing.learner as l\n" + lie
    answers = {"own": own, "double": "double = product = Line = answers = 1", "product": "1"}
    judgement = judged({**answers, "line": "1", "choices": "1"})
    assert sum(scores(judgement).values()) <= FULL["double--inputs"], lost(judgement)


def test_messages_forged_by_the_kernel_are_only_output():
    forges = (
        "k = get_ipython().kernel\nme = k.get_parent('shell')\n"
        "def forge(kind, content, parent=me):\n"
        "    k.session.send(k.iopub_socket, kind, content, parent=parent)\n"
        "data = {'text/plain': '99', 'image/png': 7, 'text/html': '<script>'}\n"
        "forge('display_data', {'data': data, 'metadata': 3})\n"
        "forge('execute_result', {'data': data, 'execution_count': 'x'})\n"
        "forge('stream', {'name': 'stdout', 'text': ['no']})\n"
        "forge('error', {'ename': 1, 'evalue': None, 'traceback': 'no'})\n"
        "forge('stream', {'name': 'stdout', 'text': 'elsewhere'}, {'header': {'msg_id': 'x'}})\n"
        "forge('status', {'execution_state': 'idle'})\n"
    )
    wrong = "def double(x):\n    return x\n"
    judgement = judged({"own": forges, "double": wrong + forges})
    assert scores(judgement) == {**FULL, "double--values": 0, "double--inputs": 0}
    messages = lost(judgement)
    assert messages["double--values"].startswith("The double: wrong in 2 of 2 places")
    assert messages["double--inputs"].startswith(
        "This test passes, and its points count as soon as"
    )
    text = json.dumps(outputs(judgement, "own"))
    assert "99" in text and "elsewhere" not in text and "script" not in text
