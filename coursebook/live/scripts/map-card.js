// The card of a guided tour: what is said of a stop, what is asked before its answer is shown, and the buttons.
"use strict";

// `step` leads to the stop before or after, `leave` ends the tour, `answer` is told which choice was pressed; null is none.
Live.mapCard = (ui, { step, leave, answer }) => {
  const { html } = Live, { indexed } = Live.mapStrip;
  const words = html("p", { role: "status" }), choices = html("div", { class: "live-buttons map-choices", role: "group", "aria-label": "Your answer" }), lent = html("div", { class: "map-lent" });
  const element = html("div", { class: "map-tour", hidden: true }, words);
  const [back, onward, end] = ui.row(element, ["Back", () => step(-1)], ["Next", () => (question ? answer(null) : step(1))], ["End", leave]);
  element.append(choices, lent); // the controls of a stop stand below its words
  onward.dataset.room = "End the tour"; // as wide with any word, so that nothing beside it moves under a finger
  let question = null, answers = new Map(), at = -1;
  return {
    element, lent,
    begin() { answers = new Map(); },
    // What was said to a question that is answered.
    told: (n) => answers.get(n)?.said,
    // What there is to say of the answers so far; nothing if none was given.
    score() {
      const given = [...answers.values()].filter(({ chosen }) => chosen !== null);
      return given.length ? ` You predicted ${given.filter(({ chosen, right }) => chosen === right).length} of ${given.length}.` : "";
    },
    // Keeps an answer and what the model says to it; `tells` is called once it counts.
    keep(n, chosen, { right, choices: all }, tells) {
      element.style.minHeight = `${element.offsetHeight}px`; // the answer is shorter, and what stands below stays in its place
      answers.set(n, { chosen, right });
      const first = chosen === null || all.length < 2 ? "" : chosen === right ? "Right. " : `You said ${/^“/.test(all[chosen]) ? all[chosen] : `“${all[chosen]}”`}. `;
      answers.get(n).said = `${first}${tells()}`;
    },
    // Shows a stop; `asks` is its question, as long as that is open.
    show(n, count, said, asks) {
      if (n !== at) element.style.minHeight = "";
      [question, at] = [asks, n];
      words.replaceChildren(html("strong", {}, `${n + 1} of ${count}. `), ...indexed(said), ...(asks ? [" ", html("strong", { class: "map-question" }, asks.question)] : []));
      choices.replaceChildren(...(asks?.choices ?? []).map((one, i) => html("button", { type: "button", onclick: () => answer(i) }, one)));
      back.disabled = !n;
      onward.textContent = asks ? "Show me" : n < count - 1 ? "Next" : "End the tour";
      end.style.visibility = n === count - 1 && !asks ? "hidden" : "";
      (choices.firstChild ?? onward).focus({ preventScroll: true });
    },
  };
};
