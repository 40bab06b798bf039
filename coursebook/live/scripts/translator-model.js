// A small encoder-decoder with the names of tfcourse: words to ids, ids to a score for each next word.
"use strict";

Live.translator = (stored) => {
  const { w, norm, attend, feedForward } = Live.layers(stored);
  const { layers, heads, width, longest } = stored.sizes;
  const { words } = stored, ids = new Map(words.map((word, id) => [word, id]));
  const [START, END] = [ids.get("<s>"), ids.get("</s>")];
  const E = w["source_embedding.weight"];

  const added = (X, Y, name) => norm(Live.plus(X, Y), name); // LN(x + f(x))

  // sqrt(d) E, and with P added.
  const put = (row, places) => {
    const embedded = row.map((id) => E[id].map((value) => value * Math.sqrt(width)));
    return { embedded, start: places ? embedded.map((x, t) => x.map((value, i) => {
      const angle = t / 10000 ** ((i - (i % 2)) / width);
      return value + (i % 2 ? Math.cos(angle) : Math.sin(angle));
    })) : embedded };
  };

  // One block, and all that it computes: attention, in the decoder then to the encoder's states, and a feed-forward net.
  function pass(x, block, { causal = false, gone, memory }) {
    const part = (y, name, options) => {
      const found = attend(y, `${block}.${name}`, { ...options, gone: (h) => gone.has(`${block}.${name}.${h}`) });
      return { ...found, after: added(y, found.added, `${block}.${name}_norm`) };
    };
    const self = part(x, "attention", { causal }), cross = memory ? part(self.after, "cross", { context: memory }) : null;
    const y = (cross ?? self).after, { hidden, made } = feedForward(y, `${block}.ffn`, Live.relu);
    return { self, cross, hidden, made, after: added(y, made, `${block}.ffn_norm`) };
  }
  function through(stack, row, { places = true, gone = new Set(), ...options }) {
    const { embedded, start } = put(row, places), blocks = [];
    for (let layer = 0; layer < layers; layer += 1) blocks.push(pass(blocks.at(-1)?.after ?? start, `${stack}.${layer}`, { gone, ...options }));
    return { embedded, start, blocks, states: blocks.at(-1).after };
  }

  const model = {
    layers, heads, words, START, END,
    // The words of a text as the model reads them. Month and day names are known with any first letter.
    split(text) {
      const cut = text.replaceAll("-", " ").match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) || [];
      const known = cut.flatMap((word) => {
        const same = [word, word.toLowerCase(), word[0].toUpperCase() + word.slice(1).toLowerCase()].find((one) => ids.has(one));
        return same ? [same] : Live.pieces(word.toLowerCase(), words);
      });
      return { words: known.slice(0, longest - 2), left: Math.max(known.length - longest + 2, 0), unknown: known.filter((word) => !ids.has(word)) };
    },
    // The states of both stacks, and all that is computed on the way. The mask and the positions can be left out, and
    // heads, named such as "decoder.0.cross.3", taken out.
    encode: (row, options = {}) => model.read(row, options).states,
    read: (row, { places, gone } = {}) => through("encoder", row, { places, gone }),
    // The scores of the word after `row`, and where each head of each block looks in the source.
    decode(row, memory, { causal = true, places, gone } = {}) {
      const found = through("decoder", row, { causal, places, gone, memory }), last = found.states.at(-1);
      return { ...found, logits: E.map((row_) => Live.dot(row_, last)), maps: found.blocks.map(({ cross }) => cross.maps) };
    },
    // A text as it is written: no space before a comma.
    text: (said) => said.join(" ").replaceAll(" ,", ","),
    ids: (said) => said.map((word) => ids.get(word) ?? ids.get("<unk>")),
    // Beam search: of all texts one word longer, the `beams` likeliest are kept. With one it is greedy.
    translate(source, beams = 1, options = {}) {
      const memory = model.encode([...model.ids(source), END], options);
      const ended = ({ row }) => row.at(-1) === END || row.length === longest;
      let kept = [{ row: [START], score: 0, maps: [] }];
      while (!kept.every(ended)) {
        kept = kept.flatMap((one) => {
          if (ended(one)) return [one];
          const { logits, maps } = model.decode(one.row, memory, options), shares = Live.softmax(logits);
          const best = shares.map((_, id) => id).sort((a, b) => shares[b] - shares[a]).slice(0, beams);
          return best.map((id) => ({ row: [...one.row, id], score: one.score + Math.log(shares[id]), maps }));
        }).sort((a, b) => b.score - a.score).slice(0, beams);
      }
      const [{ row, maps, score }] = kept;
      return { said: row.slice(1).filter((id) => id !== END).map((id) => words[id]), asked: row.slice(1).map((id) => words[id]), maps, score };
    },
  };
  return model;
};
