// A query and three keys in the plane: drag them, or move them with the arrow keys.
"use strict";

Live.figure("arrows", (ui, data) => {
  const { svg, text, line, box, number, at } = Live;
  const UNIT = 52, MIDDLE = [180, 150], MOST = [3.2, 2.6];
  const names = ["q", ...data.keys.map((_, i) => `k${i + 1}`)];
  const tips = Object.fromEntries([["q", [...data.q]], ...data.keys.map((key, i) => [`k${i + 1}`, [...key]])]);
  const plane = ui.picture({ group: true }), table = ui.picture();
  const arrows = svg("g");
  const handles = svg("g");
  const onPage = ([x, y]) => [MIDDLE[0] + UNIT * x, MIDDLE[1] - UNIT * y];
  const round = (value, most) => Math.min(Math.max(Math.round(value * 10) / 10, -most), most) + 0;
  const kind = (name) => name[0];
  const sub = (name) => (name === "q" ? "q" : `k${"₁₂₃"[Number(name[1]) - 1]}`);

  const held = Object.fromEntries(names.map((name) => {
    const move = (x, y) => { tips[name] = [round(x, MOST[0]), round(y, MOST[1])]; draw(); };
    const handle = svg("g", {
      class: `handle ${kind(name)}`, tabindex: 0, role: "slider", "aria-label": `Tip of ${name}`,
      "aria-valuemin": -MOST[0], "aria-valuemax": MOST[0],
      onkeydown: (event) => {
        const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        if (!by) return;
        event.preventDefault();
        const step = event.shiftKey ? 0.5 : 0.1;
        move(tips[name][0] + step * by[0], tips[name][1] + step * by[1]);
      },
    }, svg("circle", { class: "grip", r: 22 }), svg("circle", { class: "knob", r: 7 }));
    Live.holdStill(handle);
    Live.drag(handle, plane.element, () => [
      (x, y) => move((x - MIDDLE[0]) / UNIT, (MIDDLE[1] - y) / UNIT), [...tips[name]],
    ], (before) => { tips[name] = before; draw(); });
    handles.append(handle);
    return [name, handle];
  }));

  function draw() {
    const keys = names.slice(1).map((name) => tips[name]);
    const { weights: [weights], scores: [scores] } = Live.attention([tips.q], keys, keys);
    const raw = keys.map((key) => Live.dot(tips.q, key));
    arrows.replaceChildren(...names.flatMap((name) => {
      const [x, y] = onPage(tips[name]);
      const length = Math.hypot(x - MIDDLE[0], y - MIDDLE[1]) || 1;
      const [left, top] = [x + (20 * (x - MIDDLE[0])) / length, y + (20 * (y - MIDDLE[1])) / length];
      const width = name === "q" ? 1 : 0.3 + 0.7 * weights[names.indexOf(name) - 1];
      const drawn = Live.arrow(...MIDDLE, x, y, kind(name));
      drawn.setAttribute("opacity", at(0.35 + 0.65 * width));
      return [drawn, text(left, top + 5, sub(name), `middle name ${kind(name)}`)];
    }));
    for (const name of names) {
      const [x, y] = onPage(tips[name]);
      held[name].setAttribute("transform", `translate(${at(x)} ${at(y)})`);
      held[name].setAttribute("aria-valuenow", tips[name][0]);
      held[name].setAttribute("aria-valuetext", `${number(tips[name][0], 1)} across, ${number(tips[name][1], 1)} up`);
    }
    table.draw(
      `For each key its score q · k, divided by the root of 2, and its weight: ${names.slice(1).map((name, i) => `${name}: ${number(raw[i])}, ${number(scores[i])}, ${number(weights[i])}`).join("; ")}.`,
      190,
      text(0, 18, "q", "name q"), text(24, 18, `(${tips.q.map((value) => number(value, 1)).join(", ")})`),
      text(150, 52, "q · k", "end"), text(216, 52, "÷ √2", "end"), text(228, 52, "weight"),
      names.slice(1).map((name, i) => {
        const y = 62 + 40 * i;
        return [
          text(0, y + 17, sub(name), "name k"), text(24, y + 17, `(${tips[name].map((value) => number(value, 1)).join(", ")})`),
          text(150, y + 17, number(raw[i]), "end"), text(216, y + 17, number(scores[i]), "end"),
          box(228, y, 88, 24, "track"), box(228, y, 88 * weights[i], 24, "cell weight"),
          text(358, y + 17, number(weights[i]), "end strong"),
        ];
      }));
    const best = Live.largest(weights);
    ui.say(`q attends most to ${sub(names[best + 1])}: weight ${number(weights[best])}, score ${number(scores[best])}.`);
  }

  plane.draw("An arrow for the query q and one for each of three keys, all from one point", 300,
    line(0, MIDDLE[1], 360, MIDDLE[1]), line(MIDDLE[0], 0, MIDDLE[0], 300),
    [1, 2].map((r) => svg("circle", { class: "ring", cx: MIDDLE[0], cy: MIDDLE[1], r: r * UNIT })), arrows, handles);
  ui.hint("Drag a tip, or reach it with the Tab key and move it with the arrow keys (with Shift: farther).");
  draw();
});
