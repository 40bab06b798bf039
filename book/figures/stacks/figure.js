// Every tensor of an encoder-decoder while it translates, its two stacks side by side; parts of both can be switched off.
"use strict";

Live.figure("stacks", (ui, { sentence, languages, into, longest, start, bars }) => {
  const { number, largest, softmax } = Live;
  const model = Live.translator(Live.data.translator), shown = (word) => ({ "<s>": "start", "</s>": "end" })[word] ?? word;
  const [S, T, d, h, V] = ["S", "T", "d", "h", "V"];
  const pictures = { encoder: ui.picture(), decoder: ui.picture() };
  let words = [], language = into, place = start, head = 0, causal = true, places = true, off = "", found = null, usual = "";

  const alone = "The encoder has no cross-attention.", unscored = "Only the decoder scores words.";
  // A part is [formula, shape in letters, numbers], or says why it is missing: for the encoder, then for the decoder.
  const attention = (b, name, own) => {
    const title = `${name}-attention`;
    const one = (formula, rows, value) => own.map((texts) => (typeof texts === "string" ? texts
      : [formula.replace("y", texts.y).replace("z", texts.z), rows.replaceAll("rows", texts.rows).replaceAll("columns", texts.columns), (stack) => value(stack.blocks[b][name])]));
    const headed = (said, role, parts) => ({ said: `Block ${b + 1}, ${name}: ${said}`, role, ofHead: true, parts });
    return [
      headed("queries Q", "q", one("y W_Q, one head", `rows × ${d}/${h}`, ({ each }) => each[head].q)),
      headed("keys K", "k", one("z W_K, one head", `columns × ${d}/${h}`, ({ each }) => each[head].k)),
      headed("values V", "v", one("z W_V, one head", `columns × ${d}/${h}`, ({ each }) => each[head].v)),
      headed("scores", "", one("Q Kᵀ / √(d/h)", "rows × columns", ({ each }) => each[head].scores)),
      headed("weights A", "map", one("softmax of each row", "rows × columns", ({ each }) => each[head].weights)),
      headed("output", "v", one("A V", `rows × ${d}/${h}`, ({ each }) => each[head].output)),
      { said: `Block ${b + 1}, ${name}: attention adds`, parts: one("all heads side by side, times W_O", `rows × ${d}`, ({ added }) => added) },
      { said: `Block ${b + 1}, ${name}: after the norm`, role: "one", parts: one(`LN(y + ${title}(y))`, `rows × ${d}`, ({ after }) => after) },
    ];
  };
  const each = (formula, columns, value) => [[formula, `${S} × ${columns}`, value], [formula, `${T} × ${columns}`, value]];
  const block = (b) => [
    ...attention(b, "self", [{ y: "x", z: "x", rows: S, columns: S }, { y: "x", z: "x", rows: T, columns: T }]),
    ...attention(b, "cross", [alone, { y: "y", z: "(encoder's states)", rows: T, columns: S }]),
    { said: `Block ${b + 1}: FFN, inside`, role: "two", parts: each("ReLU(y W_1 + b_1)", `4${d}`, ({ blocks }) => blocks[b].hidden) },
    { said: `Block ${b + 1}: FFN adds`, parts: each("(inside) W_2 + b_2", d, ({ blocks }) => blocks[b].made) },
    { said: `Block ${b + 1}: after FFN`, role: "one", parts: each("LN(y + FFN(y))", d, ({ blocks }) => blocks[b].after) },
  ];
  const steps = [
    { said: "Ids", ids: true, parts: [["the language to write, then the words read", S, ({ row }) => row], ["the words written", T, ({ row }) => row]] },
    { said: "Embedding", parts: each("√d E[id]", d, ({ embedded }) => embedded) },
    { said: "With positions", parts: each("√d E[id] + waves", d, (stack) => stack.start) },
    ...Array.from({ length: model.layers }, (_, b) => block(b)).flat(),
    { said: "Logits", parts: [unscored, ["y Eᵀ, after the last word", V, ({ logits }) => logits]] },
    { said: "Probabilities", parts: [unscored, ["softmax(logits)", V, ({ logits }) => softmax(logits)]] },
  ];

  function draw() {
    const { said, role, ofHead, ids, parts } = steps[place], names = { S: found.encoder.names, T: found.decoder.names };
    Object.keys(pictures).forEach((stack, i) => {
      const part = parts[i], there = Array.isArray(part), [rows, columns] = there ? part[1].split(" × ") : [];
      Live.opened(pictures[stack], `${i ? "Decoder" : "Encoder"}. ${ofHead && there ? `${said}, head ${head + 1}` : said}`,
        there ? [part[0], part[1], part[2](found[stack])] : part,
        { role, rows: names[rows], columns: names[columns] ?? null, token: (id) => shown(model.words[id]), bars, ids });
    });
    const shares = softmax(found.decoder.logits), best = largest(shares);
    ui.say(`It writes: ${found.said}.${found.said === usual ? "" : ` With everything on, it writes: ${usual}.`} After the last word: “${shown(model.words[best])}”, with probability ${number(shares[best])}.`);
  }
  function read() {
    const source = [language, ...words], options = { causal, places, gone: new Set(off ? [off] : []) };
    usual = model.text(model.translate(source).said);
    const { said } = model.translate(source, 1, options);
    const rows = { encoder: [...model.ids(source), model.END], decoder: [model.START, ...model.ids(said)] };
    const encoder = model.read(rows.encoder, options);
    found = { said: model.text(said), encoder, decoder: model.decode(rows.decoder, encoder.states, options) };
    for (const stack of ["encoder", "decoder"]) Object.assign(found[stack], { row: rows[stack], names: rows[stack].map((id) => shown(model.words[id])) });
  }
  const renew = () => { read(); if (ready) draw(); };

  let ready = false;
  ui.sentence({ label: "A number or a date, in words", value: sentence, change(typed) {
    const cut = model.split(typed.slice(0, longest));
    if (!cut.words.length) return "Type at least one word.";
    words = cut.words;
    renew();
    return cut.unknown.length ? `It has never seen ${new Intl.ListFormat("en-GB").format([...new Set(cut.unknown)])}.` : "";
  } });
  ready = true;
  ui.slider({ label: "Step", min: 1, max: steps.length, value: place + 1, show: (n) => `${n} of ${steps.length}`, change: (n) => { place = n - 1; draw(); } });
  ui.choice({ label: "Head", options: Array.from({ length: model.heads }, (_, i) => [i, i + 1]), value: head, change: (to) => { head = Number(to); draw(); } });
  ui.choice({ label: "Into", options: languages, value: language, change: (to) => { language = to; renew(); } });
  ui.check({ label: "Causal mask", value: causal, change: (on) => { causal = on; renew(); } });
  ui.check({ label: "Positions", value: places, change: (on) => { places = on; renew(); } });
  const kinds = [["encoder", "attention", "encoder"], ["decoder", "attention", "decoder, self"], ["decoder", "cross", "decoder, cross"]];
  ui.choice({
    label: "Switch off", value: off,
    options: [["", "nothing"], ...kinds.flatMap(([stack, name, said]) => Array.from({ length: model.layers * model.heads }, (_, i) => {
      const [b, n] = [Math.floor(i / model.heads), i % model.heads];
      return [`${stack}.${b}.${name}.${n}`, `${said}: block ${b + 1}, head ${n + 1}`];
    }))],
    change: (to) => { off = to; renew(); },
  });
  ui.hint("Find the step at which the decoder first sees the source. Then switch the positions off: in which order are the words now? And which single head does it need most?");
  draw();
});
