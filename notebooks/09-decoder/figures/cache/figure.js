// Writing with and without a key-value cache, token by token: what is computed anew, and what is kept.
"use strict";

// Queries, keys and values of some tokens: random vectors and matrices that a seed fixes.
Live.cached = ({ words, width, seed }) => {
  const next = Live.random(seed), row = () => Array.from({ length: width }, () => 2 * next() - 1);
  const X = words.map(row);
  return ["q", "k", "v"].map(() => Live.times(X, Array.from({ length: width }, row)));
};

Live.figure("cache", (ui, data) => {
  const { text, box, strip, number, short, at } = Live;
  const { words, width } = data, [Q, K, V] = Live.cached(data);
  const side = 15, top = 52, high = 24, columns = { q: 84, k: 154, v: 224 };
  const picture = ui.picture(), counts = ui.picture();
  let token = data.token, keep = true;

  function draw() {
    const rows = token + 1, anew = keep ? 1 : rows;
    // The newest query, and all keys and values up to it; without a cache all queries, and the last row of the answer.
    const asked = keep ? [Q[token]] : Q.slice(0, rows);
    const found = Live.attention(asked, K.slice(0, rows), V.slice(0, rows), { causal: !keep });
    const weights = found.weights.at(-1), output = found.output.at(-1);
    const lines = words.map((word, t) => {
      const y = top + t * high, fresh = t < rows && t >= rows - anew, there = t < rows;
      return [
        text(76, y + 12, short(word, 9), `end${t === token ? " strong" : ""}`),
        ["q", "k", "v"].map((kind, i) => (there && (fresh || (kind !== "q" && keep))
          ? strip(columns[kind], y, [Q, K, V][i][t], side, kind, 1.5) : null)),
        fresh ? box(columns.q - 3, y - 3, columns.v - columns.q + width * side + 5, side + 5, "mark") : null,
        there ? [box(302, y, side - 1, side - 1, "cell heat", { "fill-opacity": at(weights[t]) }), box(302, y, side - 1, side - 1, "frame"), text(356, y + 12, number(weights[t]), "end")] : null,
      ];
    });
    const bottom = top + words.length * high + 8;
    picture.draw(
      `${words[token]} is read, ${keep ? "with" : "without"} a cache. Computed in this step: ${anew} of ${rows} rows of queries, keys and values. Weights of ${words[token]}: ${words.slice(0, rows).map((word, t) => `${word} ${number(weights[t], 4)}`).join(", ")}. Output: ${output.map((value) => number(value, 4)).join(", ")}.`,
      bottom + 26,
      text(0, 16, "Framed: computed in this step", "name"),
      text(columns.q, 42, "query", "q"), text(columns.k, 42, "key", "k"), text(columns.v, 42, "value", "v"), text(356, 42, "weight", "end"),
      lines, text(76, bottom + 12, "output", "end strong"), strip(columns.v, bottom, output, side, "v", 1.5));
    const [once, again] = [rows, (rows * (rows + 1)) / 2], all = (words.length * (words.length + 1)) / 2;
    counts.draw(
      `Rows computed so far: with a cache ${once}, without ${again}. Numbers kept: ${keep ? 2 * rows * width : 0}.`, 132,
      text(0, 16, "Rows computed so far", "name"),
      [["with a cache", once], ["without", again]].map(([said, many], i) => [
        text(0, 48 + 36 * i, said), box(100, 34 + 36 * i, 200, 20, "track"),
        box(100, 34 + 36 * i, (200 * many) / all, 20, `cell ${i ? "two" : "one"}`), text(356, 49 + 36 * i, many, "end strong")]),
      text(0, 120, `Kept in the cache: ${keep ? `${rows} keys, ${rows} values` : "nothing"}`));
    ui.say(`“${words[token]}” is read. Computed in this step: ${anew} ${anew === 1 ? "row" : "rows"}. So far ${keep ? once : again}; ${keep ? `without a cache it would be ${again}` : `with a cache it would be ${once}`}.`);
  }

  const last = words.length;
  const slider = ui.slider({ label: "Token", min: 1, max: last, value: token + 1, show: (n) => words[n - 1] ?? "", change: (n) => { token = n - 1; draw(); } });
  ui.check({ label: "Keep keys and values", value: keep, change: (on) => { keep = on; draw(); } });
  ui.play({ slider, change: (n) => { token = n - 1; draw(); } });
  ui.hint("Continue token by token. Then do without the cache: what must be computed again, and does the output change?");
  draw();
});
