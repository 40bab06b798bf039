// A tensor, opened: its formula, its shape and its numbers, in the lessons' colours.
"use strict";

Live.opened = (() => {
  const { svg, text, box, square, number, short, at } = Live;

  // A square for each number, in shares of the largest size; shut what a mask shuts. Weights have one scale, from 0 to 1,
  // and the scale below them.
  function matrix(value, role, top, rows, columns) {
    const wide = Math.min(268 / value[0].length, 20), high = 16, x = 84;
    const heads = columns && value[0].length === columns.length
      ? columns.map((name, j) => svg("text", { class: "mono", transform: `translate(${at(x + (j + 0.5) * wide + 3)} ${top - 6}) rotate(-60)` }, short(name, 7)))
      : [];
    const greatest = role === "map" ? 1 : Math.max(...value.flat().filter(Number.isFinite).map(Math.abs), 1e-9);
    const key = role === "map" ? Live.scale(x, top + value.length * high + 8) : null;
    return [heads, key, value.map((row, i) => [
      text(x - 6, top + i * high + 12, value.length === 1 ? "" : short(rows[i], 9), "end mono"),
      row.map((entry, j) => {
        const [left, up] = [x + j * wide, top + i * high];
        if (entry === -Infinity) return box(left, up, wide - 0.4, high - 2, "shut");
        return square(left, up, wide - 0.4, high - 2, role === "map" ? "heat" : role, entry / greatest);
      }),
    ])];
  }
  // The largest numbers of a vector with a number for each token.
  function ranking(value, top, token, bars) {
    const order = value.map((_, id) => id).sort((a, b) => value[b] - value[a]).slice(0, bars);
    const [highest, lowest] = [value[order[0]], Math.min(...value)];
    return order.map((id, i) => [
      text(92, top + 18 * i + 12, short(token(id), 12), "end mono"),
      box(100, top + 18 * i, 190 * ((value[id] - lowest) / (highest - lowest || 1)), 14, "cell weight"),
      text(356, top + 18 * i + 12, number(value[id]), "end"),
    ]);
  }

  // Draws a tensor under its `heading`. `part` is [formula, shape in letters, numbers], or says why there is none. `rows`
  // name its rows, `columns` those of a table of scores, `token` a place of a vector. Ids are a vector of their own kind.
  return (picture, heading, part, { role = "", rows, columns, token, bars, ids = false }) => {
    if (!Array.isArray(part)) {
      picture.draw(`${heading}: ${part}`, 62, text(0, 16, heading, "name"), text(0, 36, part));
      return;
    }
    const [formula, shape, numbers] = part, vector = !Array.isArray(numbers[0]);
    const size = vector ? `${numbers.length}` : `${numbers.length} × ${numbers[0].length}`, top = columns ? 98 : 62;
    const body = ids
      ? rows.map((name, t) => [text(84, top + 18 * t + 12, name, "end mono"), text(96, top + 18 * t + 12, numbers[t], "strong")])
      : vector ? ranking(numbers, top, token, bars) : matrix(numbers, role, top, rows, columns);
    const height = ids ? 18 * numbers.length : vector ? 18 * bars : 16 * numbers.length + (role === "map" ? 24 : 0);
    const finite = numbers.flat().filter(Number.isFinite);
    const tail = vector ? "" : ` Largest ${number(Math.max(...finite), 4)}, smallest ${number(Math.min(...finite), 4)}.`;
    picture.draw(`${heading}: ${formula}. Shape ${shape} = ${size}.${tail}`, top + height + 8,
      text(0, 16, heading, "name"), text(0, 36, formula), text(356, 36, `${shape} = ${size}`, "end strong"), body);
  };
})();

// The tensors of block b with the norm before each part, for T tokens: their names, roles and parts. `head` says which
// head is shown.
Live.openedBlock = (b, T, head) => {
  const [Td, Tk, TT] = [`${T} × d`, `${T} × d/h`, `${T} × ${T}`], of = (value) => ({ blocks }) => value(blocks[b]);
  const ofHead = (value) => of(({ each }) => value(each[head()]));
  return [
    ["norm", "one", ["LN(x)", Td, of(({ before }) => before)]],
    ["queries Q", "q", ["LN(x) W_Q, one head", Tk, ofHead(({ q }) => q)]],
    ["keys K", "k", ["LN(x) W_K, one head", Tk, ofHead(({ k }) => k)]],
    ["values V", "v", ["LN(x) W_V, one head", Tk, ofHead(({ v }) => v)]],
    ["scores", "", ["Q Kᵀ / √(d/h)", TT, ofHead(({ scores }) => scores)]],
    ["weights A", "map", ["softmax of each row", TT, ofHead(({ weights }) => weights)]],
    ["head's output", "v", ["A V", Tk, ofHead(({ output }) => output)]],
    ["attention adds", "", ["all heads side by side, times W_O", Td, of(({ added }) => added)]],
    ["residual stream", "", ["x + attention(LN(x))", Td, of(({ between }) => between)]],
    ["second norm", "one", ["LN(x)", Td, of(({ again }) => again)]],
    ["FFN, inside", "two", ["GELU(LN(x) W_1 + b_1)", `${T} × d_ff`, of(({ hidden }) => hidden)]],
    ["FFN adds", "", ["(inside) W_2 + b_2", Td, of(({ made }) => made)]],
    ["residual stream", "", ["x + FFN(LN(x))", Td, of(({ after }) => after)]],
  ].map(([said, role, part], i) => ({ said: `Block ${b + 1}: ${said}`, role, part, ofHead: i > 0 && i < 7 }));
};
