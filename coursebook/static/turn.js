// Judges the numbers typed into a lesson's "Your turn", with the words of the lesson's own check.
"use strict";

const ASKED = "Type a number such as 0.5 or -2, or a formula such as 1/4 or 2**3; several with commas.";
const TURN_SIGNS = { "·": "*", "×": "*", "−": "-", "^": "**" };

// What a formula of numbers comes to, as Python computes it; NaN for what is none.
function formulaValue(text) {
  const plain = text.replace(/[·×−^]/g, (sign) => TURN_SIGNS[sign]);
  const tokens = plain.match(/\*\*|[-+*/()]|(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|\S/gi) ?? [];
  const next = (...signs) => signs.includes(tokens[0]) && tokens.shift();
  function one() {
    if (next("(")) {
      const inside = sum();
      return next(")") ? inside : NaN;
    }
    const token = tokens.shift();
    return /^[\d.]/.test(token ?? "") ? Number(token) : NaN;
  }
  function power() {
    const base = one();
    return next("**") ? base ** signed() : base;
  }
  function signed() {
    const sign = next("-", "+");
    return sign ? (sign === "-" ? -1 : 1) * signed() : power();
  }
  function product() {
    let found = signed();
    for (let sign; (sign = next("*", "/"));) found = sign === "*" ? found * signed() : found / signed();
    return found;
  }
  function sum() {
    let found = product();
    for (let sign; (sign = next("+", "-"));) found += (sign === "-" ? -1 : 1) * product();
    return found;
  }
  const found = sum();
  return tokens.length ? NaN : found;
}

// "(4, 5, 9)", "[4, 5, 9]", "4, 5, 9" or "4 5 9" as the texts of its numbers.
function typedParts(text) {
  if (/^[-−]?[\d.]+(\s+[-−]?[\d.]+)+$/.test(text.trim())) return text.trim().split(/\s+/);
  const bare = text.trim().replace(/^(?:\((.*,.*)\)|\[(.*)\])$/s, (all, round, square) => round ?? square);
  return bare.replace(/,\s*$/, "").split(",");
}

function sameNumbers(some, others) {
  return some.length === others.length && some.every((one, n) => Math.abs(one - others[n]) <= 1e-3);
}

// Whether what was typed is the right number, rounded to two digits or more.
function isRounded(text, right) {
  const digits = text.trim().match(/^[-−+]?(\d*)(?:\.(\d*))?$/);
  if (!digits || (digits[1] + (digits[2] ?? "")).replace(/^0+/, "").length < 2) return false;
  return Math.abs(formulaValue(text) - right) <= 0.5000001 * 10 ** -(digits[2] ?? "").length;
}

// What is said to a typed answer.
function turnVerdict(text, { right, said, hints, hint }) {
  const parts = typedParts(text), typed = parts.map(formulaValue);
  if (typed.some(Number.isNaN)) return ASKED;
  if (sameNumbers(typed, right)) return said;
  const known = hints.find(([wrong]) => sameNumbers(typed, wrong));
  if (known) return known[1];
  const near = typed.length === right.length
    && right.every((one, n) => Math.abs(typed[n] - one) <= 1e-3 || isRounded(parts[n], one));
  return near ? said : hint;
}

function startTurn(form) {
  const judged = JSON.parse(form.dataset.turn), status = form.querySelector(".quiz-status");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    status.textContent = turnVerdict(form.querySelector("input").value, judged);
  });
}

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".turn-field").forEach(startTurn));
