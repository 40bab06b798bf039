// A softmax taken block by block: the largest score m, the sum l and the weighted sum acc of what was read.
"use strict";

// What is kept after each block. `correction` is what the old sums were multiplied by.
Live.onlineSoftmax = (scores, values, block) => {
  let [m, l, acc] = [-Infinity, 0, values[0].map(() => 0)];
  const kept = [{ m, l, acc, correction: 0, read: 0 }];
  for (let j = 0; j < scores.length; j += block) {
    const s = scores.slice(j, j + block);
    const next = Math.max(m, ...s);
    const correction = Math.exp(m - next);
    const weights = s.map((score) => Math.exp(score - next));
    l = correction * l + weights.reduce((sum, weight) => sum + weight, 0);
    acc = acc.map((sum, c) => correction * sum + weights.reduce((more, weight, i) => more + weight * values[j + i][c], 0));
    m = next;
    kept.push({ m, l, acc, correction, read: j + s.length });
  }
  return kept;
};

Live.figure("online-softmax", (ui, { sentence, scores, values, names, block: first, start }) => {
  const { text, box, number } = Live;
  const words = sentence.split(" ");
  const ORDERS = { last: words.map((_, i) => words.length - 1 - i), first: words.map((_, i) => i) };
  let order = "last", block = first, step = start, timer = null, kept = [];
  const rows = ui.picture(), sums = ui.picture();
  const BAR = [150, 150];

  function draw() {
    const places = ORDERS[order];
    kept = Live.onlineSoftmax(places.map((i) => scores[i]), places.map((i) => values[i]), block);
    const { m, l, acc, correction, read } = kept[step], before = kept[Math.max(step - 1, 0)];
    const output = acc.map((sum) => (l ? sum / l : 0));
    const top = 50;
    rows.draw(
      step ? `Read so far: ${places.slice(0, read).map((i) => `${words[i]}, score ${scores[i]}, weight ${number(Math.exp(scores[i] - m), 4)}`).join("; ")}.` : "Nothing is read yet.",
      top + 24 * words.length + 6,
      text(0, 14, "The row of scores, block by block", "name"),
      text(94, 38, "word", "end"), text(140, 38, "score", "end"), text(BAR[0], 38, `e to the score − m, m = ${number(m, 0)}`),
      places.map((i, j) => {
        const y = top + 24 * j, seen = j < read, now = seen && j >= before.read;
        const weight = seen ? Math.exp(scores[i] - m) : 0;
        return [
          text(94, y + 15, words[i], `end${now ? " strong" : ""}`),
          seen ? text(140, y + 15, number(scores[i], 0), `end${now ? " strong" : ""}`) : text(140, y + 15, "?", "end"),
          box(BAR[0], y + 1, BAR[1], 18, "track"), box(BAR[0], y + 1, BAR[1] * weight, 18, `cell ${now ? "one" : "weight"}`),
          seen ? text(356, y + 15, number(weight, 3), "end") : null,
        ];
      }),
      step ? box(0.5, top + 24 * before.read - 2, 359, 24 * (read - before.read), "frame") : null);
    const MOST = 5;
    const bar = (y, said, value, kind) => [
      text(70, y + 14, said, "end"), box(78, y, 210, 18, "track"), box(78, y, Math.min(210 * value / MOST, 210), 18, `cell ${kind}`),
      text(356, y + 14, number(value, 4), "end strong"),
    ];
    sums.draw(
      `m ${number(m, 0)}, l ${number(l, 4)}, ${names.map((name, c) => `acc ${name} ${number(acc[c], 4)}`).join(", ")}; output ${names.map((name, c) => `${name} ${number(output[c], 4)}`).join(", ")}.`,
      286,
      text(0, 14, "All that is kept", "name"),
      text(70, 42, "m", "end"), text(78, 42, number(m, 0), "strong"),
      text(110, 42, step && before.l && correction < 1 ? `l and acc were multiplied by ${number(correction, 4)}` : "nothing to rescale"),
      bar(54, "l", l, "weight"), text(0, 100, "acc"), acc.map((sum, c) => bar(108 + 24 * c, names[c], sum, "v")),
      text(0, 200, "output so far: acc / l"), output.map((sum, c) => bar(208 + 24 * c, names[c], sum, "v")));
    const read_ = places.slice(before.read, read).map((i) => words[i]).join(", ");
    const told = !before.l ? `The first block: ${read_}. The largest score is ${number(m, 0)}.`
      : correction < 1 ? `${read_}: the largest score rises from ${number(before.m, 0)} to ${number(m, 0)}, so l and acc are first multiplied by ${number(correction, 4)}.`
      : `${read_}: the largest score stays ${number(m, 0)}, and nothing is rescaled.`;
    ui.say(step ? `Block ${step} of ${kept.length - 1}. ${told}` : "Nothing is read yet: m is −∞, l and acc are 0.");
  }

  const steps = () => Math.ceil(words.length / block);
  function set(next) {
    step = Math.min(next, steps());
    slider.set(step, steps());
    draw();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    if (play) play.textContent = "Play";
  }
  ui.slider({ label: "Block size", min: 1, max: words.length, value: block, change: (size) => { stop(); block = size; set(Math.min(step, steps())); } });
  const slider = ui.slider({ label: "Blocks read", min: 0, max: steps(), value: step, show: (n) => `${n} of ${steps()}`, change: (n) => { stop(); set(n); } });
  ui.choice({ label: "Read", options: [["last", "from the last word"], ["first", "from the first word"]], value: order, change: (next) => { stop(); order = next; draw(); } });
  let play = null;
  if (!Live.calm()) {
    [play] = ui.buttons(["Play", () => {
      if (timer) { stop(); return; }
      if (step === steps()) set(0);
      play.textContent = "Stop";
      timer = setInterval(() => {
        set(step + 1);
        if (step === steps()) stop();
      }, 1100);
    }]);
  }
  ui.hint("Which words make the earlier bars shrink? Does the final output depend on the block size, or on where the reading begins?");
  draw();
});
