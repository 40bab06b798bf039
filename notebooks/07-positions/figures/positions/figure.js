// Sinusoidal codes of two positions, and how alike one of them is to every other.
"use strict";

// PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i + 1) = cos of the same.
Live.sinusoidalCode = (position, width) => Array.from({ length: width }, (_, i) => {
  const angle = position / 10000 ** ((i - (i % 2)) / width);
  return i % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
});

Live.figure("positions", (ui, data) => {
  const { svg, text, line, box, number, at } = Live;
  const { width, count } = data;
  const codes = Array.from({ length: count }, (_, n) => Live.sinusoidalCode(n, width));
  const shown = { position: data.position, other: data.other };
  const bars = ui.picture(), curve = ui.picture();
  const step = 312 / width;
  const inCode = (value) => 100 - 72 * value;
  const across = (n) => 40 + (304 * n) / (count - 1);
  const up = (value) => 172 - (9 * 16 * value) / (width / 2);

  function draw() {
    const { position, other } = shown;
    const alike = codes.map((code) => Live.dot(codes[position], code));
    bars.draw(
      `${width} bars between −1 and 1, the code of position ${position}; a dot at each bar, the code of position ${other}.`, 210,
      svg("text", { class: "name", x: 0, y: 14 }, `Codes of positions ${position} (bars) and `, svg("tspan", { class: "k" }, `${other} (dots)`)),
      [-1, 0, 1].map((value) => [line(40, inCode(value), 352, inCode(value)), text(32, inCode(value) + 4, number(value, 0), "end")]),
      [0, 8, 16, 24, width - 1].map((i) => text(40 + (i + 0.5) * step, 190, i, "middle")), text(352, 207, "coordinate", "end"),
      codes[position].map((value, i) => box(40 + (i + 0.1) * step, Math.min(inCode(value), inCode(0)), 0.8 * step, 72 * Math.abs(value), `cell q ${i % 2 ? "cosine" : "sine"}`)),
      codes[other].map((value, i) => svg("circle", { class: "spot k", cx: at(40 + (i + 0.5) * step), cy: at(inCode(value)), r: 3 })));
    curve.draw(
      `A curve over all positions, highest at position ${position}: the dot product of its code with each code; at ${other} it is ${number(alike[other], 3)}.`, 210,
      text(0, 14, `Similarity of position ${position} to each`, "name"),
      [0, 0.5, 1].map((share) => [line(40, up((share * width) / 2), 352, up((share * width) / 2)), text(32, up((share * width) / 2) + 4, (share * width) / 2, "end")]),
      [0, 32, 64, 96, count - 1].map((n) => text(across(n), 190, n, "middle")), text(352, 207, "position", "end"),
      line(across(position), up(0), across(position), up(width / 2), "curve q"),
      svg("path", { class: "curve", d: `M${alike.map((value, n) => `${at(across(n))},${at(up(value))}`).join("L")}` }),
      svg("circle", { class: "knob q", cx: at(across(position)), cy: up(0), r: 6 }),
      svg("circle", { class: "knob k", cx: at(across(other)), cy: at(up(alike[other])), r: 6 }));
    ui.say(`Dot product of codes ${position} and ${other}: ${number(alike[other], 3)}; of ${position} with itself: ${number(alike[position], 3)}.`);
    return alike;
  }

  const sliders = Object.fromEntries([["position", "Position"], ["other", "Compared with"]].map(([name, label]) =>
    [name, ui.slider({ label, min: 0, max: count - 1, value: shown[name], change: (n) => { shown[name] = n; draw(); } })]));
  const set = (name, n) => {
    shown[name] = Math.min(Math.max(Math.round(n), 0), count - 1);
    sliders[name].set(shown[name]);
    draw();
  };
  curve.element.classList.add("across");
  Live.drag(curve.element, curve.element, (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(curve.element.getScreenCTM().inverse());
    const there = [across(shown.other), up(Live.dot(codes[shown.position], codes[shown.other]))];
    const name = Math.hypot(point.x - there[0], point.y - there[1]) < 22 ? "other" : "position";
    return [(x) => set(name, ((x - 40) * (count - 1)) / 304), { ...shown }];
  }, (before) => { for (const name of Object.keys(before)) set(name, before[name]); });
  ui.hint("Drag the line or the orange dot, or use the sliders. Even coordinates are sines (full colour), odd ones cosines (pale).");
  draw();
});
