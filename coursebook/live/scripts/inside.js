// Every tensor of a small GPT, from the ids to the probabilities, with its shape; parts of it can be switched off.
"use strict";

Live.figure("inside", (ui, { text: begin, most, start, bars }) => {
  const { svg, text, box, line, number, short, at } = Live;
  const stored = Live.data.writer, model = Live.gpt(stored), tokenizer = Live.tokenizer(stored.merges);
  const picture = ui.picture();
  const [T, d, h, V] = ["T", "d", "h", "V"];
  let ids = [], place = start, head = 0, causal = true, places = true, off = "", whole = null, found = null;

  const name = (id) => tokenizer.shown(tokenizer.tokens[id]);
  const size = (value) => (Array.isArray(value[0]) ? `${value.length} × ${value[0].length}` : `${value.length}`);

  // The steps of the forward pass: what each is called, its formula, its shape in letters, its role and its numbers.
  const steps = [
    { said: "Ids", formula: "the text, cut into tokens", shape: T, value: () => ids },
    { said: "Embedding", formula: "row E[id] for each token", shape: `${T} × ${d}`, value: () => found.embedded },
    { said: "With positions", formula: "E[id] + P[t]", shape: `${T} × ${d}`, value: () => found.start },
    ...Array.from({ length: model.layers }, (_, b) => [
      ["norm", "LN(x)", `${T} × ${d}`, "one", ({ before }) => before],
      ["queries Q", "LN(x) W_Q, one head", `${T} × ${d}/${h}`, "q", ({ each }) => each[head].q],
      ["keys K", "LN(x) W_K, one head", `${T} × ${d}/${h}`, "k", ({ each }) => each[head].k],
      ["values V", "LN(x) W_V, one head", `${T} × ${d}/${h}`, "v", ({ each }) => each[head].v],
      ["scores", "Q Kᵀ / √(d/h)", `${T} × ${T}`, "", ({ each }) => each[head].scores],
      ["weights A", "softmax of each row", `${T} × ${T}`, "map", ({ each }) => each[head].weights],
      ["head's output", "A V", `${T} × ${d}/${h}`, "v", ({ each }) => each[head].output],
      ["attention adds", "all heads side by side, times W_O", `${T} × ${d}`, "", ({ added }) => added],
      ["residual stream", "x + attention(LN(x))", `${T} × ${d}`, "", ({ between }) => between],
      ["second norm", "LN(x)", `${T} × ${d}`, "one", ({ again }) => again],
      ["FFN, inside", "GELU(LN(x) W_1 + b_1)", `${T} × 4${d}`, "two", ({ hidden }) => hidden],
      ["FFN adds", "(inside) W_2 + b_2", `${T} × ${d}`, "", ({ made }) => made],
      ["residual stream", "x + FFN(LN(x))", `${T} × ${d}`, "", ({ after }) => after],
    ].map(([said, formula, shape, role, value]) => ({ said: `Block ${b + 1}: ${said}`, formula, shape, role, ofHead: /one head|A V|softmax|√/u.test(formula), value: () => value(found.blocks[b]) }))).flat(),
    { said: "Last norm, last token", formula: "LN(x)", shape: `1 × ${d}`, role: "one", value: () => [found.last] },
    { said: "Logits", formula: "LN(x) Eᵀ", shape: V, value: () => found.logits },
    { said: "Probabilities", formula: "softmax(logits)", shape: V, value: () => Live.softmax(found.logits) },
  ];

  // Strong colour for large numbers; a line under those below zero.
  function matrix(value, role, top) {
    const wide = Math.min(268 / value[0].length, 20), high = 16, x = 84;
    const columns = value.length > 1 && value.length === value[0].length
      ? ids.map((id, j) => svg("text", { class: "mono", transform: `translate(${at(x + (j + 0.5) * wide + 3)} ${top - 6}) rotate(-60)` }, short(name(id), 7)))
      : [];
    const largest = Math.max(...value.flat().filter(Number.isFinite).map(Math.abs), 1e-9);
    return [columns, value.map((row, i) => [
      text(x - 6, top + i * high + 12, value.length === 1 ? "last" : short(name(ids[i]), 9), "end mono"),
      row.map((entry, j) => {
        const [left, up] = [x + j * wide, top + i * high];
        if (entry === -Infinity) return box(left, up, wide - 0.4, high - 2, "shut");
        return [
          box(left, up, wide - 0.4, high - 2, role === "map" ? "cell heat" : `cell ${role}`, { "fill-opacity": at(Math.abs(entry) / largest) }),
          entry < 0 ? line(left, up + high - 3.5, left + wide - 0.4, up + high - 3.5, "here") : null,
        ];
      }),
    ])];
  }
  function ranking(value, top) {
    const order = value.map((_, id) => id).sort((a, b) => value[b] - value[a]).slice(0, bars);
    const [highest, lowest] = [value[order[0]], Math.min(...value)];
    return order.map((id, i) => [
      text(92, top + 18 * i + 12, name(id), "end mono"),
      box(100, top + 18 * i, 190 * ((value[id] - lowest) / (highest - lowest || 1)), 14, "cell weight"),
      text(356, top + 18 * i + 12, number(value[id]), "end"),
    ]);
  }

  function draw() {
    const { said, formula, shape, role = "", ofHead, value } = steps[place];
    const numbers = value(), square = Array.isArray(numbers[0]) && numbers.length > 1 && numbers.length === numbers[0].length, top = square ? 98 : 62;
    const vector = !Array.isArray(numbers[0]);
    const body = said === "Ids"
      ? ids.map((id, t) => [text(84, top + 18 * t + 12, name(id), "end mono"), text(96, top + 18 * t + 12, id, "strong")])
      : vector ? ranking(numbers, top) : matrix(numbers, role, top);
    const rows = said === "Ids" ? 18 * ids.length : vector ? 18 * bars : 16 * numbers.length;
    const heading = ofHead ? `${said}, head ${head + 1}` : said;
    const tail = vector ? "" : ` Largest ${number(Math.max(...numbers.flat().filter(Number.isFinite)), 4)}, smallest ${number(Math.min(...numbers.flat().filter(Number.isFinite)), 4)}.`;
    picture.draw(`${heading}: ${formula}. Shape ${shape} = ${size(numbers)}.${tail}`, top + rows + 8,
      text(0, 16, heading, "name"), text(0, 36, formula), text(356, 36, `${shape} = ${size(numbers)}`, "end strong"), body);
    const shares = Live.softmax(found.logits), before = Live.softmax(whole.logits);
    const [now, usual] = [Live.largest(shares), Live.largest(before)];
    const changed = !causal || !places || off;
    ui.say(`Next token: ${name(now)}, with probability ${number(shares[now])}.${changed ? ` With all parts on it is ${name(usual)}, ${number(before[usual])}.` : ""}`);
  }
  function read() {
    whole = model.read(ids);
    found = model.read(ids, { causal, places, gone: new Set(off ? [off] : []) });
  }
  const renew = () => { read(); draw(); };

  ui.sentence({ label: "Text", value: begin, change(typed) {
    const cut = tokenizer.encode(typed);
    if (!cut.length) return "Type at least one character.";
    ids = cut.slice(0, most);
    read();
    if (picture.element.firstChild) draw();
    return cut.length > most ? `Only the first ${most} tokens are read.` : "";
  } });
  ui.slider({ label: "Step", min: 1, max: steps.length, value: place + 1, show: (n) => `${n} of ${steps.length}`, change: (n) => { place = n - 1; draw(); } });
  ui.choice({ label: "Head", options: Array.from({ length: model.heads }, (_, i) => [i, i + 1]), value: head, change: (to) => { head = Number(to); draw(); } });
  ui.check({ label: "Causal mask", value: causal, change: (on) => { causal = on; renew(); } });
  ui.check({ label: "Positions", value: places, change: (on) => { places = on; renew(); } });
  ui.choice({
    label: "Switch off", value: off,
    options: [["", "nothing"], ...Array.from({ length: model.layers * model.heads }, (_, i) => [`${Math.floor(i / model.heads)}.${i % model.heads}`, `block ${Math.floor(i / model.heads) + 1}, head ${(i % model.heads) + 1}`])],
    change: (to) => { off = to; renew(); },
  });
  ui.hint("Go through the steps from the ids to the probabilities. Then switch something off: which tensors change, and what comes next?");
  draw();
});
