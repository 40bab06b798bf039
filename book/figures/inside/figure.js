// Every tensor of a decoder and of an encoder that read the same text, with its shape; parts of both can be switched off.
"use strict";

Live.figure("inside", (ui, { text: begin, most, start, bars, gap }) => {
  const { number, largest, softmax } = Live;
  const gpt = Live.gpt(Live.data.merges), tokenizer = Live.tokenizer(Live.data.merges.merges);
  const gaps = Live.data.gaps, bert = Live.reader(gaps);
  let ids = [], words = [], place = start, head = 0, hidden = gap, positions = true, off = "";
  const masks = { decoder: true, encoder: false };

  // What each family reads, computes and says; `usual` is the answer with all parts on.
  const families = {
    decoder: {
      name: "Decoder", picture: ui.picture(), names: () => ids.map((id) => tokenizer.shown(tokenizer.tokens[id])),
      tokens: (id) => tokenizer.shown(tokenizer.tokens[id]),
      read: (options) => ({ ids, ...gpt.read(ids, options) }),
    },
    encoder: {
      name: "Encoder", picture: ui.picture(), names: () => words.map((word, t) => (t === hidden ? "▢" : word)),
      tokens: (id) => gaps.words[id],
      read(options) {
        const found = bert.read(asked(), options), last = bert.head(found.states[hidden]);
        return { ids: asked().map(bert.id), ...found, last, logits: bert.scores(last) };
      },
    },
  };
  const asked = () => words.map((word, t) => (t === hidden ? "<mask>" : word));
  const each = (act) => Object.values(families).forEach(act);

  // The steps of both forward passes.
  const [decoders, encoders] = [Live.openedDecoder, Live.openedEncoder].map((opened) => opened(gpt.layers, () => head));
  const steps = decoders.map((step, i) => ({ ...step, parts: [step.part, encoders[i].part] }));

  function open({ name, picture, names, tokens, found }, part, { said, role, ofHead }) {
    const [formula, shape, value] = part, square = shape === "T × T";
    Live.opened(picture, `${name}. ${ofHead ? `${said}, head ${head + 1}` : said}`, Array.isArray(part) ? [formula, shape, value(found)] : part,
      { role, rows: names(), columns: square ? names() : null, token: tokens, bars, ids: said === "Ids" });
  }

  function draw() {
    const step = steps[place];
    open(families.decoder, step.parts[0], step);
    open(families.encoder, step.parts[1], step);
    const said = ({ tokens, found, usual: whole }) => {
      const [now, usual] = [found, whole].map(({ logits }) => softmax(logits)), [best, before] = [now, usual].map(largest);
      const changed = now.some((share, id) => Math.abs(share - usual[id]) > 1e-9);
      return `“${tokens(best)}”, with probability ${number(now[best])}${changed ? ` (with everything on: “${tokens(before)}”, ${number(usual[before])})` : ""}`;
    };
    ui.say(`The decoder's next token: ${said(families.decoder)}. The encoder's hidden word: ${said(families.encoder)}. The word that is hidden: “${words[hidden]}”.`);
  }
  function read() {
    each((family) => {
      const causal = masks[family.name.toLowerCase()];
      family.usual = family.read({});
      family.found = family.read({ causal, places: positions, gone: new Set(off ? [off] : []) });
    });
  }
  const renew = () => { read(); draw(); };

  let slider = null;
  ui.sentence({ label: "Text", value: begin, change(typed) {
    const cut = tokenizer.prompt(typed), found = bert.split(typed, most);
    if (!cut.length || !found.words.length) return "Type at least one word.";
    ids = cut.slice(0, most);
    words = found.words;
    hidden = Math.min(hidden, words.length - 1);
    if (slider) {
      slider.set(hidden + 1, words.length);
      renew();
    }
    return [cut.length > most ? `Only the first ${most} tokens are read.` : "", tokenizer.remark(cut), bert.remark(found).replaceAll("The model", "The encoder")].filter(Boolean).join(" ");
  } });
  read();
  Live.stages.controls(ui, { steps, place, change: (to) => { place = to; draw(); } });
  ui.choice({ label: "Head", options: Array.from({ length: gpt.heads }, (_, i) => [i, i + 1]), value: head, change: (to) => { head = Number(to); draw(); } });
  ui.check({ label: "Decoder: causal mask", value: masks.decoder, change: (on) => { masks.decoder = on; renew(); } });
  ui.check({ label: "Encoder: causal mask", value: masks.encoder, change: (on) => { masks.encoder = on; renew(); } });
  ui.check({ label: "Positions", value: positions, change: (on) => { positions = on; renew(); } });
  ui.choice({
    label: "Switch off", value: off,
    options: [["", "nothing"], ...Array.from({ length: gpt.layers * gpt.heads }, (_, i) => {
      const b = Math.floor(i / gpt.heads);
      return [`${b}.${i % gpt.heads}`, `block ${b + 1}, head ${(i % gpt.heads) + 1}${b ? " (decoder)" : ""}`];
    })],
    change: (to) => { off = to; renew(); },
  });
  slider = ui.slider({ label: "Hidden word", min: 1, max: words.length, value: hidden + 1, show: (n) => words[n - 1] ?? "", change: (n) => { hidden = n - 1; renew(); } });
  ui.hint("Go through the steps from the ids to the probabilities. Then switch something off. Which tensors change, in which model, and how do the answers change?");
  draw();
});
