// What the live figures share: arithmetic, controls, and the pieces that pictures are drawn from.
// A figure's script calls Live.figure(name, start); start(ui, data) builds the figure once.
"use strict";

const Live = (() => {
  const starts = {};

  // Whole numbers from a text with a character each, as coursebook.live writes them.
  const unpacked = (packed) => {
    const numbers = [];
    for (const character of packed) {
      const left = (character > "<") + (character > ">") + (character > "\\"); // what the text leaves out
      const code = character.codePointAt(0) - 40 - left;
      numbers.push(code % 2 ? -(code + 1) / 2 : code / 2);
    }
    return numbers;
  };

  // A trained model's weights by their names; they are stored as whole multiples of a step. Large models have a
  // step for each tensor, and its numbers as a text for unpacked(), of so many rows if it is a matrix.
  const weights = (stored) => {
    const scaled = (value) => (Array.isArray(value) ? value.map(scaled) : value * stored.step);
    const read = ({ step, rows, text }) => {
      const numbers = unpacked(text).map((value) => value * step), width = numbers.length / rows;
      return rows ? Array.from({ length: rows }, (_, row) => numbers.slice(row * width, (row + 1) * width)) : numbers;
    };
    const opened = (value) => (value.text ? read(value) : scaled(value));
    return Object.fromEntries(Object.entries(stored.weights).map(([name, value]) => [name, opened(value)]));
  };

  // ---- arithmetic: vectors are arrays, matrices arrays of rows ---------------------------------

  function dot(a, b) {
    let sum = 0;
    for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
    return sum;
  }
  const transpose = (A) => A[0].map((_, j) => A.map((row) => row[j]));
  // Row by row, so that the numbers of B are read in their order.
  const times = (A, B) => A.map((row) => {
    const sums = new Array(B[0].length).fill(0);
    for (let i = 0; i < row.length; i += 1) {
      const value = row[i], line_ = B[i];
      for (let j = 0; j < sums.length; j += 1) sums[j] += value * line_[j];
    }
    return sums;
  });
  const add = (a, b) => a.map((value, i) => value + b[i]);
  const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

  // Scores of -Infinity get a weight of zero.
  function softmax(scores) {
    const highest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - highest));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  }

  // O = softmax(Q K^T * scale) V; with `causal` a row sees no later column. The last row sees the last column: where
  // there are fewer rows than columns, they are the newest ones.
  function attention(Q, K, V, { scale = 1 / Math.sqrt(K[0].length), causal = false } = {}) {
    const before = K.length - Q.length;
    const scores = Q.map((q, i) => K.map((k, j) => (causal && j > before + i ? -Infinity : dot(q, k) * scale)));
    const weights = scores.map(softmax);
    return { scores, weights, output: times(weights, V) };
  }

  // Random numbers from 0 to below 1, the same for the same seed (mulberry32).
  function random(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
  }

  const largest = (values) => values.indexOf(Math.max(...values));

  // A factor on a slider with a scale of powers of ten: what is printed of it is what a figure computes with.
  const factor = (power, digits = 2) => Number((10 ** power).toFixed(digits));

  // As a reader sees a number: a true minus, and no minus before zero.
  function number(value, digits = 2) {
    if (value === -Infinity) return "−∞";
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }

  // The words that a trained model knows: how a text is cut into them, and what was not read whole.
  function lexicon(words, { special = 1, pattern = /\p{L}+/gu } = {}) {
    const ids = new Map(words.map((word, id) => [word, id]));
    const unknown = ids.get("<unk>");
    return {
      id: (word) => ids.get(word) ?? unknown,
      // The words of a text as the model reads them, and which of them it does not know.
      split(text, most) {
        const all = text.toLowerCase().replaceAll("’", "'").match(pattern) || [];
        const read = all.slice(0, most);
        return { words: read, left: all.length - read.length, unknown: read.filter((word) => !ids.has(word)) };
      },
      // What a figure says of a text that it could not read whole; empty if it could.
      remark({ words: read, left, unknown: strange }) {
        if (!read.length) return "Type at least one word.";
        const named = [...new Set(strange)];
        const parts = [];
        if (named.length) {
          const list = new Intl.ListFormat("en-GB").format(named);
          parts.push(`The model knows ${(words.length - special).toLocaleString("en")} words. It does not know ${list}, and reads ${named.length === 1 ? "it as an unknown word" : "each of them as an unknown word"}.`);
        }
        if (left) parts.push(`Only the first ${read.length} words are read.`);
        return parts.join(" ");
      },
    };
  }

  // A word that nobody knows, cut into words of three letters or more that are known, the longest first.
  function pieces(word, words) {
    const found = [];
    for (let rest = word; rest; rest = rest.slice(found.at(-1).length)) {
      const piece = words.filter((known) => /^\p{L}{3}/u.test(known) && rest.startsWith(known)).sort((a, b) => b.length - a.length)[0];
      if (!piece) return [word];
      found.push(piece);
    }
    return found;
  }

  // ---- elements --------------------------------------------------------------------------------

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(3).filter((child) => child !== null && child !== undefined));
    return element;
  }
  const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const at = (value) => Math.round(value * 100) / 100 + 0;

  const text = (x, y, said, kind = "") => svg("text", { x: at(x), y: at(y), class: kind || null }, String(said));
  const line = (x1, y1, x2, y2, kind = "grid") =>
    svg("path", { class: kind, d: `M${at(x1)},${at(y1)}L${at(x2)},${at(y2)}` });
  const box = (x, y, width, height, kind, more = {}) =>
    svg("rect", { class: kind, x: at(x), y: at(y), width: at(Math.max(width, 0)), height: at(height), ...more });

  // A bar of today upon a higher grey one, which shows what it was before; null is no bar.
  const overlaid = (x, y, height, before, now, kind) =>
    [box(x, y, before, height, "track"), now === null ? null : box(x, y + 3, now, height - 6, kind)];

  // A word, cut to what fits.
  const short = (word, most) => (word.length > most ? `${word.slice(0, most - 1)}…` : word);

  // A square for one number, whose `share` of the largest size is 1 at most: zero is empty, and a number below zero has
  // a colour of its own and a minus, so that its sign is seen in grey too. Narrow ones have no room for it, nor for a frame.
  function square(x, y, width, height, kind, share) {
    const middle = y + height / 2, narrow = width < 3;
    return [
      box(x, y, width, height, `cell ${narrow ? "" : "square "}${share < 0 ? "below" : kind}`, { "fill-opacity": at(Math.min(Math.abs(share), 1)) }),
      share < 0 && !narrow ? line(x + 0.2 * width, middle, x + 0.8 * width, middle, "minus") : null,
    ];
  }

  // A row of numbers as squares; `most` and more have the full colour.
  const strip = (x, y, vector, side, kind, most = 2) =>
    vector.map((value, i) => square(x + i * side, y, side - 1, side - 1, kind, value / most));

  // What the shades of weights mean: a row of five squares, from 0 to 1, where `full` is the opacity of 1.
  const scale = (x, y, { kind = "heat", full = 1 } = {}) => [
    text(x, y + 12, "weight 0"),
    [0, 0.25, 0.5, 0.75, 1].map((share, i) => [
      box(x + 66 + 20 * i, y, 18, 14, `cell ${kind}`, { "fill-opacity": at(full * share) }), box(x + 66 + 20 * i, y, 18, 14, "frame")]),
    text(x + 172, y + 12, "1"),
  ];

  // A matrix of weights between 0 and 1 with words at its sides, the same above as on the left unless `columns` are
  // given. `shut(i, j)` marks what a mask shuts, `framed(i, j)` what is wanted.
  // Below stands the scale, unless each square shows its number.
  function heat(weights, words, { columns = words, x = 84, y = 84, size = 268, row = -1, shut = () => false, framed = () => false, numbers = false } = {}) {
    const side = Math.min(size / Math.max(words.length, columns.length), 44);
    const parts = Array.from({ length: Math.max(words.length, columns.length) }, (_, i) => [
      i < words.length ? text(x - 6, y + (i + 0.5) * side + 4, short(words[i], 11), `end${i === row ? " strong" : ""}`) : null,
      i < columns.length ? svg("text", { class: null, transform: `translate(${at(x + (i + 0.5) * side + 3)} ${y - 6}) rotate(-60)` }, short(columns[i], 11)) : null,
    ]);
    const cells = weights.map((line_, i) => line_.map((weight, j) => {
      const [left, top] = [x + j * side, y + i * side];
      if (shut(i, j)) return [box(left, top, side - 1, side - 1, "shut"), line(left + 3, top + side - 4, left + side - 4, top + 3, "grid")];
      return [
        box(left, top, side - 1, side - 1, "cell heat frame", { "fill-opacity": at(weight) }),
        numbers && side >= 30 ? text(left + side / 2, top + side / 2 + 4, number(weight), `middle cell-number${weight > 0.7 ? " on-full" : weight > 0.45 ? " on-half" : ""}`) : null,
      ];
    }));
    const wanted = weights.map((line_, i) => line_.map((_, j) => (framed(i, j) ? box(x + j * side, y + i * side, side - 1, side - 1, "mark") : null)));
    const mark = row < 0 ? null : box(x - 1, y + row * side - 1, columns.length * side + 1, side + 1, "mark");
    const bottom = y + words.length * side, written = numbers && side >= 30;
    return { parts: [parts, cells, wanted, mark, written ? null : scale(x, bottom + 8)], bottom: bottom + (written ? 0 : 24) };
  }

  // An arrow from (x1, y1) to (x2, y2).
  function arrow(x1, y1, x2, y2, kind) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [bx, by] = [x2 - 10 * ux, y2 - 10 * uy];
    return svg("g", { class: kind },
      line(x1, y1, bx, by, "shaft"),
      svg("path", { class: "head", d: `M${at(x2)},${at(y2)}L${at(bx - 4.5 * uy)},${at(by + 4.5 * ux)}L${at(bx + 4.5 * uy)},${at(by - 4.5 * ux)}Z` }));
  }

  // ---- a figure's parts ------------------------------------------------------------------------

  let count = 0;

  function uiOf(figure) {
    const stage = figure.querySelector(".live-stage");
    const panels = html("div", { class: "live-panels" });
    const above = html("div", { class: "live-controls" });
    const below = html("div", { class: "live-controls" });
    const status = html("p", { class: "live-status", role: "status" });
    stage.replaceChildren(above, panels, below, status);
    const labelled = (label, input, more) => {
      input.id = `${figure.id}-${(count += 1)}`;
      return [html("label", { for: input.id }, label), input, more];
    };
    const ui = {
      figure,
      // A picture, 360 units wide unless it says more. `group` is for those that hold something to take hold of; what is
      // `over` them stays as they are drawn anew.
      picture({ group = false, width = 360, over = [] } = {}) {
        const element = svg("svg", { class: "live-picture", role: group ? "group" : "img" }, over);
        panels.append(element);
        return {
          element,
          draw(alt, height, ...parts) {
            element.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(height)}`);
            element.setAttribute("aria-label", alt);
            for (const child of [...element.children]) if (!over.includes(child)) child.remove();
            element.prepend(...parts.flat(5).filter((part) => part));
          },
        };
      },
      panel(element) {
        panels.append(element);
      },
      say(said) {
        if (status.textContent !== said) status.textContent = said;
      },
      // A native range. `show` gives what a reader sees of the value: a name if it is `named`.
      slider({ label, min, max, step = 1, value, show = String, change, named = false, to = below }) {
        const input = html("input", { type: "range", min, max, step, value, autocomplete: "off" });
        const shown = html("span", { "aria-hidden": "true" });
        const renew = () => {
          shown.textContent = show(Number(input.value));
          input.setAttribute("aria-valuetext", shown.textContent);
        };
        input.addEventListener("input", () => { renew(); change(Number(input.value)); });
        to.append(html("div", { class: `live-slider${named ? " named" : ""}` }, labelled(label, input, shown)));
        renew();
        return {
          input,
          set(next, most = input.max) {
            input.max = most;
            input.value = next;
            renew();
          },
        };
      },
      choice({ label, options, value, change, to = below }) {
        const input = html("select", { autocomplete: "off" },
          options.map(([key, said]) => html("option", { value: key, selected: String(key) === String(value) }, said)));
        input.addEventListener("change", () => change(input.value));
        to.append(html("div", { class: "live-choice" }, labelled(label, input)));
        return input;
      },
      check({ label, value, change, to = below }) {
        const input = html("input", { type: "checkbox", checked: value, autocomplete: "off" });
        input.addEventListener("change", () => change(input.checked));
        const [name, box_] = labelled(label, input);
        to.append(html("div", { class: "live-check" }, box_, name));
        return input;
      },
      buttons: (...pairs) => ui.row(below, ...pairs),
      row(to, ...pairs) {
        const made = pairs.map(([said, press]) => html("button", { type: "button", onclick: press }, said));
        to.append(html("div", { class: "live-buttons" }, made));
        return made;
      },
      // Buttons of which one is pressed.
      tabs({ label, options, value, change, to = above }) {
        const made = options.map(([key, said]) => html("button", { type: "button", onclick: () => { press(key); change(key); } }, said));
        const press = (now) => options.forEach(([key], i) => made[i].setAttribute("aria-pressed", key === now));
        to.append(html("div", { class: "live-buttons live-tabs", role: "group", "aria-label": label }, made));
        press(value);
        return made;
      },
      // A line to type into; below it stands what could not be read.
      sentence({ label, value, change }) {
        const input = html("input", { type: "text", value, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 200 });
        const note = html("p", { class: "live-note", role: "status" });
        input.addEventListener("input", () => { note.textContent = change(input.value); });
        above.append(html("div", { class: "live-sentence" }, labelled(label, input)), note);
        note.textContent = change(value);
        return input;
      },
      // Under a line of text: buttons that type an example each. What is returned changes the examples.
      examples(input) {
        const row = html("div", { class: "live-buttons live-examples" });
        above.append(row);
        return (texts) => row.replaceChildren(...texts.map((text) =>
          html("button", { type: "button", onclick: () => { input.value = text; input.dispatchEvent(new Event("input")); } }, text)));
      },
      // A button that moves a slider on by itself until its end, and how a figure begins and stops that; not for those who
      // asked for less motion.
      play({ slider, change, wait = 600 }) {
        if (calm()) return null;
        const { input } = slider;
        let timer = null;
        const stop = () => { clearInterval(timer); timer = null; button.textContent = "Play"; };
        const on = () => {
          slider.set(Math.min(Number(input.value) + 1, Number(input.max)));
          change(Number(input.value));
          if (input.value === input.max) stop();
        };
        const run = (anew) => {
          if (anew) { slider.set(input.min); change(Number(input.value)); }
          button.textContent = "Stop";
          timer = setInterval(on, wait);
        };
        const [button] = ui.buttons(["Play", () => (timer ? stop() : run(input.value === input.max))]);
        return { begin() { stop(); run(true); }, stop };
      },
      hint(...said) {
        below.append(html("p", { class: "live-hint" }, said));
      },
      // Numbers that the figure needs only for what the reader asks for; in a notebook they are there.
      later: (name) => Promise.all((figure.dataset.later?.split(" ") ?? []).filter((one) => one.includes(`data-${name}.`)).map(load)),
      above, below,
    };
    return ui;
  }

  // Moves `target` with the mouse or one finger, in the units of the picture; `begin` says what moves.
  // A touch that the browser takes for scrolling is undone.
  function drag(target, picture, begin, undo) {
    let move = null, before = null;
    const follow = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
      move(point.x, point.y);
    };
    target.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      [move, before] = begin(event);
      if (move === null) return;
      target.setPointerCapture(event.pointerId);
      follow(event);
    });
    target.addEventListener("pointermove", (event) => { if (move && event.isPrimary) follow(event); });
    target.addEventListener("pointerup", () => { move = null; });
    target.addEventListener("pointercancel", () => {
      if (!move) return;
      move = null;
      undo(before);
    });
  }

  // Places in a picture that the keyboard reaches: the Tab key leads to one of them, the arrow keys to the others. `reach` is
  // told the key of the one that has the focus, or null, `choose` that of the one on which Enter is pressed; with `across` the arrows
  // to the left and right do something there.
  function places({ reach, choose, across }) {
    const group = svg("g", { class: "places", tabindex: -1 }); // else its listeners would make it a stop of the Tab key
    let all = [];
    const of = (element) => all.find((one) => one.element === element);
    const take = (one) => { for (const other of all) other.element.setAttribute("tabindex", other === one ? 0 : -1); };
    group.addEventListener("focusin", ({ target }) => { take(of(target)); reach(of(target).key); });
    group.addEventListener("focusout", ({ relatedTarget }) => { if (!group.contains(relatedTarget)) reach(null); });
    group.addEventListener("keydown", (event) => {
      const n = all.indexOf(of(event.target)), { key } = event;
      const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[key];
      const to = key === "Home" ? 0 : key === "End" ? all.length - 1 : n + step;
      if (key === "Enter" || key === " ") choose(all[n].key);
      else if (across && /Left|Right/.test(key)) across(all[n].key, step);
      else if (all[to]) all[to].element.focus({ preventScroll: true });
      else if (!step) return;
      event.preventDefault();
    });
    return {
      group,
      // `wanted` are { key, said, x, y, width, height }. Those that stay keep the focus; the Tab key leads to `stop`.
      draw(wanted, stop) {
        const before = new Map(all.map((one) => [one.key, one.element])), kept = of(document.activeElement)?.key;
        const same = wanted.length === all.length && wanted.every(({ key }, i) => key === all[i].key);
        all = wanted.map(({ key, said, ...place }) => {
          const element = before.get(key) ?? svg("rect", { class: "place", role: "button", tabindex: -1 });
          for (const [name, value] of Object.entries({ ...place, "aria-label": said })) element.setAttribute(name, typeof value === "number" ? at(value) : value);
          return { key, element };
        });
        const named = (wish) => all.find(({ key }) => key === wish);
        if (same && kept === undefined && named(stop)) take(named(stop));
        if (same) return;
        // Those that stay are not touched: taken out and put back, one would lose the focus on the way.
        for (const one of [...group.children]) if (!all.some(({ element }) => element === one)) one.remove();
        all.forEach(({ element }, i) => { if (group.children[i] !== element) group.insertBefore(element, group.children[i] ?? null); });
        const first = named(kept) ?? named(stop) ?? all[0];
        take(first);
        if (kept !== undefined) first.element.focus({ preventScroll: true });
      },
    };
  }

  // Chromium does not heed touch-action on a part of a picture: it would scroll.
  const holdStill = (element) => element.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });

  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  function begin(figure) {
    const data = JSON.parse(figure.querySelector("script").textContent);
    starts[figure.dataset.figure](uiOf(figure), data);
    figure.classList.add("is-live");
  }

  const loaded = {};
  const load = (address) => loaded[address] ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: address, onload: done, onerror: failed });
    document.head.append(script);
  });

  // A figure that needs numbers of its own: gets them once for all figures that use them, and begins.
  const start = (figure) => Promise.all(figure.dataset.needs.split(" ").map(load)).then(
    () => begin(figure),
    () => figure.querySelector("figcaption").append(" The data of this figure could not be loaded, so it does not move."),
  );

  // A trained model is heavy: it is loaded when the reader asks for it. Others that it runs begin with it.
  function offer(figure) {
    const button = html("button", { type: "button" }, "Start the model");
    const offered = html("div", { class: "live-start" }, button, html("span", {}, figure.dataset.weighs));
    const panels = figure.querySelector(".live-panels");
    const press = () => {
      if (button.disabled) return;
      button.disabled = true;
      button.textContent = "Loading …";
      offered.append(html("progress", { "aria-label": "Loading the model" }));
      start(figure).then(() => {
        figure.querySelector("input, select, button:enabled")?.focus({ preventScroll: true });
        const waiting = [...document.querySelectorAll("figure.live[data-weighs]:not(.is-live)")];
        waiting.filter(({ dataset }) => dataset.needs.split(" ").every((one) => one in loaded)).forEach(start);
      });
    };
    button.addEventListener("click", press);
    panels.addEventListener("click", press);
    figure.querySelector(".live-stage").append(offered);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const near = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        start(target);
      }
    }, { rootMargin: "100% 0px" });
    for (const figure of document.querySelectorAll("figure.live")) {
      if (figure.dataset.weighs) offer(figure);
      else if (figure.dataset.needs) near.observe(figure);
      else begin(figure);
    }
  });

  return {
    data: {},
    unpacked, weights, lexicon, pieces,
    figure: (name, start) => { starts[name] = start; },
    dot, transpose, times, add, distance, softmax, attention, random, largest, factor, number, at,
    html, svg, text, line, box, overlaid, short, square, strip, scale, heat, arrow, drag, places, holdStill, calm,
  };
})();
