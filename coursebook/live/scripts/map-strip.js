// What the map's pictures share: vectors as strips and bars, the scale of their shades, and small probabilities.
"use strict";

Live.mapStrip = (() => {
  const { html, svg, box, line, number, at } = Live, LEVELS = 10, SIGN = /\b(W_\w)\b/;
  const greatest = (rows) => Math.max(...rows.flat().map(Math.abs), 1e-9);

  // W_O with its index below the line: in a sentence, and in a picture.
  const indexed = (said) => said.split(SIGN).map((one) => (SIGN.test(one) ? html("span", {}, "W", html("sub", {}, one.slice(2))) : one));
  function text(x, y, said, kind) {
    const parts = String(said).split(SIGN), element = Live.text(x, y, parts[0], kind);
    parts.slice(1).forEach((one, n) => element.append(...(n % 2 ? [svg("tspan", { dy: -3 }, one)] : ["W", svg("tspan", { dy: 3, "font-size": "0.75em" }, one.slice(2))])));
    return element;
  }

  // Numbers as cells, `place(i)` being [x, y, width, height] of one. A number above zero fills the upper half of its cell, one
  // below zero the lower half in another colour, so that the sign is seen in grey too; `whole` cells are too low for halves.
  // Shades grow with the root of a number, so that small ones are seen beside large ones; the scale shows it.
  function cells(vector, place, most, whole = false) {
    const paths = new Map();
    vector.forEach((value, i) => {
      const level = Math.round(LEVELS * Math.sqrt(Math.min(Math.abs(value) / most, 1))), [x, y, wide, high] = place(i);
      if (!level) return;
      const key = value < 0 ? -level : level, half = whole ? high : high / 2;
      paths.set(key, `${paths.get(key) ?? ""}M${at(x)},${at(!whole && value < 0 ? y + half : y)}h${at(wide)}v${at(half)}h${at(-wide)}z`);
    });
    return [...paths].map(([level, d]) => svg("path", { class: `cell ${level < 0 ? "below" : "above"}`, d, "fill-opacity": at(Math.abs(level) / LEVELS) }));
  }
  const step = ([x0, x1], vector) => (x1 - x0) / vector.length;
  // A vector in one line; `span` is where it begins and ends.
  function strip(vector, span, y, high, most) {
    const wide = step(span, vector), gap = wide > 3 ? 0.6 : 0;
    return [box(span[0], y, span[1] - span[0], high, "slot"), ...cells(vector, (i) => [span[0] + i * wide, y, wide - gap, high], most)];
  }
  // A vector in several lines, in cells that are nearly square.
  function patch(vector, x, y, width, height, most) {
    const lines = Math.max(Math.round(Math.sqrt((vector.length * height) / width)), 1), across = Math.ceil(vector.length / lines);
    const [wide, high] = [width / across, height / lines];
    return [box(x, y, width, height, "slot"), ...cells(vector, (i) => [x + (i % across) * wide, y + Math.floor(i / across) * high, wide, high], most, true)];
  }
  // Numbers as bars up and down from a line; `most` has half the height. `kind` is the colour above it.
  function bars(vector, span, y, high, kind, most) {
    const wide = step(span, vector), middle = y + high / 2;
    return [vector.map((value, i) => {
      const size = Math.max((high / 2) * Math.min(Math.abs(value) / most, 1), 0.4);
      return box(span[0] + i * wide, value < 0 ? middle : middle - size, wide - (wide > 2 ? 0.6 : 0), size, `cell ${value < 0 ? "below" : kind}`);
    }), line(span[0], middle, span[1], middle)];
  }
  const around = (span, vector, i, y, high) => box(span[0] + i * step(span, vector) - 0.8, y - 1, step(span, vector) + 1, high + 2, "mark");
  // The scale of a picture's strips, from the lowest number to the highest that they can show.
  const scale = (x, y, most, said = "strips:") => [
    text(x, y + 11, said, "share"), text(x + 78, y + 11, number(-most, 1), "end share"),
    strip([-1, -0.5, -0.1, 0, 0.1, 0.5, 1], [x + 84, x + 182], y, 14, 1), text(x + 188, y + 11, number(most, 1), "share"),
  ];
  // A probability: small ones with enough digits to be told from zero.
  const chance = (share) => (share >= 0.01 || share === 0 ? number(share) : share >= 0.00095 ? number(share, 3) : share >= 0.00005 ? number(share, 4) : "<0.0001");
  const percent = (share) => (share >= 0.00995 || share === 0 ? `${Math.round(100 * share)} %` : share >= 0.00095 ? `${number(100 * share, 1)} %` : share >= 0.00005 ? `${number(100 * share)} %` : "<0.01 %");
  // The probability at which a bar is full, and a grey one: 1, or 0.2 if none reaches that, which then is written.
  // So bars can be compared, of two models and of two temperatures.
  const full = ({ shares, before }, ids) => (ids.some((id) => Math.max(shares[id], before?.[id] ?? 0) >= 0.2) ? 1 : 0.2);
  // How long a bar is of which so much is full; half a pixel at least.
  const filled = (room, share, most) => Math.max((room * share) / most, Math.min(room, 0.5));
  return { text, indexed, full, filled, greatest, step, strip, patch, bars, around, scale, chance, percent };
})();
