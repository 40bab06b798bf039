// A BERT with the names of tfcourse: the words of a text to ids, and a score of every word for each gap.
"use strict";

Live.bert = (stored) => {
  const { layers } = stored.sizes, { w, affine, norm, attend, feedForward } = Live.layers(stored);
  const GAP = "___", MASK = stored.words.indexOf("[MASK]"), ends = ["[CLS]", "[SEP]"].map((token) => stored.words.indexOf(token));
  // As WordTokenizer cuts with punctuation: letters, digits and underscores, or a run of anything else but space.
  const known = Live.lexicon(stored.words.map((word, id) => (id === MASK ? GAP : word)), {
    special: stored.special, pattern: /[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]+/gu,
  });
  // A block, with the norm after each sum, and all that it computes. What is gone is named "layer.head" or "layer.ffn".
  function block(x, layer, { causal = false, gone = new Set() }) {
    const name = `blocks.${layer}`, { each, added } = attend(x, `${name}.attention`, { causal, gone: (h) => gone.has(`${layer}.${h}`) });
    const between = norm(Live.plus(x, added), `${name}.attention_norm`), ffn = feedForward(between, `${name}.ffn`, Live.gelu, gone.has(`${layer}.ffn`));
    return { each, added, between, ...ffn, after: norm(Live.plus(between, ffn.made), `${name}.ffn_norm`) };
  }
  // What is compared with each word: the state of a gap, through a layer and its norm.
  const layer = (state) => affine([state], "words.transform.W", "words.transform.b")[0].map(Live.gelu), own = { gain: w["words.norm.gain"], shift: w["words.norm.shift"], eps: stored.sizes.eps };
  return {
    GAP, remark: known.remark,
    split: (text, most) => known.split(text.replace(/_+/g, GAP), most),
    layers, heads: stored.sizes.heads, ends,
    id: known.id, vector: (id) => w["embedding.weight"][id], bias: (id) => w["words.b_V"][id],
    // The last states of a row of ids, and all that is computed on the way. The positions can be left out.
    read(ids, { places = true, ...options } = {}) {
      const embedded = ids.map((id) => w["embedding.weight"][id]);
      const placed = embedded.map((row, t) => Live.add(places ? Live.add(row, w["positions.P"][t]) : row, w["segments.weight"][0])), x = norm(placed, "embedding_norm"), blocks = [];
      for (let n = 0; n < layers; n += 1) blocks.push(block(blocks.at(-1)?.after ?? x, n, options));
      return { embedded, placed, start: x, x, blocks, states: blocks.at(-1).after };
    },
    word: (state) => ({ layer: layer(state), norm: own }),
    head: (state) => norm([layer(state)], "words.norm")[0],
    ofWords: (last) => w["embedding.weight"].map((row, id) => Live.dot(row, last) + w["words.b_V"][id]),
    // The scores of all words at one place of a text, whose words are read between [CLS] and [SEP].
    scores(words, place, { causal = false } = {}) {
      return this.ofWords(this.head(this.read([ends[0], ...words.map(known.id), ends[1]], { causal }).states[place + 1]));
    },
  };
};
