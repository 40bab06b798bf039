// The small encoder behind three figures: reads a sentence and keeps all that happens on the way.
"use strict";

Live.reader = (stored) => {
  const w = Live.weights(stored);
  const { id, split, remark } = Live.lexicon(stored.words, { special: 3, pattern: /'s(?!\p{L})|\p{L}+/gu });
  const { heads, eps } = stored.sizes;
  const norm = (X, name) => X.map((x) => Live.norm(x, w[`gain_${name}`], w[`shift_${name}`], eps));
  const affine = (X, name) => Live.affine(X, w[`W_${name}`], w[`b_${name}`]);

  return {
    heads, split, remark,
    // What each head computes from the tokens, and the encoder's last states.
    read(words, { causal = false } = {}) {
      const x = norm(words.map((word, place) => Live.add(Live.add(w.E[id(word)], w.P[place]), w.S[0])), 0);
      const [Q, K, V] = ["Q", "K", "V"].map((name) => affine(x, name));
      const each = Array.from({ length: heads }, (_, h) => {
        const [q, k, v] = [Q, K, V].map((all) => Live.ofHead(all, h, heads));
        return { q, k, v, ...Live.attention(q, k, v, { causal }) };
      });
      const h = norm(Live.plus(x, affine(Live.joined(each), "O")), 1);
      const hidden = affine(h, 1).map((row) => row.map(Live.relu));
      return { x, each, states: norm(Live.plus(h, affine(hidden, 2)), 2) };
    },
    // The scores of each word behind a state, for models that were trained to fill in words, and their probabilities.
    logits(state) {
      const [h] = norm(affine([state], "head").map((row) => row.map(Live.relu)), "head");
      return w.E.map((row, word) => Live.dot(row, h) + w.b_words[word]);
    },
    guess(state) { return Live.softmax(this.logits(state)); },
    // What is meant by the word that has several senses: its label and probability.
    sense(words, states) {
      const place = words.indexOf(stored.senses.word);
      if (place < 0) return null;
      const shares = Live.softmax(Live.affine([states[place]], w.sense_W, w.sense_b)[0]);
      const best = Live.largest(shares);
      return { word: stored.senses.word, label: stored.senses.labels[best], share: shares[best], shares };
    },
  };
};
