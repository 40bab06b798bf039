// Moves what {positions-figure} and {rotary-figure} drew. Their inputs hold the state, and their
// groups map the formulas' units to pixels. Without this script the picture stays as it was built.
"use strict";

const FIGURE_BASE = 10000;

// PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i + 1) = cos of the same.
function sinusoidalCode(position, width) {
  return Array.from({ length: width }, (_, i) => {
    const angle = position / FIGURE_BASE ** ((i - (i % 2)) / width);
    return i % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
  });
}

// How far pair i of a head of this width turns at each position: 10000^(-2i/d).
function rotaryTheta(pair, width) {
  return FIGURE_BASE ** ((-2 * pair) / width);
}

function rotaryTurn([a, b], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [a * cos - b * sin, a * sin + b * cos];
}

function dotProduct(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

function figureNumber(value, digits = 3) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// ---- what both figures share -------------------------------------------------------------------

// The parts, inputs and shown numbers of a figure, by name.
function figureOf(element) {
  const inputs = {};
  for (const input of element.querySelectorAll("[data-input]")) inputs[input.dataset.input] = input;
  return {
    element,
    inputs,
    part: (name) => element.querySelector(`[data-part="${name}"]`),
    value: (name) => Number(inputs[name].value),
    set: (name, value) => { inputs[name].value = value; },
    show(values) {
      for (const [name, text] of Object.entries(values)) {
        for (const place of element.querySelectorAll(`[data-show="${name}"]`)) place.textContent = text;
      }
    },
    showInputs() {
      for (const [name, input] of Object.entries(inputs)) this.show({ [name]: input.value });
    },
    say: (text) => { element.querySelector(".interactive-status").textContent = text; },
  };
}

// Follows one finger or the mouse from `target` on, in the units of the group `plane`. `begin` gives
// what moves; a touch that the browser takes for scrolling is undone.
function draggable(figure, target, plane, begin, redraw) {
  let move = null, before = null;
  const follow = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plane.getScreenCTM().inverse());
    move(at);
    redraw();
  };
  target.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    before = Object.entries(figure.inputs).map(([name, input]) => [name, input.value]);
    move = begin(event);
    target.setPointerCapture(event.pointerId);
    follow(event);
  });
  target.addEventListener("pointermove", (event) => {
    if (move && event.isPrimary) follow(event);
  });
  target.addEventListener("pointerup", () => { move = null; });
  target.addEventListener("pointercancel", () => {
    if (!move) return;
    move = null;
    for (const [name, value] of before) figure.set(name, value);
    redraw();
  });
}

// ---- the sinusoidal code -----------------------------------------------------------------------

function positionsFigure(figure) {
  const bars = [...figure.element.querySelectorAll("rect")];
  const [plane, other, curve] = ["plane", "other-code", "curve"].map(figure.part);
  const [here, there] = ["here", "there"].map(figure.part);
  const count = Number(figure.inputs.position.max) + 1;
  const codes = Array.from({ length: count }, (_, n) => sinusoidalCode(n, bars.length));

  function redraw() {
    figure.showInputs();
    const [p, n] = [figure.value("position"), figure.value("other")];
    const alike = codes.map((code) => dotProduct(codes[p], code));
    bars.forEach((bar, i) => {
      bar.setAttribute("y", Math.min(codes[p][i], 0).toFixed(4));
      bar.setAttribute("height", Math.abs(codes[p][i]).toFixed(4));
    });
    other.setAttribute("d", codes[n].map((value, i) => `M${i + 0.5},${value.toFixed(4)}h0`).join(""));
    curve.setAttribute("d", `M${alike.map((value, j) => `${j},${value.toFixed(4)}`).join("L")}`);
    here.setAttribute("transform", `translate(${p} 0)`);
    there.setAttribute("transform", `translate(${n} ${alike[n].toFixed(4)})`);
    figure.show({ similarity: figureNumber(alike[n]), itself: figureNumber(alike[p]) });
  }

  for (const input of Object.values(figure.inputs)) input.addEventListener("input", redraw);
  const begin = (event) => {
    const name = there.contains(event.target) ? "other" : "position";
    return (at) => figure.set(name, Math.round(at.x));
  };
  draggable(figure, plane.ownerSVGElement, plane, begin, redraw);
  redraw();
}

// ---- rotary positions --------------------------------------------------------------------------

function rotaryFigure(figure) {
  const plane = figure.part("plane");
  const place = { q: "m", k: "n" };
  let was = null;

  function read() {
    const [m, n, pair] = ["m", "n", "pair"].map(figure.value);
    const theta = rotaryTheta(pair, Number(figure.inputs.pair.dataset.width));
    const arrows = Object.entries(place).map(([name, position]) => {
      const [degrees, length] = [figure.value(`${name}-direction`), figure.value(`${name}-length`)];
      const start = rotaryTurn([length, 0], (degrees * Math.PI) / 180);
      return { name, length, start, tip: rotaryTurn(start, figure.value(position) * theta) };
    });
    return { m, n, pair, theta, arrows, score: dotProduct(arrows[0].tip, arrows[1].tip) };
  }

  function drawArrow({ name, length, start, tip }) {
    const [turned, label] = [figure.part(name), figure.part(`${name}-name`)];
    const angle = (Math.atan2(tip[1], tip[0]) * 180) / Math.PI;
    const beyond = 1 + 0.2 / length;
    turned.setAttribute("transform", `rotate(${angle.toFixed(4)})`);
    turned.querySelector(".shaft").setAttribute("d", `M0,0H${(length - 0.1).toFixed(4)}`);
    turned.querySelector(".head").setAttribute("transform", `translate(${length.toFixed(4)} 0)`);
    turned.querySelector(".grip").setAttribute("d", `M${length.toFixed(4)},0h0`);
    figure.part(`${name}-ghost`).setAttribute("d", `M0,0L${start.map((x) => x.toFixed(4)).join(",")}`);
    label.setAttribute("transform", `translate(${tip.map((x) => (x * beyond).toFixed(4)).join(" ")})`);
    figure.show({ [`${name}-turned`]: `(${tip.map((x) => figureNumber(x)).join(", ")})` });
  }

  function drawBetween([q, k]) {
    const [from, to] = [q, k].map(({ tip, length }) => tip.map((x) => ((0.45 * x) / length).toFixed(4)));
    const left = Number(q.tip[0] * k.tip[1] > q.tip[1] * k.tip[0]);
    figure.part("between").setAttribute("d", `M${from}A.45,.45,0,0,${left},${to}`);
  }

  function redraw() {
    const now = read();
    now.arrows.forEach(drawArrow);
    drawBetween(now.arrows);
    const { both } = figure.inputs;
    both.max = Number(figure.inputs.m.max) - Math.abs(now.n - now.m);
    both.value = Math.min(now.m, now.n);
    both.setAttribute("aria-valuetext", `m = ${now.m}, n = ${now.n}`);
    figure.showInputs();
    figure.show({ distance: figureNumber(now.m - now.n, 0), score: figureNumber(now.score) });
    return now;
  }

  // Says what became of the score, in words that stay the same as long as the score does.
  function moved() {
    const now = redraw();
    const [distance, score] = [figureNumber(now.m - now.n, 0), figureNumber(now.score)];
    const [m, n] = [now.m - was.m, now.n - was.n];
    if (now.pair !== was.pair) {
      figure.say(`This pair turns by ${now.theta.toPrecision(1)} radians a position: the score is ${score}.`);
    } else if (m !== 0 && m === n) {
      const kept = score === figureNumber(was.score) ? "still" : "now";
      figure.say(`Both moved: m − n is still ${distance}, and the score is ${kept} ${score}.`);
    } else if (m !== 0 || n !== 0) {
      figure.say(`${m !== 0 ? "m" : "n"} moved alone: m − n is now ${distance}, and the score ${score}.`);
    } else if (now.score !== was.score) {
      figure.say(`An arrow was changed: the score is now ${score}.`);
    }
    was = now;
  }

  function moveBoth() {
    const shift = figure.value("both") - Math.min(was.m, was.n);
    figure.set("m", was.m + shift);
    figure.set("n", was.n + shift);
  }

  for (const [name, input] of Object.entries(figure.inputs)) {
    input.addEventListener("input", () => {
      if (name === "both") moveBoth();
      moved();
    });
  }
  for (const [name, position] of Object.entries(place)) {
    const grip = figure.part(name).querySelector(".grip");
    // Chromium does not heed touch-action on a part of a picture: it would scroll.
    grip.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    draggable(figure, grip, plane, () => (at) => {
      const [x, y] = rotaryTurn([at.x, at.y], -figure.value(position) * was.theta);
      const degrees = Math.round((Math.atan2(y, x) * 180) / Math.PI);
      figure.set(`${name}-direction`, (degrees + 360) % 360);
      figure.set(`${name}-length`, Math.hypot(x, y)); // the range keeps its limits and its step
    }, moved);
  }
  was = redraw();
}

document.addEventListener("DOMContentLoaded", () => {
  const kinds = { positions: positionsFigure, rotary: rotaryFigure };
  for (const element of document.querySelectorAll("figure.interactive")) {
    kinds[element.dataset.figure](figureOf(element));
    element.classList.add("is-live");
    element.querySelector(".interactive-controls").hidden = false;
  }
});
