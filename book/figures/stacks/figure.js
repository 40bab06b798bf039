// Every tensor of an encoder-decoder while it translates, its two stacks side by side; parts of both can be switched off.
"use strict";

Live.figure("stacks", (ui, { sentence, languages, into, longest, start, bars }) => {
  const { number, largest, softmax } = Live;
  const model = Live.translator(Live.data.translator), shown = (word) => ({ "<s>": "start", "</s>": "end" })[word] ?? word;
  const pictures = { encoder: ui.picture(), decoder: ui.picture() };
  let words = [], language = into, place = start, head = 0, causal = true, places = true, off = "", found = null, usual = "";
  const steps = Live.openedStacks(model.layers, () => head);

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
  ui.choice({ label: "Into", options: languages, value: language, to: ui.above, change: (to) => { language = to; renew(); } });
  Live.stages.controls(ui, { steps, place, change: (to) => { place = to; draw(); } });
  ui.choice({ label: "Head", options: Array.from({ length: model.heads }, (_, i) => [i, i + 1]), value: head, change: (to) => { head = Number(to); draw(); } });
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
  ui.hint("Find the step at which the decoder first sees the source. Then switch the positions off: in which order are the words now? Then choose French, and take out head 2 of the cross-attention in block 2: in which language is the answer?");
  draw();
});
