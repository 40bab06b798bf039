// The words of a review in the plane and one query: turn it, stretch it, and see what the average becomes.
"use strict";

Live.figure("important-word", (ui, data) => {
  const { svg, text, line, box, number, at } = Live;
  const UNIT = 62, MIDDLE = [180, 176], MOST = [2.7, 2.6];
  const names = Object.keys(data.words), rows = Object.values(data.words);
  let v = [...data.v];
  const plane = ui.picture({ group: true }), table = ui.picture();
  const dots = svg("g"), handles = svg("g");
  const onPage = ([x, y]) => [MIDDLE[0] + UNIT * x, MIDDLE[1] - UNIT * y];
  const round = (value, most) => Math.min(Math.max(Math.round(value * 10) / 10, -most), most) + 0;
  const move = (x, y) => { v = [round(x, MOST[0]), round(y, MOST[1])]; draw(); };
  const handle = svg("g", {
    class: "handle q", tabindex: 0, role: "slider", "aria-label": "Tip of the query v",
    "aria-valuemin": -MOST[0], "aria-valuemax": MOST[0],
    onkeydown: (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by) return;
      event.preventDefault();
      const step = event.shiftKey ? 0.5 : 0.1;
      move(v[0] + step * by[0], v[1] + step * by[1]);
    },
  }, svg("circle", { class: "grip", r: 22 }), svg("circle", { class: "knob", r: 7 }));
  Live.holdStill(handle);
  Live.drag(handle, plane.element, () => [
    (x, y) => move((x - MIDDLE[0]) / UNIT, (MIDDLE[1] - y) / UNIT), [...v],
  ], (before) => { v = before; draw(); });
  handles.append(handle);

  function draw() {
    const scores = rows.map((row) => Live.dot(row, v));
    const weights = Live.softmax(scores);
    const o = [0, 1].map((i) => Live.dot(weights, rows.map((row) => row[i])));
    const score = o[0] + data.constant, verdict = score < 0 ? "bad" : "good";
    const [x, y] = onPage(v), [u, w] = onPage(o);
    const away = Math.hypot(x - MIDDLE[0], y - MIDDLE[1]);
    dots.replaceChildren(
      ...names.flatMap((name, j) => {
        const [left, top] = onPage(rows[j]), size = 3 + 12 * Math.sqrt(weights[j]);
        return [
          svg("circle", { class: "dot k", cx: at(left), cy: at(top), r: at(size) }),
          text(left, top - size - 4, name, "middle"),
        ];
      }),
      svg("path", { class: "spot v", d: `M${at(u)},${at(w - 8)}l8,8l-8,8l-8,-8Z` }), text(u + 12, w + 5, "o", "name v"),
      ...(away > 10 ? [Live.arrow(...MIDDLE, x, y, "q")] : []),
      text(x + (away ? (22 * (x - MIDDLE[0])) / away : 18), y + (away ? (22 * (y - MIDDLE[1])) / away : 0) + 5, "v", "middle name q"));
    handle.setAttribute("transform", `translate(${at(x)} ${at(y)})`);
    handle.setAttribute("aria-valuenow", v[0]);
    handle.setAttribute("aria-valuetext", `${number(v[0], 1)} across, ${number(v[1], 1)} up`);
    table.draw(
      `For each word its score and its weight: ${names.map((name, j) => `${name} ${number(scores[j], 4)} ${number(weights[j], 4)}`).join(", ")}.`,
      112 + 26 * names.length,
      text(132, 18, "v · x", "end"), text(146, 18, "weight"),
      names.map((name, j) => {
        const top = 30 + 26 * j;
        return [
          text(0, top + 15, name, j === Live.largest(weights) && away ? "strong" : ""), text(132, top + 15, number(scores[j]), "end"),
          box(146, top, 160, 20, "track"), box(146, top, 160 * weights[j], 20, "cell weight"),
          text(356, top + 15, number(weights[j]), "end strong"),
        ];
      }),
      text(0, 54 + 26 * names.length, `v = (${number(v[0], 1)}, ${number(v[1], 1)})`, "name q"),
      text(356, 54 + 26 * names.length, `length ${number(Math.hypot(...v), 1)}`, "name end q"),
      text(0, 80 + 26 * names.length, `o = (${number(o[0])}, ${number(o[1])})`, "name v"),
      text(356, 80 + 26 * names.length, verdict, `name end ${score < 0 ? "k" : "v"}`),
      text(356, 104 + 26 * names.length, `vote ${number(o[0], 4)} and constant ${number(data.constant, 4)}: ${number(score, 4)}`, "end"));
    const heaviest = away ? `The heaviest word is ${names[Live.largest(weights)]}, with ${number(Math.max(...weights))} of the weight.` : "All words weigh the same: this is the mean.";
    ui.say(`${heaviest} The average votes ${number(o[0], 4)}. With the constant that is ${number(score, 4)}: the review is ${verdict}.`);
  }

  plane.draw("The words of a review in the plane: across, which way a word votes; up, how much it is an opinion. The query v is an arrow, and o the weighted average", 352,
    line(0, MIDDLE[1], 360, MIDDLE[1]), line(MIDDLE[0], 0, MIDDLE[0], 352),
    text(4, 14, "← votes bad"), text(356, 14, "votes good →", "end"), text(MIDDLE[0] + 6, 14, "opinion ↑"), dots, handles);
  ui.buttons(["No query: the mean", () => move(0, 0)], ["Start again", () => { v = [...data.v]; draw(); }]);
  ui.hint("Drag the tip of v, or reach it with the Tab key and move it with the arrow keys (with Shift: farther). Try: up, left, right, down; then longer.");
  draw();
});
