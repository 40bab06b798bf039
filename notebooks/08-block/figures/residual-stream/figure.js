// A stack of random blocks, computed here: what is left of the words' differences after each block.
"use strict";

Live.stream = (() => {
  // Whole 32-bit steps, so that every browser draws the same numbers (mulberry32).
  function normal(seed) {
    const next = Live.random(seed);
    return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  }
  const drawn = (next, rows, columns, std) =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => std * next()));

  // The deviation of a matrix: Glorot's, three times Glorot's, or GPT-2's 0.02 carried over from width 768 to this one;
  // scaled, what is added is smaller the more blocks there are.
  function deviation(init, rows, columns, added, { width, blocks }) {
    const small = 0.02 * Math.sqrt(768 / width);
    if (init === "small") return small;
    if (init === "gpt2") return small / (added ? Math.sqrt(2 * blocks) : 1);
    return Math.sqrt(2 / (rows + columns)) * (init === "large" ? 3 : 1);
  }
  function weights(init, sizes) {
    const next = normal(sizes.seed), { width: d, hidden: f } = sizes;
    const tokens = drawn(next, sizes.words, d, 1);
    const shapes = { W_Q: [d, d], W_K: [d, d], W_V: [d, d], W_O: [d, d], W_1: [d, f], W_2: [f, d] };
    const blocks = Array.from({ length: sizes.blocks }, () => Object.fromEntries(
      Object.entries(shapes).map(([name, [rows, columns]]) =>
        [name, drawn(next, rows, columns, deviation(init, rows, columns, name === "W_O" || name === "W_2", sizes))])));
    return { tokens, blocks };
  }

  function layerNorm(X) {
    return X.map((x) => {
      const mean = x.reduce((a, b) => a + b, 0) / x.length;
      const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
      return x.map((value) => (value - mean) / Math.sqrt(variance + 1e-5));
    });
  }
  function attend(X, block, heads) {
    const [Q, K, V] = ["W_Q", "W_K", "W_V"].map((name) => Live.times(X, block[name]));
    const wide = X[0].length / heads;
    const part = (M, h) => M.map((row) => row.slice(h * wide, (h + 1) * wide));
    const outputs = Array.from({ length: heads }, (_, h) => Live.attention(part(Q, h), part(K, h), part(V, h)).output);
    return Live.times(X.map((_, i) => outputs.flatMap((output) => output[i])), block.W_O);
  }
  const feedForward = (X, block) =>
    Live.times(Live.times(X, block.W_1).map((row) => row.map((value) => Math.max(value, 0))), block.W_2);

  // The words before the first block and after each.
  function run({ residual, norm, init }, sizes) {
    const { tokens, blocks } = weights(init, sizes);
    const around = (part) => (X) => {
      const out = part(norm === "pre" ? layerNorm(X) : X);
      const sum = residual ? X.map((x, i) => Live.add(x, out[i])) : out;
      return norm === "post" ? layerNorm(sum) : sum;
    };
    const states = [tokens];
    for (const block of blocks) {
      const attended = around((X) => attend(X, block, sizes.heads))(states[states.length - 1]);
      states.push(around((X) => feedForward(X, block))(attended));
    }
    return states;
  }

  const norm = (X) => Math.sqrt(X.flat().reduce((sum, value) => sum + value * value, 0));
  // The share of the words' size that lies in their differences.
  function differing(X) {
    const mean = Live.transpose(X).map((column) => column.reduce((a, b) => a + b, 0) / X.length);
    const whole = norm(X);
    return whole > 0 ? norm(X.map((x) => x.map((value, j) => value - mean[j]))) / whole : 0;
  }
  const size = (X) => norm(X) / Math.sqrt(X.length * X[0].length);
  return { weights, run, differing, size };
})();

Live.figure("residual-stream", (ui, data) => {
  const { svg, text, line, number, at } = Live;
  const { words, sizes } = data;
  const now = { residual: true, norm: "pre", init: "xavier", after: data.after };
  const stream = ui.picture(), curve = ui.picture();
  let states = [], shares = [];

  // Large and small sizes without a row of zeros.
  const power = (value) => (value >= 0.01 && value < 1000 ? number(value, 2) : value.toExponential(0).replace("-", "−").replace("+", ""));

  function compute() {
    states = Live.stream.run(now, sizes);
    shares = states.map(Live.stream.differing);
    draw();
  }

  function draw() {
    const X = states[now.after], own = Live.stream.size(X) || 1;
    const rows = (Y, y, scale) => words.map((word, i) => [
      text(64, y + 20 * i + 13, word, "end"),
      Live.strip(72, y + 20 * i, Y[i].map((value) => value / scale), 18, "two"),
    ]);
    const bottom = 20 * words.length;
    stream.draw(
      `The words before the first block, and after ${now.after} of ${sizes.blocks}: squares for their ${sizes.width} numbers, strong colour for large ones, a minus in those below zero. ${number(shares[now.after], 4)} of their size lies in their differences.`,
      2 * bottom + 72,
      text(0, 14, "Before the first block", "name"), rows(states[0], 24, Live.stream.size(states[0])),
      text(0, bottom + 52, `After ${now.after} blocks`, "name"), rows(X, bottom + 62, own));
    const x = (block) => 40 + (308 * block) / sizes.blocks, y = (share) => 190 - 150 * share;
    curve.draw(
      `Share of differences after each block: ${shares.map((share, block) => `${block}: ${number(share, 4)}`).join("; ")}.`,
      232,
      text(0, 14, "What is left of the differences?", "name"),
      [0, 0.5, 1].map((share) => [line(40, y(share), 348, y(share)), text(34, y(share) + 4, number(share, 1), "end")]),
      [0, 6, 12, 18, 24].map((block) => text(x(block), 208, block, "middle")), text(348, 226, "blocks", "end"),
      line(x(now.after), y(0), x(now.after), y(1), "here"),
      svg("path", { class: "curve one", d: `M${shares.map((share, block) => `${at(x(block))},${at(y(share))}`).join("L")}` }),
      svg("circle", { class: "spot one", cx: at(x(now.after)), cy: at(y(shares[now.after])), r: 4.5 }));
    ui.say(`After ${now.after} of ${sizes.blocks} blocks: ${number(shares[now.after], 4)} of the words' size lies in their differences. The numbers on the stream have a typical size of ${power(Live.stream.size(X))}.`);
  }

  const change = (name) => (value) => { now[name] = value; compute(); };
  ui.check({ label: "Residual path", value: now.residual, change: change("residual") });
  ui.choice({
    label: "Norm", value: now.norm, change: change("norm"),
    options: [["pre", "before each part"], ["post", "after each sum"], ["none", "none"]],
  });
  ui.choice({
    label: "Initial weights", value: now.init, change: change("init"),
    options: [["xavier", "Xavier"], ["small", "small"], ["gpt2", "small, scaled"], ["large", "three times Xavier"]],
  });
  ui.slider({
    label: "Blocks passed", min: 0, max: sizes.blocks, value: now.after,
    change: (value) => { now.after = value; draw(); },
  });
  compute();
});
