// One pair and its noise words: take steps of negative sampling and see who moves where.
"use strict";

Live.negativeSampling = (w, vectors, rate) => {
  // The first of the vectors is the neighbour that was seen, the others are noise.
  const { dot } = Live;
  const sigmoid = (score) => 1 / (1 + Math.exp(-score));
  const scores = vectors.map((v) => dot(w, v));
  const says = scores.map(sigmoid);
  const errors = says.map((share, j) => share - (j === 0 ? 1 : 0));
  const loss = scores.reduce((sum, score, j) => sum - Math.log(sigmoid(j === 0 ? score : -score)), 0);
  return {
    scores, says, errors, loss,
    w: w.map((value, i) => value - rate * errors.reduce((sum, error, j) => sum + error * vectors[j][i], 0)),
    vectors: vectors.map((v, j) => v.map((value, i) => value - rate * errors[j] * w[i])),
  };
};

Live.figure("pull-push", (ui, { centre, around, w, vectors, rate, noise }) => {
  const { svg, text, line, box, number } = Live;
  const UNIT = 62, MIDDLE = [180, 150];
  let step = 0, now = { w, vectors }, learning = rate, drawn = noise;
  const plane = ui.picture(), table = ui.picture();
  const onPage = ([x, y]) => [MIDDLE[0] + UNIT * x, MIDDLE[1] - UNIT * y];
  const kind = (j) => (j === 0 ? "k" : "one");
  const next = () => Live.negativeSampling(now.w, now.vectors.slice(0, 1 + drawn), learning);

  // An arrow to where a vector is, and a dashed line to where one step would take it.
  function vector(name, from, to, own) {
    const [x, y] = onPage(from), [u, v] = onPage(to);
    const away = Math.hypot(x - MIDDLE[0], y - MIDDLE[1]) || 1;
    const [left, top] = [x + (16 * (x - MIDDLE[0])) / away, y + (16 * (y - MIDDLE[1])) / away];
    return svg("g", { class: own },
      Live.arrow(...MIDDLE, x, y, own), line(x, y, u, v, "ghost"),
      svg("circle", { class: "spot", cx: Live.at(u), cy: Live.at(v), r: 3.5 }),
      text(left, top + 4, name, `${x < MIDDLE[0] ? "end" : ""} ${own}`));
  }

  function draw() {
    const after = next();
    // Noise words that are not drawn stay in sight: nothing moves them, and the model may say yes to them.
    const words = around.slice(0, 1 + Math.max(drawn, noise));
    const { scores, says, errors } = Live.negativeSampling(now.w, now.vectors.slice(0, words.length), 0);
    const pushed = (j) => j <= drawn;
    const place = (v) => v.map((value) => number(value)).join(", ");
    plane.draw(
      `Vectors in the plane after ${step} steps: ${centre} (${place(now.w)}); ${words.map((word, j) => `${word} (${place(now.vectors[j])})`).join("; ")}.`,
      300, line(0, MIDDLE[1], 360, MIDDLE[1]), line(MIDDLE[0], 0, MIDDLE[0], 300),
      words.map((word, j) => vector(word, now.vectors[j], after.vectors[j] ?? now.vectors[j], kind(j))),
      vector(centre, now.w, after.w, "q"));
    table.draw(
      `For each word its score with ${centre}, what the model says, what is true, and the difference: ${words.map((word, j) => `${word}: ${number(scores[j], 4)}, ${number(says[j], 4)}, ${j ? 0 : 1}, ${number(errors[j], 4)}`).join("; ")}.`,
      60 + 40 * words.length,
      text(126, 20, "score", "end"), text(138, 20, "says yes"), text(278, 20, "true", "end"), text(356, 20, "force", "end"),
      words.map((word, j) => {
        const y = 34 + 40 * j;
        return [
          text(0, y + 17, word, `name ${kind(j)}`), text(126, y + 17, number(scores[j]), "end"),
          box(138, y, 62, 24, "track"), box(138, y, 62 * says[j], 24, `cell ${kind(j)}`),
          text(208, y + 17, number(says[j])), text(278, y + 17, j ? "no" : "yes", "end"),
          text(356, y + 17, pushed(j) ? `${j ? "push" : "pull"} ${number(Math.abs(errors[j]))}` : "not drawn", pushed(j) ? "end strong" : "end"),
        ];
      }));
    ui.say(`Step ${step}: the loss is ${number(after.loss, 4)}. The score of ${around[0]} is ${number(after.scores[0])}${drawn ? `, and of the noise words ${after.scores.slice(1).map((score) => number(score)).join(", ")}` : ""}.`);
  }

  function take(steps) {
    for (let i = 0; i < steps; i += 1) {
      const { w: moved, vectors: others } = next();
      now = { w: moved, vectors: [...others, ...now.vectors.slice(1 + drawn)] };
      step += 1;
    }
    draw();
  }

  ui.slider({ label: "Learning rate", min: 0.1, max: 1, step: 0.1, value: rate, show: (value) => number(value, 1), change: (value) => { learning = value; draw(); } });
  ui.slider({ label: "Noise words", min: 0, max: around.length - 1, value: noise, change: (value) => { drawn = value; draw(); } });
  ui.buttons(["Take a step", () => take(1)], ["Take ten steps", () => take(10)], ["Start again", () => { step = 0; now = { w, vectors }; draw(); }]);
  draw();
});
