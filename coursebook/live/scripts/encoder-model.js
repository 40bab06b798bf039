// A real encoder's attention: stored for the lessons' own sentences, since the model is too large for a page.
"use strict";

Live.encoder = (stored) => {
  const plain = (text) => (text.toLowerCase().replaceAll("’", "'").match(/\p{L}+(?:'\p{L}+)?/gu) || []).join(" ");
  const known = new Map(stored.sentences.map((one) => [plain(one.words.slice(1, -1).join(" ")), one]));
  return {
    name: stored.model.name,
    // The words from [CLS] to [SEP], which of them asks first, and the weights of each stored head; null if the text is
    // none of the stored sentences.
    find(text) {
      const one = known.get(plain(text));
      if (!one) return null;
      const names = Object.keys(one.heads);
      const each = names.map((name) => {
        const [layer, head] = name.split(".");
        return { name: `layer ${layer}, head ${head}`, weights: one.heads[name].map((row) => row.map((weight) => weight / 1000)) };
      });
      return { words: one.words, asks: one.asks, first: names.indexOf(one.head), each };
    },
  };
};

// A text as the real encoder read it, if it is stored, else as the small model reads it now; `note` says which of them.
Live.reading = (encoder, model, text, most) => {
  const real = encoder.find(text);
  if (real) return { ...real, real: true, strange: new Set(), note: `${encoder.name} has read this one beforehand.` };
  const found = model.split(text, most);
  if (!found.words.length) return { words: [], note: model.remark(found) };
  const run = model.read(found.words);
  const each = run.each.map((head, h) => ({ ...head, name: `head ${h + 1}` }));
  const note = ["Read by our small model, in this page.", model.remark(found)].filter(Boolean).join(" ");
  return { words: found.words, real: false, strange: new Set(found.unknown), each, sense: model.sense(found.words, run.states), note };
};
