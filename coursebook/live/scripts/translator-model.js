// An encoder-decoder with the names of tfcourse: a text to ids, ids to a score for each next token.
"use strict";

// Words as tokens. Month and day names are known with any first letter, and long number words are cut into known ones.
Live.wordTokens = (words) => {
  const known = new Set(words);
  return {
    tokens: words,
    cut: (text) => (text.replaceAll("-", " ").match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) || []).flatMap((word) => {
      const same = [word, word.toLowerCase(), word[0].toUpperCase() + word.slice(1).toLowerCase()].find((one) => known.has(one));
      return same ? [same] : Live.pieces(word.toLowerCase(), words);
    }),
    // As it is written: no space before a comma.
    text: (said) => said.join(" ").replaceAll(" ,", ","),
  };
};

// The model reads words, or the pieces that pairs of bytes were merged into; with the norm after each part, or before it
// and at the end of each stack.
Live.translator = (stored) => {
  const { w, norm, attend, feedForward } = Live.layers(stored);
  const { layers, heads, width, longest, norm: place = "post" } = stored.sizes, before = place === "pre";
  const { tokens: words, cut, text } = stored.merges ? Live.tokenizer(stored.merges, stored.special) : Live.wordTokens(stored.words);
  const ids = new Map(words.map((word, id) => [word, id]));
  const [START, END] = [ids.get("<s>"), ids.get("</s>")];
  const E = w["source_embedding.weight"];

  const read = (X, name) => (before ? norm(X, name) : X); // x + f(LN(x))
  const added = (X, Y, name) => (before ? Live.plus(X, Y) : norm(Live.plus(X, Y), name)); // LN(x + f(x))

  // sqrt(d) E, and with P added from place `first` on.
  const put = (row, places, first) => {
    const embedded = row.map((id) => E[id].map((value) => value * Math.sqrt(width)));
    return { embedded, start: places ? embedded.map((x, t) => x.map((value, i) => {
      const angle = (first + t) / 10000 ** ((i - (i % 2)) / width);
      return value + (i % 2 ? Math.cos(angle) : Math.sin(angle));
    })) : embedded };
  };

  // One block, and all that it computes: attention, in the decoder then to the encoder's states, and a feed-forward net.
  function pass(x, block, { causal = false, gone, memory, cache = {} }) {
    const part = (y, name, options) => {
      const found = attend(read(y, `${block}.${name}_norm`), `${block}.${name}`, { ...options, cache: cache[name], gone: (h) => gone.has(`${block}.${name}.${h}`) });
      return { ...found, after: added(y, found.added, `${block}.${name}_norm`) };
    };
    const self = part(x, "attention", { causal }), cross = memory ? part(self.after, "cross", { context: memory }) : null;
    const y = (cross ?? self).after, again = read(y, `${block}.ffn_norm`), ffn = feedForward(again, `${block}.ffn`, Live.relu, gone.has(`${block}.ffn`));
    return { self, cross, again, ...ffn, after: added(y, ffn.made, `${block}.ffn_norm`) };
  }
  function through(stack, row, { places = true, first = 0, caches = [], gone = new Set(), ...options }) {
    const { embedded, start } = put(row, places, first), blocks = [];
    for (let layer = 0; layer < layers; layer += 1) blocks.push(pass(blocks.at(-1)?.after ?? start, `${stack}.${layer}`, { gone, cache: caches[layer], ...options }));
    return { embedded, start, blocks, states: read(blocks.at(-1).after, `${stack}_norm`) };
  }

  // A text that is written, one token further: the scores of the next, and where each head of each block looked so far.
  // Caches hold what the text's tokens had; without the mask all of them are read again.
  function further({ row, maps, caches }, memory, options) {
    if (options.causal === false) return { ...model.decode(row, memory, options), caches };
    const own = caches.map(({ attention, cross }) => ({ attention: [...attention], cross }));
    const found = model.decode(row.slice(-1), memory, { ...options, caches: own, first: row.length - 1 });
    return { logits: found.logits, caches: own, maps: found.maps.map((each, layer) => each.map((map, h) => [...(maps[layer]?.[h] ?? []), ...map])) };
  }

  const model = {
    layers, heads, words, START, END, text, before,
    vector: (id) => E[id],
    // The norm at the end of the decoder, if the norms stand before each part.
    norm: before ? { gain: w["decoder_norm.gain"], shift: w["decoder_norm.shift"], eps: stored.sizes.eps ?? 1e-5 } : null,
    // The tokens of a text as the model reads them.
    split(typed) {
      const known = cut(typed);
      return { words: known.slice(0, longest - 2), left: Math.max(known.length - longest + 2, 0), unknown: known.filter((word) => !ids.has(word)) };
    },
    // The states of both stacks, and all that is computed on the way. The mask and the positions can be left out, and
    // heads, named such as "decoder.0.cross.3", or "decoder.0.ffn", taken out.
    encode: (row, options = {}) => model.read(row, options).states,
    read: (row, { places, gone } = {}) => through("encoder", row, { places, gone }),
    // The scores of the token after `row`, and where each head of each block looks in the source. With caches, `row` is
    // what follows the `first` tokens that they hold.
    decode(row, memory, { causal = true, ...options } = {}) {
      const found = through("decoder", row, { causal, memory, ...options }), last = found.states.at(-1);
      return { ...found, logits: E.map((row_) => Live.dot(row_, last)), maps: found.blocks.map(({ cross }) => cross.maps) };
    },
    ids: (said) => said.map((word) => ids.get(word) ?? ids.get("<unk>")),
    // Beam search, as in tfcourse: the `beams` likeliest texts go on, those that end are set aside, and the best of these
    // is the answer, by log-probability over ((5 + length) / 6) ** alpha. With one beam it is greedy.
    translate(source, beams = 1, { alpha = 0, ...options } = {}) {
      const memory = model.encode([...model.ids(source), END], options), most = longest - 1;
      const penalty = (length) => ((5 + length) / 6) ** (beams > 1 ? alpha : 0);
      const caches = Array.from({ length: layers }, () => ({ attention: [], cross: [] }));
      let kept = [{ row: [START], score: 0, maps: [], caches }], best = { rated: -Infinity };
      for (let t = 1; t <= most && best.rated < kept[0].score / penalty(most); t += 1) {
        const found = kept.flatMap((one) => {
          const { logits, ...more } = further(one, memory, options), shares = Live.softmax(logits);
          return Live.highest(shares, 2 * beams).map((id) => ({ ...more, row: [...one.row, id], score: one.score + Math.log(shares[id]) }));
        }).sort((a, b) => b.score - a.score).slice(0, 2 * beams);
        for (const one of found.slice(0, beams)) {
          const rated = one.score / penalty(t);
          if ((t === most || one.row.at(-1) === END) && rated > best.rated) best = { ...one, rated };
        }
        kept = found.filter(({ row }) => row.at(-1) !== END).slice(0, beams);
      }
      const { row, maps, score } = best;
      return { said: row.slice(1).filter((id) => id !== END).map((id) => words[id]), asked: row.slice(1).map((id) => words[id]), maps, score };
    },
  };
  return model;
};

// The mean of several tables of weights.
Live.meanMap = (maps) => maps[0].map((row, i) => row.map((_, j) => maps.reduce((sum, map) => sum + map[i][j], 0) / maps.length));

// The places of the `count` highest values, the highest first.
Live.highest = (values, count) => {
  const found = [];
  values.forEach((value, i) => {
    let at = found.length;
    while (at && values[found[at - 1]] < value) at -= 1;
    if (at < count) found.splice(at, 0, i);
    if (found.length > count) found.pop();
  });
  return found;
};
