// Judges the number typed into a lesson's "Your turn", with the words of the lesson's own check.
"use strict";

// "(4, 5, 9)" or "0.5" as numbers; NaN for what is none.
function typedNumbers(text) {
  return text.replace(/[()[\]\s]/g, "").split(",").map((part) => (part === "" ? NaN : Number(part)));
}

function sameNumbers(some, others) {
  return some.length === others.length && some.every((one, n) => Math.abs(one - others[n]) <= 1e-3);
}

function startTurn(form) {
  const { right, said, hints, hint } = JSON.parse(form.dataset.turn);
  const status = form.querySelector(".quiz-status");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = typedNumbers(form.querySelector("input").value);
    const known = hints.find(([wrong]) => sameNumbers(typed, wrong));
    if (typed.some(Number.isNaN)) status.textContent = "Type a number, such as 0.5 or -2; several with commas.";
    else if (sameNumbers(typed, right)) status.textContent = said;
    else status.textContent = known ? known[1] : hint;
  });
}

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".turn-field").forEach(startTurn));
