// A translator while it learns: what it writes for one sentence after more and more steps, and where it looks.
"use strict";

Live.figure("film", (ui) => {
  const { text, box, number, short, at, svg } = Live;
  const { source, frames } = Live.data.film;
  const asked = [...source, "end"];
  const [x, high, wide, rows] = [92, 18, Math.min(264 / asked.length, 24), Math.max(...frames.map(({ weights }) => weights.length))];
  const picture = ui.picture();
  let place = frames.findIndex(({ said }) => said.length); // before that it writes nothing

  function draw() {
    const { step, said, weights } = frames[place], written = [...said, "end"];
    const sentence = said.join(" ") || "(nothing)";
    const lines = sentence.match(/.{1,42}(?:\s|$)/gu) || [];
    const top = 156;
    const cells = weights.map((line, i) => [
      text(x - 6, top + (i + 0.5) * high + 4, short(written[i] ?? "…", 11), "end"),
      line.map((weight, j) => [
        box(x + j * wide, top + i * high, wide - 1, high - 1, "cell heat", { "fill-opacity": at(weight / 100) }),
        box(x + j * wide, top + i * high, wide - 1, high - 1, "frame"),
      ]),
    ]);
    const columns = asked.map((word, j) => svg("text", { transform: `translate(${at(x + (j + 0.5) * wide + 3)} ${top - 6}) rotate(-60)` }, short(word, 11)));
    picture.draw(
      `After ${step} steps it writes: ${sentence}. ${weights.map((line, i) => `Before ${written[i] ?? "the rest"} it looks most at ${asked[Live.largest(line)]}, ${number(Math.max(...line) / 100)}`).join("; ")}.`,
      top + rows * high + 26,
      text(0, 16, `After ${step.toLocaleString("en")} steps it writes`, "name"),
      lines.slice(0, 3).map((line, i) => text(0, 38 + 18 * i, line.trim(), "strong")), columns, cells,
      Live.scale(x, top + rows * high + 8));
    ui.say(`${step.toLocaleString("en")} steps: ${sentence}.`);
  }

  const slider = ui.slider({ label: "Steps of training", min: 0, max: frames.length - 1, value: place, show: (n) => frames[n].step.toLocaleString("en"), change: (n) => { place = n; draw(); } });
  ui.play({ slider, change: (n) => { place = n; draw(); } });
  ui.hint("First it babbles, then it writes well-formed but wrong numbers. Up to step 240 all squares are pale. From which step on are the dark ones at the right German words?");
  draw();
});
