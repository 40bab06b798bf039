// Attention tile by tile: which tile is in work, and how many bytes went between slow and fast memory.
"use strict";

// Bytes for n queries and keys of width d in tiles of `tile`, after `steps` tiles; one tile of scores a step.
Live.traffic = (n, d, tile, size, steps = Infinity) => {
  const across = Math.ceil(n / tile);
  const done = Math.min(steps, across * across);
  const begun = Math.ceil(done / across), ended = Math.floor(done / across);
  const rows = (count, from) => Math.min(count * tile, n) - from;
  let keys = 0; // rows of K that were read, and as many of V
  keys += ended * n + rows(done - ended * across, 0);
  return {
    naive: size * (4 * n * d + 4 * n * n), // Q, K, V and O once; scores and weights, each written and read
    tiled: size * (rows(begun, 0) * d + 2 * keys * d + rows(ended, 0) * (d + 1)), // Q; K and V; O and L
    held: size * (4 * tile * d + tile * tile + 2 * tile), // tiles of Q, K, V and acc; of scores; m and l
    across,
  };
};

Live.figure("tile-walk", (ui, { n, width, size, tiles, tile: first, step: begin, fast }) => {
  const { text, box, line, svg, at } = Live;
  let which = tiles.indexOf(first), step = begin, timer = null;
  const map = ui.picture(), bars = ui.picture();
  const [X, Y, SIDE] = [76, 84, 220], THIN = (SIDE * width) / n;
  const said = (bytes) => (bytes < 1e6 ? `${Math.round(bytes / 1e3).toLocaleString("en")} kB` : `${Live.number(bytes / 1e6, 2)} MB`);

  function draw() {
    const tile = tiles[which], { across, naive, tiled, held } = Live.traffic(n, width, tile, size, step);
    const whole = Live.traffic(n, width, tile, size);
    const [i, j] = [Math.floor((step - 1) / across), (step - 1) % across];
    const wide = SIDE / across;
    const strip = (x, y, w, h, kind, strong) => box(x, y, w, h, `cell ${kind}`, { "fill-opacity": strong ? 1 : 0.22 });
    const lines = [];
    for (let c = 0; c <= across; c += 1) lines.push(line(X + c * wide, Y, X + c * wide, Y + SIDE), line(X, Y + c * wide, X + SIDE, Y + c * wide));
    map.draw(
      `${across} by ${across} tiles of ${tile} by ${tile} scores. Tile ${step} of ${across * across} is being computed: row ${i + 1}, column ${j + 1}.`,
      Y + SIDE + 8,
      text(0, 14, `Scores of ${n.toLocaleString("en")} tokens, in tiles`, "name"),
      text(X - 8, Y - 40, "V", "v end strong"), strip(X, Y - 52, SIDE, THIN, "v"), strip(X + j * wide, Y - 52, wide, THIN, "v", true),
      text(X - 8, Y - 16, "K", "k end strong"), strip(X, Y - 28, SIDE, THIN, "k"), strip(X + j * wide, Y - 28, wide, THIN, "k", true),
      text(X - 28, Y + 10, "Q", "q end strong"), strip(X - 22, Y, THIN, SIDE, "q"), strip(X - 22, Y + i * wide, THIN, wide, "q", true),
      strip(X + SIDE + 10, Y, THIN, SIDE, "v"), strip(X + SIDE + 10, Y, THIN, Math.floor(step / across) * wide, "v", true), text(X + SIDE + 30, Y + 10, "O", "v strong"),
      box(X, Y, SIDE, i * wide, "track"), box(X, Y + i * wide, j * wide, wide, "track"), lines,
      box(X + j * wide, Y + i * wide, wide, wide, "cell heat"),
      svg("path", { class: "mark", d: `M${at(X + j * wide)},${at(Y + i * wide)}h${at(wide)}v${at(wide)}h${at(-wide)}Z` }));
    const most = Math.max(naive, whole.tiled);
    const bar = (y, name, bytes, kind, of) => [
      text(0, y - 5, name), text(356, y - 5, said(bytes), "end strong"), box(0, y, 356, 18, "track"), box(0, y, Math.min(356 * bytes / of, 356), 18, `cell ${kind}`),
    ];
    bars.draw(
      `Bytes moved: naive ${naive}, tiled so far ${tiled}, tiled in total ${whole.tiled}. Bytes of fast memory: ${held}.`,
      262,
      text(0, 14, "Moved into and out of fast memory", "name"),
      bar(48, "naive, in total", naive, "one", most), bar(96, "tiled, so far", tiled, "weight", most), bar(144, "tiled, in total", whole.tiled, "weight", most),
      text(0, 194, "Held in fast memory", "name"), bar(226, "one tile", held, held > fast ? "one" : "weight", 2 * fast),
      line(178, 222, 178, 250, "here"), text(172, 259, `room on an A100: ${said(fast)}`, "end"));
    const less = naive / whole.tiled;
    ui.say(`Tiles of ${tile} move ${said(whole.tiled)} in total. Naive attention moves ${Live.number(less, 1)} times as much. One tile needs ${said(held)} of fast memory, ${held > fast ? "which does not fit" : "which fits"}.`);
  }

  const count = () => Math.ceil(n / tiles[which]) ** 2;
  function set(next) {
    step = Math.min(next, count());
    slider.set(step, count());
    draw();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    if (play) play.textContent = "Play";
  }
  ui.slider({ label: "Tile size", min: 0, max: tiles.length - 1, value: which, show: (i) => `${tiles[i]}`, change: (i) => { stop(); which = i; set(step); } });
  const slider = ui.slider({ label: "Current tile", min: 1, max: count(), value: step, show: (k) => `${k} of ${count()}`, change: (k) => { stop(); set(k); } });
  let play = null;
  if (!Live.calm()) {
    [play] = ui.buttons(["Play", () => {
      if (timer) { stop(); return; }
      if (step === count()) set(1);
      play.textContent = "Stop";
      timer = setInterval(() => {
        set(step + Math.ceil(count() / 64));
        if (step === count()) stop();
      }, 250);
    }]);
  }
  ui.hint("Make the tiles larger until they no longer fit. Which is the largest size that does?");
  draw();
});
