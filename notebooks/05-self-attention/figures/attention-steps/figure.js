// One head, one asking word, four steps: compare, scale and soften, weigh, add up. Each moves what it computes.
"use strict";

Live.figure("attention-steps", (ui, { sentence, asking, head }) => {
  const { text, box, strip, number, short, svg } = Live;
  const model = Live.reader(Live.data.reader);
  const MOST = 10, SIDE = 9, TOP = 66, LOWER = 22;
  const STEPS = [
    "1 of 4: the query meets every key",
    "2 of 4: scores",
    "3 of 4: softmax turns scores into weights",
    "4 of 4: the weighted sum of the values",
  ];
  let words = [], run = null, word = asking, step = 3, timer = null;
  const rows = ui.picture();
  const group = (squares, more = {}) => svg("g", more, squares.flat(2).filter(Boolean));

  // The query runs down the keys and leaves a score at each, the bars grow, and the values run together into the output.
  function move({ query, scores, bars, values, sum }, bottom) {
    if (Live.calm()) return;
    const wait = (j) => (700 * j) / words.length;
    const come = (element, from, delay = 0) => element.animate([from, {}], { duration: 400, delay, fill: "backwards", easing: "ease-out" });
    const travel = (element, to, timing) => {
      const ghost = element.cloneNode(true);
      rows.element.append(ghost);
      ghost.animate([{}, to], { easing: "ease-in-out", ...timing }).onfinish = () => ghost.remove();
    };
    if (step <= 1) travel(query, { transform: `translateY(${bottom - LOWER - 6}px)` }, { duration: 900 });
    if (step === 1) scores.forEach((score, j) => come(score, { opacity: 0 }, wait(j)));
    if (step === 2) bars.forEach((bar) => { bar.style.transformBox = "fill-box"; come(bar, { transform: "scaleX(0)" }); });
    if (step === 3) {
      values.forEach((value, j) => travel(value, { transform: `translateY(${bottom + 8 - TOP - LOWER * j}px)`, opacity: 0.2 }, { duration: 900 }));
      come(sum, { opacity: 0 }, 700);
    }
  }

  function draw(moves) {
    const { q, k, v, scores, weights, output } = run.each[head];
    const from = { key: 84, score: 205, bar: 212, value: 288 };
    const asks = `${words[word]} (word ${word + 1})`;
    const bottom = TOP + LOWER * words.length;
    const query = group(strip(from.key, 8, q[word], SIDE, "q"));
    const sum = group(strip(from.value, bottom + 10, output[word], SIDE, "v"));
    const made = { query, sum, scores: [], bars: [], values: [] };
    const parts = words.map((name, j) => {
      const y = TOP + LOWER * j;
      const weight = weights[word][j];
      made.scores.push(text(from.score, y + 11, number(scores[word][j]), "end"));
      made.bars.push(box(from.bar, y, 36 * weight, 13, "cell weight"));
      made.values.push(group(strip(from.value, y + 2, v[j], SIDE, "v"), { opacity: Live.at(0.25 + 0.75 * Math.sqrt(weight)) }));
      return [
        text(78, y + 11, short(name, 11), `end${j === word ? " strong" : ""}`),
        strip(from.key, y + 2, k[j], SIDE, "k"),
        step >= 1 ? made.scores[j] : null,
        step >= 2 ? [box(from.bar, y, 36, 13, "track"), made.bars[j], text(283, y + 11, number(weight), `end${weight > 0.2 ? " strong" : ""}`)] : null,
        step >= 3 ? made.values[j] : null,
      ];
    });
    rows.draw(
      `The query is ${words[word]}. Weights: ${words.map((name, j) => `${name} ${number(weights[word][j])}`).join(", ")}.`,
      bottom + 34,
      text(78, 17, short(words[word], 11), "end strong"), query, text(164, 17, `its query q (dₖ = ${q[word].length})`, "q"),
      text(from.key, 54, "keys", "k strong"),
      step >= 1 ? text(from.score, 54, "q·k/√dₖ", "end") : null,
      step >= 2 ? text(from.bar, 54, "weight") : null,
      step >= 3 ? text(from.value, 54, "values", "v strong") : null,
      parts,
      step >= 3 ? [text(281, bottom + 19, "weighted sum: the output", "end strong"), sum] : null);
    if (moves) move(made, bottom);
    const best = Live.largest(weights[word]);
    const said = [
      `${asks}: its query is compared with ${words.length} keys.`,
      `${asks}: its highest score is ${number(Math.max(...scores[word]))}, for ${words[Live.largest(scores[word])]}.`,
      `${asks}: the weights sum to 1. The largest, ${number(weights[word][best])}, goes to ${words[best]}.`,
      `${asks}: the output is a sum of all values, ${number(weights[word][best])} of it from ${words[best]}.`,
    ];
    ui.say(`Step ${STEPS[step]}. ${said[step]}`);
  }

  function set(nextWord, nextStep, moves = true) {
    [word, step] = [nextWord, nextStep];
    whichWord.set(word + 1, words.length);
    whichStep.set(step + 1);
    back.disabled = word === 0 && step === 0;
    draw(moves);
  }
  const last = () => word === words.length - 1 && step === 3;
  const forward = () => (step < 3 ? set(word, step + 1) : set((word + 1) % words.length, 0));
  const backward = () => (step > 0 ? set(word, step - 1) : set(Math.max(word - 1, 0), word > 0 ? 3 : 0));
  function stop() {
    clearInterval(timer);
    timer = null;
    if (play) play.textContent = "Play";
  }

  ui.sentence({ label: "Sentence", value: sentence, change(typed) {
    const found = model.split(typed, MOST);
    if (found.words.length) {
      words = found.words;
      run = model.read(words);
      const asks = words.indexOf("note"); // the word that the model was trained on
      if (whichWord) set(asks >= 0 ? asks : Math.min(word, words.length - 1), step, false);
    }
    return model.remark(found);
  } });
  var whichWord = ui.slider({ label: "Query word", min: 1, max: words.length, value: word + 1, show: (n) => words[n - 1] || "", change: (n) => { stop(); set(n - 1, step); } });
  var whichStep = ui.slider({ label: "Step", min: 1, max: 4, value: step + 1, show: (n) => `${n} of 4`, change: (n) => { stop(); set(word, n - 1); } });
  const pairs = [["Back", () => { stop(); backward(); }], ["Next", () => { stop(); forward(); }]];
  // Nothing moves by itself for a reader who asked for less motion.
  if (!Live.calm()) pairs.push(["Play", () => {
    if (timer) return stop();
    play.textContent = "Stop";
    if (last()) set(0, 0); // else it would stop at once
    timer = setInterval(() => (last() ? stop() : forward()), 1400);
    return null;
  }]);
  var [back, , play] = ui.buttons(...pairs);
  ui.hint("Each square is one number of a vector. The stronger the colour, the larger its size; numbers below zero are yellow and have a minus.");
  set(word, step, false);
});
