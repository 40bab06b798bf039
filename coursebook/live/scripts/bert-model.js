// A BERT with the names of tfcourse: the words of a text to ids, and a score of every word for each gap.
"use strict";

Live.bert = (stored) => {
  const { layers } = stored.sizes, { w, affine, norm, attend, feedForward } = Live.layers(stored);
  const GAP = "___", MASK = stored.words.indexOf("[MASK]"), ends = ["[CLS]", "[SEP]"].map((token) => stored.words.indexOf(token));
  // As WordTokenizer cuts with punctuation: letters, digits and underscores, or a run of anything else but space.
  const known = Live.lexicon(stored.words.map((word, id) => (id === MASK ? GAP : word)), {
    special: stored.special, pattern: /[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]+/gu,
  });
  // A block, with the norm after each sum.
  function block(x, name, causal) {
    const between = norm(Live.plus(x, attend(x, `${name}.attention`, { causal }).added), `${name}.attention_norm`);
    return norm(Live.plus(between, feedForward(between, `${name}.ffn`, Live.gelu).made), `${name}.ffn_norm`);
  }
  return {
    GAP, remark: known.remark,
    split: (text, most) => known.split(text.replace(/_+/g, GAP), most),
    // The scores of all words at one place of a text, whose words are read between [CLS] and [SEP].
    scores(words, place, { causal = false } = {}) {
      const ids = [ends[0], ...words.map(known.id), ends[1]];
      let x = norm(ids.map((id, t) => Live.add(Live.add(w["embedding.weight"][id], w["positions.P"][t]), w["segments.weight"][0])), "embedding_norm");
      for (let layer = 0; layer < layers; layer += 1) x = block(x, `blocks.${layer}`, causal);
      const [last] = norm(affine([x[place + 1]], "words.transform.W", "words.transform.b").map((row) => row.map(Live.gelu)), "words.norm");
      return w["embedding.weight"].map((row, id) => Live.dot(row, last) + w["words.b_V"][id]);
    },
  };
};
