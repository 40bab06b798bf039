// A recurrent translator while it learns where to look: one number, the right words fed in.
"use strict";

Live.figure("aligning", (ui) => {
  const { text, heat, number } = Live;
  const { source, target, partners, frames } = Live.data.aligning;
  const [columns, rows] = [[...source, "end"], [...target, "end"]];
  const picture = ui.picture();
  let place = 0;
  // The mean weight on the right piece, over the words that have one.
  const onPartner = (weights) => {
    const found = partners.flatMap((j, i) => (j < 0 ? [] : [weights[i][j] / 100]));
    return found.reduce((a, b) => a + b, 0) / found.length;
  };

  function draw() {
    const { step, said, weights } = frames[place], written = said.join(" ") || "(nothing)";
    const lines = (written.match(/.{1,42}(?:\s|$)/gu) || []).slice(0, 3);
    const { parts, bottom } = heat(weights.map((line) => line.map((share) => share / 100)), rows, {
      columns, x: 92, y: 162, size: 264, framed: (i, j) => partners[i] === j,
    });
    picture.draw(
      `After ${step} steps it writes: ${written}. ${weights.map((line, i) => `Before ${rows[i]} it looks most at ${columns[Live.largest(line)]}, ${number(Math.max(...line) / 100)}`).join("; ")}.`,
      bottom + 4,
      text(0, 16, `After ${step.toLocaleString("en")} steps it writes`, "name"),
      lines.map((line, i) => text(0, 38 + 18 * i, line.trim(), "strong")), parts);
    ui.say(`${step.toLocaleString("en")} steps: ${number(onPartner(weights))} of the weight is on the right piece. It writes: ${written}.`);
  }

  const slider = ui.slider({ label: "Steps of training", min: 0, max: frames.length - 1, value: place, show: (n) => frames[n].step.toLocaleString("en"), change: (n) => { place = n; draw(); } });
  ui.play({ slider, change: (n) => { place = n; draw(); } });
  ui.hint("The frames mark the pieces with the same meaning. The model is never shown them. Which comes first, the right places or the right words?");
  draw();
});
