// The small vision transformer behind two figures, with the names of tfcourse, and its images as the corpus draws them.
"use strict";

Live.vit = (stored) => {
  const { image, patch, layers, heads } = stored.sizes;
  const { w, affine, norm, blocks: through } = Live.layers(stored);
  const across = image / patch, mean = (x) => x.reduce((a, b) => a + b, 0) / x.length;

  return {
    across, patch, image, layers, heads, letters: stored.letters,
    // The numbers of each patch, row by row.
    cut: (pixels) => Array.from({ length: across ** 2 }, (_, n) => {
      const [top, left] = [Math.floor(n / across) * patch, (n % across) * patch];
      return Array.from({ length: patch ** 2 }, (_, i) => pixels[top + Math.floor(i / patch)][left + (i % patch)]);
    }),
    // Logits, each head's weights in each layer, [CLS] first, and all that is computed on the way. Nobody can look at the
    // patches that are `hidden`. The positions can be left out, and heads, named "layer.head", taken out.
    read(pixels, hidden = new Set(), { places = true, gone } = {}) {
      const patches = this.cut(pixels).map((row) => row.map((value) => (value / 255 - stored.scale.mean) / stored.scale.deviation));
      const tokens = affine(patches, "W_P", "b_P");
      const start = [w.c, ...tokens].map((row, t) => (places ? Live.add(row, w["positions.P"][t]) : row));
      const kept = start.map((_, t) => t).filter((t) => !hidden.has(t - 1)), blocks = through(start, Live.gelu, { kept, gone });
      const maps = blocks.map((block) => block.maps.map((weights) => weights.map((row) => start.map((_, t) => row[kept.indexOf(t)] ?? 0))));
      const [last] = norm(blocks.at(-1).after.slice(0, 1), "norm"), [logits] = affine([last], "W", "b");
      return { logits, shares: Live.softmax(logits), maps, patches, tokens, start, blocks, last };
    },
    // Four letters {kind, turn, top, left}, an arrow {corner, turn, top, left} and dashes {kind, top, left}: 28 rows of 28 pixels.
    paint({ letters, arrow, dashes }) {
      const pixels = this.blank();
      const paste = (drawn, top, left) => drawn.forEach((row, i) => row.forEach((ink, j) => {
        if (pixels[top + i]?.[left + j] < ink) pixels[top + i][left + j] = ink;
      }));
      for (const one of letters) paste(stored.stamps.letters[one.kind][one.turn], one.top, one.left);
      paste(stored.stamps.arrows[arrow.corner][arrow.turn], arrow.top, arrow.left);
      for (const one of dashes) paste(stored.stamps.dashes[one.kind], one.top, one.left);
      return pixels;
    },
    // A line of ink from one point to another, as the corpus draws them: dark up to 0.25 pixels from it, gone at 1.25. Or it rubs out.
    stroke(pixels, [x, y], [toX, toY], rub = false) {
      const [dx, dy] = [toX - x, toY - y], squared = dx * dx + dy * dy;
      pixels.forEach((row, down) => row.forEach((ink, across) => {
        const along = squared ? Math.min(1, Math.max(0, ((across - x) * dx + (down - y) * dy) / squared)) : 0;
        const apart = Math.hypot(across - x - along * dx, down - y - along * dy);
        const drawn = Math.round(255 * Math.min(1, Math.max(0, 1.25 - apart)));
        row[across] = rub ? Math.min(ink, 255 - drawn) : Math.max(ink, drawn);
      }));
    },
    blank: () => Array.from({ length: image }, () => Array(image).fill(0)),
    // The patch of each corner, in the order in which the corpus counts them.
    corners: [0, across - 1, across * (across - 1), across ** 2 - 1],
    place: (n) => `row ${Math.floor(n / across) + 1}, column ${(n % across) + 1}`,
    // [CLS]'s weights on the patches: of one head, or the mean over the heads of a layer. They need not sum to 1: it may look at itself.
    looks(maps, which) {
      const [layer, head] = which.split(".").map(Number);
      const rows = head < 0 ? maps[layer].map((map) => map[0]) : [maps[layer][head][0]];
      return rows[0].slice(1).map((_, n) => mean(rows.map((row) => row[n + 1])));
    },
    heads_: Array.from({ length: layers }, (_, l) => [[`${l}.-1`, `layer ${l + 1}, mean of the heads`],
      ...Array.from({ length: heads }, (_, h) => [`${l}.${h}`, `layer ${l + 1}, head ${h + 1}`])]).flat().reverse(),
    // The image, the grid of its patches, and a share of colour on each; `marks` are patches with a frame.
    picture(pixels, colour, { x = 46, y = 28, side = 268, hidden = new Set(), marks = [] } = {}) {
      const { box } = Live, dot = side / image, cell = side / across;
      const at = (n) => [x + (n % across) * cell, y + Math.floor(n / across) * cell];
      return [
        pixels.map((row, i) => row.map((ink, j) => (ink > 20
          ? box(x + j * dot, y + i * dot, dot + 0.2, dot + 0.2, "ink", { "fill-opacity": Live.at(ink / 255) }) : null)).filter(Boolean)),
        colour.map((share, n) => box(...at(n), cell, cell, "cell look", { "fill-opacity": Live.at(0.75 * share) })),
        colour.map((_, n) => box(...at(n), cell, cell, "frame")),
        [...hidden].map((n) => box(at(n)[0] + 1, at(n)[1] + 1, cell - 2, cell - 2, "shut")),
        marks.map((n) => box(at(n)[0] + 1.5, at(n)[1] + 1.5, cell - 3, cell - 3, "mark")),
        Live.scale(x, y + side + 8, { kind: "look", full: 0.75 }),
      ];
    },
    // A bar for the probability of each letter; `before` are ghosts of other probabilities.
    bars(shares, right, before = null) {
      const { text, box, number } = Live;
      return stored.letters.map((letter, i) => {
        const y = 30 + 36 * i;
        return [
          text(16, y + 18, letter, i === right ? "strong" : ""), box(40, y, 250, 26, "track"),
          box(40, y, 250 * shares[i], 26, "cell weight"), before ? box(40, y, 250 * before[i], 26, "ghost two") : null,
          text(354, y + 18, number(shares[i]), `end${i === Live.largest(shares) ? " strong" : ""}`),
        ];
      });
    },
  };
};
