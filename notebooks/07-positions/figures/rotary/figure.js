// Rotary positions: two arrows, each turned by its position, the score that is left of both turns, and the wave that it
// follows as the distance of the positions changes.
"use strict";

// How far pair i of a head of this width turns at each position: 10000^(-2i/d).
Live.rotaryTheta = (pair, width) => 10000 ** ((-2 * pair) / width);
Live.turn = ([a, b], angle) => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [a * cos - b * sin, a * sin + b * cos];
};

Live.figure("rotary", (ui, data) => {
  const { svg, html, text, line, number, at } = Live;
  const UNIT = 76, MIDDLE = 180;
  const place = { q: "m", k: "n" };
  const now = { m: data.m, n: data.n, pair: data.pair };
  for (const name of ["q", "k"]) [now[`${name}-direction`], now[`${name}-length`]] = data.arrows[name];
  const plane = ui.picture({ group: true });
  const drawn = svg("g"), handles = svg("g");
  const table = html("dl", { class: "live-numbers" });
  const wave = ui.picture();
  ui.panel(html("div", {}, wave.element, table));
  const radians = (degrees) => (degrees * Math.PI) / 180;
  // As the clocks of the lesson: from the top, clockwise. The first coordinate goes up, the second to the right.
  const onPage = ([up, right]) => [MIDDLE + UNIT * right, MIDDLE - UNIT * up];
  let was = null;

  function read() {
    const theta = Live.rotaryTheta(now.pair, data.width);
    const arrows = Object.entries(place).map(([name, position]) => {
      const start = Live.turn([now[`${name}-length`], 0], radians(now[`${name}-direction`]));
      return { name, start, tip: Live.turn(start, now[position] * theta) };
    });
    return { ...now, theta, arrows, score: Live.dot(arrows[0].tip, arrows[1].tip) };
  }

  // The score at every distance, for these arrows: a wave that is as high as the product of their lengths.
  function drawWave({ theta, score }) {
    const most = now["q-length"] * now["k-length"], between = radians(now["q-direction"] - now["k-direction"]);
    const across = (distance) => 40 + (304 * (distance + data.last)) / (2 * data.last);
    const up = (value) => 84 - (54 * value) / most;
    const points = Array.from({ length: 4 * data.last + 1 }, (_, i) => i / 2 - data.last)
      .map((distance) => `${at(across(distance))},${at(up(most * Math.cos(between + distance * theta)))}`);
    const here = across(now.m - now.n);
    wave.draw(
      `A wave: the score at each distance m − n from −${data.last} to ${data.last}. A dot on it at ${number(now.m - now.n, 0)}, where the score is ${number(score, 3)}.`, 186,
      text(0, 14, "Score at each distance", "name"),
      [-1, 0, 1].map((share) => [line(40, up(share * most), 352, up(share * most)), text(32, up(share * most) + 4, number(share * most, 1), "end")]),
      [-60, -30, 0, 30, 60].map((distance) => text(across(distance), 163, number(distance, 0), "middle")), text(352, 181, "m − n", "end"),
      svg("path", { class: "curve", d: `M${points.join("L")}` }), line(here, up(-most), here, up(most), "here"),
      svg("circle", { class: "knob one", cx: at(here), cy: at(up(score)), r: 6 }));
  }

  function draw() {
    const { arrows, score, theta } = read();
    const unit = arrows.map(({ tip }) => Live.at(Math.atan2(tip[1], tip[0]) * 1e4) / 1e4);
    const [from, to] = unit.map((angle) => onPage([0.45 * Math.cos(angle), 0.45 * Math.sin(angle)]).map(at));
    const right = Number(arrows[0].tip[0] * arrows[1].tip[1] > arrows[0].tip[1] * arrows[1].tip[0]);
    drawn.replaceChildren(
      svg("path", { class: "curve", d: `M${from}A${0.45 * UNIT},${0.45 * UNIT},0,0,${right},${to}` }),
      ...arrows.flatMap(({ name, start, tip }) => {
        const [x, y] = onPage(tip);
        const length = Math.hypot(x - MIDDLE, y - MIDDLE) || 1;
        const ghost = line(MIDDLE, MIDDLE, ...onPage(start), "ghost");
        return [
          svg("g", { class: name }, ghost), Live.arrow(MIDDLE, MIDDLE, x, y, name),
          text(x + (20 * (x - MIDDLE)) / length, y + (20 * (y - MIDDLE)) / length + 5, name, `middle name ${name}`),
        ];
      }));
    for (const { name, tip } of arrows) {
      const [x, y] = onPage(tip);
      held[name].setAttribute("transform", `translate(${at(x)} ${at(y)})`);
    }
    const point = ([x, y]) => `(${number(x, 3)}, ${number(y, 3)})`;
    const rows = {
      "m − n": number(now.m - now.n, 0), "q at m": point(arrows[0].tip), "k at n": point(arrows[1].tip),
      "score, their product": number(score, 3),
    };
    table.replaceChildren(...Object.entries(rows).flatMap(([term, value]) => [html("dt", {}, term), html("dd", {}, value)]));
    drawWave({ theta, score });
    plane.element.setAttribute("aria-label", `Two arrows from one point, q and k, each turned by its position; dashed, where each points at position 0; an arc, the angle between them. Score ${number(score, 3)}.`);
  }

  // Says what became of the score, in words that stay the same as long as the score does.
  function moved() {
    draw();
    const next = read();
    const [distance, score] = [number(next.m - next.n, 0), number(next.score, 3)];
    const [m, n] = [next.m - was.m, next.n - was.n];
    if (next.pair !== was.pair) {
      ui.say(`This pair turns by ${next.theta.toPrecision(1)} radians a position: the score is ${score}.`);
    } else if (m !== 0 && m === n) {
      ui.say(`Both moved: m − n is still ${distance}, and the score is ${score === number(was.score, 3) ? "still" : "now"} ${score}.`);
    } else if (m !== 0 || n !== 0) {
      ui.say(`${m !== 0 ? "m" : "n"} moved alone: m − n is now ${distance}, and the score ${score}.`);
    } else if (next.score !== was.score) {
      ui.say(`An arrow was changed: the score is now ${score}.`);
    }
    was = next;
  }

  function showAll() {
    for (const name of ["m", "n"]) sliders[name].set(now[name]);
    for (const name of ["q", "k"]) for (const part of ["direction", "length"]) sliders[`${name}-${part}`].set(now[`${name}-${part}`]);
    sliders.both.set(Math.min(now.m, now.n), data.last - Math.abs(now.n - now.m));
  }
  const change = (name) => (value) => {
    now[name] = value;
    showAll();
    moved();
  };

  const held = Object.fromEntries(Object.entries(place).map(([name, position]) => {
    const handle = svg("g", { class: `handle ${name}` }, svg("circle", { class: "grip", r: 22 }), svg("circle", { class: "knob", r: 7 }));
    const parts = [`${name}-direction`, `${name}-length`];
    Live.holdStill(handle);
    Live.drag(handle, plane.element, () => [(x, y) => {
      const back = -now[position] * Live.rotaryTheta(now.pair, data.width);
      const [a, b] = Live.turn([(MIDDLE - y) / UNIT, (x - MIDDLE) / UNIT], back);
      now[parts[0]] = (Math.round((Math.atan2(b, a) * 180) / Math.PI) + 360) % 360;
      now[parts[1]] = Math.min(Math.max(Math.round(Math.hypot(a, b) * 20) / 20, 0.2), 2);
      showAll();
      moved();
    }, parts.map((part) => now[part])], (before) => {
      parts.forEach((part, i) => { now[part] = before[i]; });
      showAll();
      moved();
    });
    handles.append(handle);
    return [name, handle];
  }));

  const sliders = {
    m: ui.slider({ label: "m, position of q", min: 0, max: data.last, value: now.m, change: change("m") }),
    n: ui.slider({ label: "n, position of k", min: 0, max: data.last, value: now.n, change: change("n") }),
    both: ui.slider({
      label: "Both together", min: 0, max: data.last - Math.abs(now.m - now.n), value: Math.min(now.m, now.n),
      show: () => `${now.m}, ${now.n}`,
      change(value) {
        const shift = value - Math.min(now.m, now.n);
        now.m += shift;
        now.n += shift;
        showAll();
        moved();
      },
    }),
  };
  ui.choice({
    label: "Pair", value: now.pair, change: (pair) => change("pair")(Number(pair)),
    options: Array.from({ length: data.width / 2 }, (_, i) => [i, `Coordinates ${2 * i} and ${2 * i + 1}, θ = ${Number(Live.rotaryTheta(i, data.width).toPrecision(4))}`]),
  });
  const start = html("details", {}, html("summary", {}, "The arrows at position 0"));
  ui.below.append(start);
  for (const name of ["q", "k"]) {
    sliders[`${name}-direction`] = ui.slider({ label: `${name}, direction`, min: 0, max: 359, value: now[`${name}-direction`], show: (x) => `${x}°`, change: change(`${name}-direction`), to: start });
    sliders[`${name}-length`] = ui.slider({ label: `${name}, length`, min: 0.2, max: 2, step: 0.05, value: now[`${name}-length`], change: change(`${name}-length`), to: start });
  }
  ui.hint("Drag the tips of the arrows, or use the sliders. Dashed: q and k at position 0.");
  plane.draw("", 360, line(0, MIDDLE, 360, MIDDLE), line(MIDDLE, 0, MIDDLE, 360),
    text(MIDDLE + 6, 12, "1st number"), text(360, MIDDLE - 6, "2nd", "end"),
    [1, 2].map((r) => svg("circle", { class: "ring", cx: MIDDLE, cy: MIDDLE, r: r * UNIT })), drawn, handles);
  draw();
  was = read();
  ui.say(`m − n is ${number(was.m - was.n, 0)}, and the score ${number(was.score, 3)}.`);
});
