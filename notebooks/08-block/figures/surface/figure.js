// The loss around two trained nets as wire frames that the reader turns.
"use strict";

Live.surface = (() => {
  // Mean size of the curvature over mean size of the slope, at the inner points of the grid.
  function bend(Z) {
    const n = Z.length, h = 2 / (n - 1);
    let curvature = 0, slope = 0;
    for (let i = 1; i < n - 1; i += 1) {
      for (let j = 1; j < n - 1; j += 1) {
        curvature += (Math.abs(Z[i + 1][j] - 2 * Z[i][j] + Z[i - 1][j]) + Math.abs(Z[i][j + 1] - 2 * Z[i][j] + Z[i][j - 1])) / (2 * h * h);
        slope += Math.hypot(Z[i + 1][j] - Z[i - 1][j], Z[i][j + 1] - Z[i][j - 1]) / (2 * h);
      }
    }
    return curvature / slope;
  }
  // Inner points that lie below all their eight neighbours.
  function minima(Z) {
    let found = 0;
    for (let i = 1; i < Z.length - 1; i += 1) {
      for (let j = 1; j < Z.length - 1; j += 1) {
        const around = [-1, 0, 1].flatMap((a) => [-1, 0, 1].map((b) => (a || b ? Z[i + a][j + b] : Infinity)));
        if (Z[i][j] < Math.min(...around)) found += 1;
      }
    }
    return found;
  }
  return { bend, minima };
})();

Live.figure("surface", (ui, data) => {
  const { svg, text, number, at } = Live;
  const { points, nets } = Live.data.surface;
  const now = { pair: data.pair, turn: data.turn, tilt: data.tilt };
  const kinds = { with: "one", without: "two" };
  const pictures = { with: ui.picture(), without: ui.picture() };
  const radians = (degrees) => (degrees * Math.PI) / 180;

  // One square of the grid behind another: those farther away are drawn first.
  function wires(Z, top, kind) {
    const [cos, sin] = [Math.cos(radians(now.turn)), Math.sin(radians(now.turn))];
    const [rise, lie] = [Math.cos(radians(now.tilt)), Math.sin(radians(now.tilt))];
    const place = (i, j) => {
      const [s, t] = [i, j].map((k) => (2 * k) / (points - 1) - 1);
      const [across, near] = [s * cos - t * sin, s * sin + t * cos];
      return { u: 180 + 100 * across, v: 240 + 100 * near * lie - 130 * (Z[i][j] / top) * rise, near };
    };
    const corners = Array.from({ length: points }, (_, i) => Array.from({ length: points }, (_, j) => place(i, j)));
    const squares = [];
    for (let i = 0; i < points - 1; i += 1) {
      for (let j = 0; j < points - 1; j += 1) {
        const four = [corners[i][j], corners[i + 1][j], corners[i + 1][j + 1], corners[i][j + 1]];
        squares.push({ near: four.reduce((sum, corner) => sum + corner.near, 0), four });
      }
    }
    squares.sort((a, b) => a.near - b.near);
    return squares.map(({ four }) => svg("path", { class: `facet ${kind}`, d: `M${four.map(({ u, v }) => `${Math.round(u)},${Math.round(v)}`).join("L")}Z` }));
  }

  function draw() {
    const pair = Object.fromEntries(Object.keys(kinds).map((name) => [name, nets[name][now.pair]]));
    const top = Math.max(...Object.values(pair).flatMap((net) => net.surface.flat()));
    const told = [];
    for (const [name, kind] of Object.entries(kinds)) {
      const { surface: Z, loss } = pair[name];
      const [bend, minima] = [Live.surface.bend(Z), Live.surface.minima(Z)];
      told.push(`${name} the residual path ${number(bend, 2)} and ${minima}`);
      pictures[name].draw(
        `The loss around a network ${name} the residual path, as a wire frame: ${number(loss, 2)} at the trained weights in the middle, at most ${number(Math.max(...Z.flat()), 2)}. Curvature over slope ${number(bend, 4)}, local minima ${minima}.`,
        352,
        text(0, 16, `${name === "with" ? "With" : "Without"} the residual path`, `name ${kind}`),
        text(0, 36, `curvature over slope ${number(bend, 1)}, local minima: ${minima}`),
        wires(Z, top, kind));
    }
    ui.say(`Pair ${now.pair + 1}, turned by ${now.turn} degrees, viewed from ${now.tilt} degrees above. Curvature over slope and local minima: ${told.join("; ")}.`);
  }

  const change = (name) => (value) => { now[name] = Number(value); draw(); };
  ui.slider({ label: "Turn", min: 0, max: 355, step: 5, value: now.turn, show: (x) => `${x}°`, change: change("turn") });
  ui.slider({ label: "Viewing angle", min: 10, max: 60, step: 5, value: now.tilt, show: (x) => `${x}°`, change: change("tilt") });
  ui.choice({ label: "Networks", options: nets.with.map((_, i) => [i, `pair ${i + 1}`]), value: now.pair, change: change("pair") });
  draw();
});
