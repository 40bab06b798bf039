// The small encoder behind three figures: reads a sentence and keeps all that happens on the way.
"use strict";

Live.reader = (stored) => {
  const w = Live.weights(stored);
  const { id, split, remark } = Live.lexicon(stored.words, { special: 3, pattern: /'s(?!\p{L})|\p{L}+(?:'t(?!\p{L}))?/gu });
  const { heads, eps } = stored.sizes;
  const norm = (X, name) => X.map((x) => Live.norm(x, w[`gain_${name}`], w[`shift_${name}`], eps));
  const affine = (X, name) => Live.affine(X, w[`W_${name}`], w[`b_${name}`]);

  return {
    heads, id, split, remark,
    vector: (word) => w.E[word], bias: (word) => w.b_words[word],
    // The encoder's last states, and all that is computed on the way. The positions can be left out, and heads, named
    // "0.head", or the feed-forward net, "0.ffn", taken out.
    read(words, { causal = false, places = true, gone = new Set() } = {}) {
      const embedded = words.map((word) => w.E[id(word)]);
      const placed = embedded.map((row, t) => Live.add(places ? Live.add(row, w.P[t]) : row, w.S[0])), x = norm(placed, 0);
      const [Q, K, V] = ["Q", "K", "V"].map((name) => affine(x, name));
      const each = Array.from({ length: heads }, (_, h) => {
        const [q, k, v] = [Q, K, V].map((all) => Live.ofHead(all, h, heads));
        const column = (which, i) => { const name = "QKV"[which]; return Live.columnOf(w[`W_${name}`], w[`b_${name}`], (h / heads) * x[0].length + i); };
        return { ...Live.headOf(q, k, v, { causal, gone: gone.has(`0.${h}`) }), asks: x, gives: x, column };
      });
      const added = affine(Live.joined(each), "O"), between = norm(Live.plus(x, added), 1);
      const inner = affine(between, 1), hidden = inner.map((row) => row.map(Live.relu)), made = Live.unless(gone.has("0.ffn"), affine(hidden, 2));
      const states = norm(Live.plus(between, made), 2);
      return { embedded, placed, start: x, x, each, blocks: [{ each, added, between, inner, hidden, made, gone: gone.has("0.ffn"), after: states }], states };
    },
    // The steps of the head: what its layer makes of a state, and the norm after it.
    word(state) { return { layer: affine([state], "head").map((row) => row.map(Live.relu))[0], norm: { gain: w.gain_head, shift: w.shift_head, eps } }; },
    // For models that were trained to fill in words: what is compared with each word, and the words' scores.
    head: (state) => norm(affine([state], "head").map((row) => row.map(Live.relu)), "head")[0],
    scores: (last) => w.E.map((row, word) => Live.dot(row, last) + w.b_words[word]),
    logits(state) { return this.scores(this.head(state)); },
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
