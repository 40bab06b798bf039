// A tensor, opened: its formula, its shape and its numbers, in the lessons' colours.
"use strict";

Live.opened = (() => {
  const { svg, text, box, square, number, short, at } = Live;

  // Where a matrix begins, and how large its squares are.
  const cells = (value) => ({ wide: Math.min(268 / value[0].length, 20), high: 16, x: 84 });

  // A square for each number, in shares of the largest size; shut what a mask shuts. Weights have one scale, from 0 to 1,
  // and the scale below them.
  function matrix(value, role, top, rows, columns) {
    const { wide, high, x } = cells(value);
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

  // The likeliest tokens from their scores to their probabilities; between them the scores at a temperature, if there is one.
  function likeliest(shares, top, token, bars, { logits, temperature }) {
    const order = shares.map((_, id) => id).sort((a, b) => shares[b] - shares[a]).slice(0, bars);
    const columns = [["token", 80], ["score", 140], ...(temperature ? [["score ÷ T", 212]] : []), ["softmax", 356]];
    const left = temperature ? 222 : 150, largest = shares[order[0]], full = largest < 0.2 ? largest : 1;
    return [columns.map(([said, x]) => text(x, top + 12, said, "end share")), order.map((id, i) => {
      const y = top + 18 * (i + 1);
      return [
        text(80, y + 12, short(token(id), 9), "end mono"), text(140, y + 12, number(logits[id]), "end"),
        temperature ? text(212, y + 12, number(logits[id] / temperature), "end") : null,
        box(left, y, 310 - left, 14, "track"), box(left, y, ((310 - left) * shares[id]) / full, 14, "cell one"),
        text(356, y + 12, number(shares[id], 3), "end strong"),
      ];
    }), full < 1 ? text(310, top + 12, `full bar: ${number(full, 3)}`, "end share strong") : null];
  }

  // Draws a tensor under its `heading`. `part` is [formula, shape in letters, numbers], or says why there is none. `rows`
  // name its rows, `columns` those of a table of scores, `token` a place of a vector. Ids are a vector of their own kind.
  // With `room` for so many rows, the picture is as high for any tensor; `scored` has what probabilities are made of.
  // Returns what a point in the picture says: the number of the square there, or nothing.
  return (picture, heading, part, { role = "", rows, columns, token, bars, ids = false, room = 0, scored = null }) => {
    if (!Array.isArray(part)) {
      picture.draw(`${heading}: ${part}`, 62, text(0, 16, heading, "name"), text(0, 36, part));
      return () => "";
    }
    const [formula, shape, numbers] = part, vector = !Array.isArray(numbers[0]);
    const size = vector ? `${numbers.length}` : `${numbers.length} × ${numbers[0].length}`, top = columns ? 98 : 62;
    const body = ids
      ? rows.map((name, t) => [text(84, top + 18 * t + 12, name, "end mono"), text(96, top + 18 * t + 12, numbers[t], "strong")])
      : scored ? likeliest(numbers, top - 14, token, bars, scored)
      : vector ? ranking(numbers, top, token, bars) : matrix(numbers, role, top, rows, columns);
    const height = ids ? 18 * numbers.length : vector ? 18 * bars : 16 * numbers.length + (role === "map" ? 24 : 0);
    const finite = numbers.flat().filter(Number.isFinite);
    const tail = vector ? "" : ` Largest ${number(Math.max(...finite), 4)}, smallest ${number(Math.min(...finite), 4)}.`;
    const reserved = room && Math.max(98 + 16 * room + 24, 66 + 18 * Math.max(bars, room));
    picture.draw(`${heading}: ${formula}. Shape ${shape} = ${size}.${tail}`, Math.max(top + height, reserved) + 8,
      text(0, 16, heading, "name"), text(0, 36, formula), text(356, 36, `${shape} = ${size}`, "end strong"), body);
    return (across, down) => {
      if (vector) return "";
      const { wide, high, x } = cells(numbers), [i, j] = [Math.floor((down - top) / high), Math.floor((across - x) / wide)];
      if (numbers[i]?.[j] === undefined) return "";
      const row = numbers.length > 1 ? `“${rows[i]}”, ` : "", column = columns && numbers[0].length === columns.length ? `“${columns[j]}”` : `number ${j + 1} of ${numbers[0].length}`;
      return `${row}${column}: ${number(numbers[i][j])}`;
    };
  };
})();

// The stages of a model, for a list to choose from. Those of its `steps` that name none are before or after the blocks.
Live.stages = {
  KINDS: { embed: "embedding and position", self: "self-attention", cross: "cross-attention", ffn: "feed-forward", norm: "what is scored", scores: "probabilities" },
  TELLS: { embed: "positions", self: "weights A", cross: "weights A", ffn: "FFN, inside", norm: "What is scored", scores: "Probabilities" },
  // What each stage does, in one plain sentence, and what each tensor is, by the name after its block's.
  DOES: {
    embed: "Each token becomes a vector, a list of numbers that was learned, and its position is added.",
    self: "Self-attention: each token takes over a weighted average of the values it may see.",
    cross: "Cross-attention: each token being written takes over a weighted average of the values of the words that were read.",
    ffn: "Feed-forward: a small network of two layers works on each vector alone.",
    norm: "The last vector is made ready to be compared with every token that the model knows.",
    scores: "Each token that the model knows gets a score, and softmax turns the scores into probabilities.",
  },
  IS: [
    [/^Ids$/, "Each token has a number: its place in the list of all tokens that the model knows."],
    [/^Embedding$/, "Each token's number is replaced by a vector that was learned: a row of d numbers for each of the T tokens (S in what is only read)."],
    [/^Patches$/, "The image is cut into small squares, and each row holds the pixels of one."],
    [/^Tokens$/, "Each patch is multiplied by a matrix, and becomes a vector like that of a word."],
    [/^With \[CLS\]/, "[CLS] is a token that is no patch: it collects what is needed for the answer. Every token gets the vector of its position."],
    [/^With positions$/, "A vector for the position is added, so that the order of the tokens counts."],
    [/^(norm|second norm)$/, "Each row is shifted and scaled to mean 0 and spread 1, so that the numbers do not grow from block to block."],
    [/^queries Q$/, "A query says what its token is looking for. Each of the h heads has queries, keys and values of its own, of d/h numbers."],
    [/^keys K$/, "A key is what queries are compared with: the better they agree, the more of its token's value is taken over."],
    [/^values V$/, "A value is what a token hands over to those that attend to it."],
    [/^scores$/, "Each query is compared with each key: one row for each token that looks, one column for each that is looked at."],
    [/^weights A$/, "Softmax turns each row of scores into weights from 0 to 1, with the sum 1: how much each token takes from each other."],
    [/^(head's output|output)$/, "Each row is the average of the values, with the weights of that token's row."],
    [/^attention adds$/, "The outputs of all heads are joined and mixed by a matrix: this is what attention adds to each vector."],
    [/^(residual stream|after the norm|after FFN)$/, "The vectors after this part of the block: what came in, plus what was added."],
    [/^FFN, inside$/, "The wider layer inside the feed-forward network; most of its numbers are close to zero."],
    [/^FFN adds$/, "What the feed-forward network adds to each vector."],
    [/^States, for/, "The encoder's last rows, after a norm: the decoder makes its keys and values for cross-attention of these."],
    [/^What is scored$/, "The one vector from which the answer is read."],
    [/^Logits$/, "The scores: one number for each possible answer, of any size."],
    [/^Probabilities$/, "Softmax turns the scores into probabilities, with the sum 1."],
  ],
  // A tensor's name without its block, and what it is.
  name: ({ said }) => said.split(": ").at(-1),
  is(step) { return this.IS.find(([name]) => name.test(this.name(step)))[1]; },
  of: ({ stage, block }, i) => ({ kind: stage ?? (i < 3 ? "embed" : "scores"), block }),
  // Whether a part is switched off: a feed-forward network, or this head of an attention.
  off: ({ each, gone }, head) => Boolean(each ? each[head].gone : gone),
  key: (step, i) => { const { kind, block } = Live.stages.of(step, i); return `${kind}.${block ?? ""}`; },
  // Each stage's key, with its name and the place of the step that tells most of it.
  list(steps) {
    const first = new Map();
    steps.forEach((step, place) => {
      const key = this.key(step, place), { kind, block } = this.of(step, place), said = `${block === undefined ? "" : `block ${block + 1}: `}${this.KINDS[kind]}`;
      if (!first.has(key) || step.said.endsWith(this.TELLS[kind])) first.set(key, { key, said, place });
    });
    return [...first.values()];
  },
  // A list and a slider that lead to the same place among the steps.
  controls(ui, { steps, place, change }) {
    const all = this.list(steps);
    const choice = ui.choice({ label: "Open", options: all.map(({ key, said }) => [key, said]), value: this.key(steps[place], place), change(key) {
      const to = all.find((one) => one.key === key).place;
      slider.set(to + 1);
      change(to);
    } });
    const told = Live.html("p", { class: "live-is" });
    const show = (n) => { told.textContent = this.is(steps[n - 1]); return this.name(steps[n - 1]); };
    const slider = ui.slider({ label: "Step", min: 1, max: steps.length, value: place + 1, show, named: true, change: (n) => {
      choice.value = this.key(steps[n - 1], n - 1);
      change(n - 1);
    } });
    ui.below.append(told);
  },
};

// The tensors of block b with the norm before each part, for T tokens: their names, roles and parts. `head` says which
// head is shown, `stage` where in the block the tensor is.
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
  ].map(([said, role, part], i) => ({ said: `Block ${b + 1}: ${said}`, role, part, ofHead: i > 0 && i < 7, block: b, stage: i < 9 ? "self" : "ffn" }));
};

// Every tensor of a decoder from the ids to the probabilities: its name, role and part [formula, shape, value].
Live.openedDecoder = (layers, head) => [
  { said: "Ids", part: ["the text, cut into tokens", "T", ({ ids }) => ids] },
  { said: "Embedding", part: ["row E[id] for each token", "T × d", ({ embedded }) => embedded] },
  { said: "With positions", part: ["E[id] + P[t]", "T × d", ({ start }) => start] },
  ...Array.from({ length: layers }, (_, b) => Live.openedBlock(b, "T", head)).flat(),
  { said: "What is scored", role: "one", stage: "norm", part: ["LN(x) of the last token", "1 × d", ({ last }) => [last]] },
  { said: "Logits", part: ["LN(x) Eᵀ: which token is next?", "V", ({ logits }) => logits] },
  { said: "Probabilities", part: ["softmax(logits)", "V", ({ logits }) => Live.softmax(logits)] },
];

// The same places of the way in an encoder of so many blocks, which has its norms after the sums. A part that it does not
// have says why.
Live.openedEncoder = (layers, head, { blocks: own = 1, activation = "ReLU" } = {}) => {
  const Td = "T × d", Tk = "T × d/h", TT = "T × T";
  const block = (b, headed = (formula, shape, value) => [formula, shape, ({ blocks }) => value(blocks[b].each[head()])], whole = (formula, shape, value) => [formula, shape, ({ blocks }) => value(blocks[b])]) => [
    "In this encoder the norms come after the sums.",
    ...["q", "k", "v"].map((kind) => headed(`x W_${kind.toUpperCase()}, one head`, Tk, (one) => one[kind])),
    headed("Q Kᵀ / √(d/h)", TT, ({ scores }) => scores),
    headed("softmax of each row", TT, ({ weights }) => weights),
    headed("A V", Tk, ({ output }) => output),
    whole("all heads side by side, times W_O", Td, ({ added }) => added),
    whole("LN(x + attention(x))", Td, ({ between }) => between),
    "The norm is in the sum above.",
    whole(`${activation}(x W_1 + b_1)`, "T × d_ff", ({ hidden }) => hidden),
    whole("(inside) W_2 + b_2", Td, ({ made }) => made),
    whole("LN(x + FFN(x))", Td, ({ after }) => after),
  ], parts = Array.from({ length: own }, (_, b) => block(b)).flat();
  const others = {
    Ids: ["the text, cut into words", "T", ({ ids }) => ids],
    Embedding: ["row E[id] for each token", Td, ({ embedded }) => embedded],
    "With positions": ["LN(E[id] + P[t] + segment)", Td, ({ x }) => x],
    "What is scored": [`LN(${activation}(x W + b)) of the gap`, "1 × d", ({ last }) => [last]],
    Logits: ["(…) Eᵀ + b: which word is hidden?", "V", ({ logits }) => logits],
    Probabilities: ["softmax(logits)", "V", ({ logits }) => Live.softmax(logits)],
  };
  return Live.openedDecoder(layers, head).map((step, i) =>
    ({ ...step, part: others[step.said] ?? (i < 3 + parts.length ? parts[i - 3] : "This encoder has one block.") }));
};

// Every tensor of an encoder-decoder: `parts` are the encoder's and the decoder's. Its norms stand after the sums, or `before`
// each part and at the end of each stack.
Live.openedStacks = (layers, head, before = false) => {
  const [S, T, d, V] = ["S", "T", "d", "V"], of = (x) => (before ? `LN(${x})` : x), sum = (x, part) => (before ? `${x} + ${part}(LN(${x}))` : `LN(${x} + ${part}(${x}))`);
  const after = before ? ["residual stream", ""] : ["after the norm", "one"];
  const alone = "The encoder has no cross-attention.", unscored = "Only the decoder scores words.";
  // A part is [formula, shape in letters, numbers], or says why it is missing: for the encoder, then for the decoder.
  const attention = (b, name, own) => {
    const title = `${name}-attention`;
    const one = (formula, rows, value) => own.map((texts) => (typeof texts === "string" ? texts
      : [formula.replace(/\by\b/g, texts.y).replace(/\bz\b/g, texts.z), rows.replaceAll("rows", texts.rows).replaceAll("columns", texts.columns), (stack) => value(stack.blocks[b][name])]));
    const stage = { block: b, stage: name };
    const headed = (said, role, parts) => ({ ...stage, said: `Block ${b + 1}, ${name}: ${said}`, role, ofHead: true, parts });
    return [
      headed("queries Q", "q", one(`${of("y")} W_Q, one head`, "rows × d/h", ({ each }) => each[head()].q)),
      headed("keys K", "k", one("z W_K, one head", "columns × d/h", ({ each }) => each[head()].k)),
      headed("values V", "v", one("z W_V, one head", "columns × d/h", ({ each }) => each[head()].v)),
      headed("scores", "", one("Q Kᵀ / √(d/h)", "rows × columns", ({ each }) => each[head()].scores)),
      headed("weights A", "map", one("softmax of each row", "rows × columns", ({ each }) => each[head()].weights)),
      headed("output", "v", one("A V", "rows × d/h", ({ each }) => each[head()].output)),
      { ...stage, said: `Block ${b + 1}, ${name}: attention adds`, parts: one("all heads side by side, times W_O", `rows × ${d}`, ({ added }) => added) },
      { ...stage, said: `Block ${b + 1}, ${name}: ${after[0]}`, role: after[1], parts: one(sum("y", title), `rows × ${d}`, (found) => found.after) },
    ];
  };
  const each = (formula, columns, value) => [[formula, `${S} × ${columns}`, value], [formula, `${T} × ${columns}`, value]];
  const block = (b) => [
    ...attention(b, "self", [{ y: "x", z: of("x"), rows: S, columns: S }, { y: "x", z: of("x"), rows: T, columns: T }]),
    ...attention(b, "cross", [alone, { y: "y", z: "(encoder's states)", rows: T, columns: S }]),
    { block: b, stage: "ffn", said: `Block ${b + 1}: FFN, inside`, role: "two", parts: each(`ReLU(${of("y")} W_1 + b_1)`, "d_ff", ({ blocks }) => blocks[b].hidden) },
    { block: b, stage: "ffn", said: `Block ${b + 1}: FFN adds`, parts: each("(inside) W_2 + b_2", d, ({ blocks }) => blocks[b].made) },
    { block: b, stage: "ffn", said: `Block ${b + 1}: ${before ? after[0] : "after FFN"}`, role: after[1], parts: each(sum("y", "FFN"), d, ({ blocks }) => blocks[b].after) },
  ];
  return [
    { said: "Ids", ids: true, parts: [["the language to write, then the words read", S, ({ row }) => row], ["the words written", T, ({ row }) => row]] },
    { said: "Embedding", parts: each("√d E[id]", d, ({ embedded }) => embedded) },
    { said: "With positions", parts: each("√d E[id] + waves", d, (stack) => stack.start) },
    ...Array.from({ length: layers }, (_, b) => block(b)).flat(),
    ...(before ? [{ block: layers - 1, stage: "ffn", role: "one", said: "States, for the decoder's keys and values", parts: [["LN(x)", `${S} × ${d}`, ({ states }) => states], unscored] },
      { stage: "norm", role: "one", said: "What is scored", parts: [unscored, ["LN(x) of the last row", `1 × ${d}`, ({ states }) => states.slice(-1)]] }] : []),
    { said: "Logits", parts: [unscored, ["y Eᵀ, after the last word", V, ({ logits }) => logits]] },
    { said: "Probabilities", parts: [unscored, ["softmax(logits)", V, ({ logits }) => Live.softmax(logits)]] },
  ];
};
