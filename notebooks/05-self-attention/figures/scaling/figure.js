// Random queries and keys of any width: what dividing by the root of d_k does to the softmax.
"use strict";

// A generator of numbers from a normal distribution that a seed fixes (mulberry32, Box and Muller).
Live.normals = (seed) => {
  const next = Live.random(seed);
  const uniform = () => next() + 0.5 / 4294967296; // never 0, which has no logarithm
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
};

// How peaked weights are, and how strongly they answer a change of the scores: the trace of the
// softmax's derivative, the sum of a (1 - a).
Live.peaked = (weights) => ({
  largest: Math.max(...weights),
  entropy: -weights.reduce((sum, w) => sum + (w > 0 ? w * Math.log2(w) : 0), 0),
  gradient: weights.reduce((sum, a) => sum + a * (1 - a), 0),
});

Live.figure("scaling", (ui, { keys: count, widths, seed: begin }) => {
  const { text, line, box, number, svg, at } = Live;
  const wide = Math.max(...widths);
  let seed = begin, which = widths.indexOf(64), q = [], K = [];
  const bars = [false, true].map(() => ui.picture());
  const curve = ui.picture();

  function make() {
    const next = Live.normals(seed);
    q = Array.from({ length: wide }, next);
    K = Array.from({ length: count }, () => Array.from({ length: wide }, next));
  }
  const weightsAt = (width, scaled) => {
    const cut = K.map((key) => key.slice(0, width));
    return Live.attention([q.slice(0, width)], cut, cut, { scale: scaled ? 1 / Math.sqrt(width) : 1 }).weights[0];
  };

  function draw() {
    const width = widths[which];
    const found = [false, true].map((scaled) => {
      const weights = weightsAt(width, scaled);
      return { weights, ...Live.peaked(weights) };
    });
    found.forEach(({ weights, largest, entropy, gradient }, i) => {
      const kind = i ? "two" : "one";
      bars[i].draw(
        `Weights of ${count} keys ${i ? "with" : "without"} scaling at d_k = ${width}: largest ${number(largest)}, entropy ${number(entropy)} bits.`,
        198,
        text(0, 14, i ? "softmax(q · k / √dₖ)" : "softmax(q · k)", `name`),
        [0, 0.5, 1].map((value) => [line(34, 130 - 96 * value, 356, 130 - 96 * value), text(28, 134 - 96 * value, value, "end")]),
        weights.map((w, j) => box(40 + j * (316 / count), 130 - 96 * w, 316 / count - 5, 96 * w, `cell ${kind}`)),
        text(34, 148, `${count} keys`),
        text(34, 170, `largest ${number(largest)}`, "strong"), text(136, 170, `entropy ${number(entropy)} bits`, "strong"),
        text(34, 188, `gradient Σ a(1 − a) = ${number(gradient, 4)}`, "strong"));
    });
    const x = (i) => 40 + (i * 300) / (widths.length - 1);
    const y = (value) => 130 - 96 * value;
    const paths = [false, true].map((scaled, i) => svg("path", {
      class: `curve ${i ? "two" : "one dashed"}`,
      d: `M${widths.map((w, j) => `${at(x(j))},${at(y(Live.peaked(weightsAt(w, scaled)).largest))}`).join("L")}`,
    }));
    curve.draw(
      `The largest weight at each d_k from 1 to ${wide}, without scaling and with it.`, 190,
      text(0, 14, "Largest weight at each dₖ", "name"),
      [0, 0.5, 1].map((value) => [line(34, y(value), 356, y(value)), text(28, y(value) + 4, value, "end")]),
      widths.map((w, j) => (j % 2 ? null : text(x(j), 148, w, "middle"))), text(356, 166, "dₖ", "end"),
      line(x(which), y(0), x(which), y(1), "here"), paths,
      text(40, 184, "- - without scaling", "one"), text(190, 184, "— with scaling", "two"));
    const [plain, scaled] = found;
    ui.say(`dₖ = ${width}: the largest weight is ${number(plain.largest)} without scaling and ${number(scaled.largest)} with it; the gradient ${number(plain.gradient, 4)} and ${number(scaled.gradient, 4)}.`);
  }

  ui.slider({ label: "dₖ, width of a head", min: 0, max: widths.length - 1, value: which, show: (i) => String(widths[i]), change: (i) => { which = i; draw(); } });
  ui.buttons(["Draw new numbers", () => { seed += 1; make(); draw(); }]);
  make();
  draw();
});
