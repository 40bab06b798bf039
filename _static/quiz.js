// Judges the answers to a {quiz}. Without this script each explanation opens by its own summary.
"use strict";

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

function check(quiz, choices) {
  const status = quiz.querySelector(".quiz-status");
  const chosen = choices.filter((choice) => choice.input.checked);
  choices.forEach(forget);
  if (chosen.length === 0) {
    status.textContent = "Choose an answer first.";
    return;
  }
  chosen.forEach(judge);
  const wrong = chosen.filter((choice) => !choice.right).length;
  const missing = choices.filter((choice) => choice.right && !choice.input.checked).length;
  if (wrong === 0 && missing === 0) {
    choices.forEach(explain);
    status.textContent = "Right. Every choice is now explained below it.";
  } else if (quiz.dataset.kind === "one") {
    status.textContent = "Not right: read why, and choose again.";
  } else {
    const parts = [];
    if (wrong) parts.push(`${wrong} of your choices ${wrong === 1 ? "is" : "are"} not right`);
    if (missing) parts.push(`${missing} that ${missing === 1 ? "is" : "are"} true ${missing === 1 ? "is" : "are"} not chosen`);
    status.textContent = `Not yet: ${parts.join(", and ")}.`;
  }
  quiz.querySelector(".quiz-all").hidden = wrong === 0 && missing === 0;
}

document.addEventListener("DOMContentLoaded", () => {
  for (const quiz of document.querySelectorAll(".quiz")) {
    const choices = choicesOf(quiz);
    const [ask, all] = [quiz.querySelector(".quiz-check"), quiz.querySelector(".quiz-all")];
    choices.forEach(forget);
    ask.hidden = false;
    ask.addEventListener("click", () => check(quiz, choices));
    all.addEventListener("click", () => {
      choices.forEach(explain);
      quiz.querySelector(".quiz-status").textContent = "Every choice is now explained below it.";
      all.hidden = true;
      ask.focus();
    });
  }
});
