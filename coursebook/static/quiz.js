// Judges the answers to a {quiz} and keeps them in this browser. Without this script each
// explanation opens by its own summary.
"use strict";

// One entry for all quizzes: { id: { version, chosen: [numbers] } }. A browser may refuse to keep
// anything; then answers last as long as the page.
const quizMemory = {
  key: "course-quizzes",
  read() {
    try {
      return JSON.parse(localStorage.getItem(this.key)) || {};
    } catch {
      return {};
    }
  },
  write(entries) {
    try {
      localStorage.setItem(this.key, JSON.stringify(entries));
    } catch { /* nothing is kept */ }
  },
  get(quiz) {
    const entry = this.read()[quiz.id];
    return entry && entry.version === quiz.dataset.version && Array.isArray(entry.chosen) ? entry.chosen : [];
  },
  set(quiz, chosen) {
    this.write({ ...this.read(), [quiz.id]: { version: quiz.dataset.version, chosen } });
  },
  drop(quiz) {
    const { [quiz.id]: _, ...others } = this.read();
    this.write(others);
  },
};

function choicesOf(quiz) {
  return [...quiz.querySelectorAll(".quiz-choice")].map((element) => ({
    element,
    input: element.querySelector("input"),
    mark: element.querySelector(".quiz-mark"),
    why: element.querySelector(".quiz-why"),
    right: element.dataset.right === "yes",
  }));
}

function forget(choice) {
  choice.element.classList.remove("is-right", "is-wrong");
  choice.mark.textContent = "";
  choice.why.hidden = true;
  choice.why.open = false;
}

function explain(choice) {
  choice.why.hidden = false;
  choice.why.open = true;
}

function judge(choice) {
  choice.element.classList.add(choice.right ? "is-right" : "is-wrong");
  choice.mark.textContent = choice.right ? "✓ Right" : "✗ Not right";
  explain(choice);
}

// Marks what is chosen, and returns what to say about it.
function check(quiz, choices) {
  const chosen = choices.filter((choice) => choice.input.checked);
  choices.forEach(forget);
  if (chosen.length === 0) return "Choose an answer first.";
  chosen.forEach(judge);
  const wrong = chosen.filter((choice) => !choice.right).length;
  const missing = choices.filter((choice) => choice.right && !choice.input.checked).length;
  const solved = wrong === 0 && missing === 0;
  quiz.querySelector(".quiz-all").hidden = solved;
  if (solved) {
    choices.forEach(explain);
    return "Right. Every choice is now explained below it.";
  }
  if (quiz.dataset.kind === "one") return "Not right: read why, and choose again.";
  const parts = [];
  if (wrong) parts.push(`${wrong} of your choices ${wrong === 1 ? "is" : "are"} not right`);
  if (missing) parts.push(`${missing} that ${missing === 1 ? "is" : "are"} true ${missing === 1 ? "is" : "are"} not chosen`);
  return `Not yet: ${parts.join(", and ")}.`;
}

function startQuiz(quiz) {
  const choices = choicesOf(quiz);
  const [ask, all, drop] = ["check", "all", "forget"].map((name) => quiz.querySelector(`.quiz-${name}`));
  const say = (text) => { quiz.querySelector(".quiz-status").textContent = text; };
  choices.forEach(forget);
  ask.hidden = false;
  ask.addEventListener("click", () => {
    say(check(quiz, choices));
    const chosen = choices.flatMap((choice, n) => (choice.input.checked ? [n] : []));
    if (chosen.length) quizMemory.set(quiz, chosen);
    drop.hidden = chosen.length === 0;
  });
  all.addEventListener("click", () => {
    choices.forEach(explain);
    say("Every choice is now explained below it.");
    all.hidden = true;
    ask.focus();
  });
  drop.addEventListener("click", () => {
    quizMemory.drop(quiz);
    choices.forEach((choice) => { choice.input.checked = false; forget(choice); });
    all.hidden = true;
    drop.hidden = true;
    say("Your answer is forgotten.");
    ask.focus();
  });
  const before = quizMemory.get(quiz).filter((n) => choices[n]);
  if (before.length) {
    for (const n of before) choices[n].input.checked = true;
    say(`Your answer from last time. ${check(quiz, choices)}`);
    drop.hidden = false;
  }
}

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".quiz").forEach(startQuiz));
