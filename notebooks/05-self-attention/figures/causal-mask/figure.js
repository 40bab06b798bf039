// Two runs that differ in the last word: with the causal mask no earlier output may differ.
"use strict";

Live.figure("causal-mask", (ui, { sentence, others, head }) => {
  const { text, strip, number, short } = Live;
  const model = Live.reader(Live.data.reader);
  const first = sentence.split(" ");
  let masked = true, other = others[0];
  const map = ui.picture(), outputs = ui.picture();

  function draw() {
    const changed = [...first.slice(0, -1), other];
    const [before, after] = [first, changed].map((words) => model.read(words, { causal: masked }).each[head]);
    const moved = before.output.map((row, t) => Live.distance(row, after.output[t]));
    const { parts, bottom } = Live.heat(after.weights, changed, { x: 76, y: 88, size: 276, numbers: true, shut: (i, j) => masked && j > i });
    map.draw(
      `Weights of the sentence that ends with ${other}; row: the query's word, column: the key's word. ${masked ? "All entries above the diagonal are masked." : "Nothing is masked."}`,
      bottom + 4,
      text(0, 14, masked ? "Weights, later words masked" : "Weights, nothing masked", "name"), parts);
    const side = 11;
    outputs.draw(
      `Outputs before and after the last word changed, and how far each moved: ${first.slice(0, -1).map((word, t) => `${word} ${number(moved[t])}`).join(", ")}, the last word ${number(moved[moved.length - 1])}.`,
      52 + 38 * first.length,
      text(0, 14, "Outputs", "name"),
      text(84, 40, `… ${first[first.length - 1]}`), text(194, 40, `… ${other}`), text(356, 40, "moved by", "end"),
      first.map((word, t) => {
        const y = 54 + 38 * t;
        const last = t === first.length - 1;
        return [
          text(76, y + 12, last ? "the last" : short(word, 10), "end"),
          strip(84, y, before.output[t], side, "v"), strip(194, y, after.output[t], side, "v"),
          text(356, y + 12, number(moved[t]), `end${moved[t] > 1e-9 ? " strong" : ""}`),
          !last && moved[t] > 1e-9 ? Live.box(308, y - 5, 51, 24, "warn") : null,
        ];
      }));
    const earlier = moved.slice(0, -1);
    const leaks = earlier.filter((by) => by > 1e-9).length;
    ui.say(leaks
      ? `The leak: ${leaks} of ${earlier.length} earlier outputs changed, by up to ${number(Math.max(...earlier))}, when the last word became ${other}.`
      : `No leak: the last word became ${other}, and none of the ${earlier.length} earlier outputs changed.`);
  }

  ui.check({ label: "Causal mask", value: masked, change: (on) => { masked = on; draw(); } });
  ui.choice({ label: `Change the last word, ${first[first.length - 1]}, to`, options: others.map((word) => [word, word]), value: other, change: (word) => { other = word; draw(); } });
  draw();
});
