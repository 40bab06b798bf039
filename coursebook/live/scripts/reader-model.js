// The small encoder behind three figures: reads a sentence and keeps all that happens on the way.
"use strict";

Live.reader = (stored) => {
  const scaled = (value) => (Array.isArray(value) ? value.map(scaled) : value * stored.step);
  const w = Object.fromEntries(Object.entries(stored.weights).map(([name, value]) => [name, scaled(value)]));
  const { id, split, remark } = Live.lexicon(stored.words, { special: 3, pattern: /'s(?!\p{L})|\p{L}+/gu });
  const { heads, eps } = stored.sizes;

  // LN(x) = (x - mean) / sqrt(variance + eps) * gain + shift
  function norm(x, gain, shift) {
    const mean = x.reduce((a, b) => a + b, 0) / x.length;
    const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
    return x.map((value, i) => ((value - mean) / Math.sqrt(variance + eps)) * gain[i] + shift[i]);
  }
  const affine = (X, W, b) => Live.times(X, W).map((row) => Live.add(row, b));
  const ofHead = (X, h) => X.map((row) => row.slice((h * row.length) / heads, ((h + 1) * row.length) / heads));

  return {
    heads, split, remark,
    // What each head computes from the tokens, and the encoder's last states.
    read(words, { causal = false } = {}) {
      const x = words.map((word, place) => {
        const embedded = w.E[id(word)];
        return norm(Live.add(Live.add(embedded, w.P[place]), w.S[0]), w.gain_0, w.shift_0);
      });
      const [Q, K, V] = ["Q", "K", "V"].map((letter) => affine(x, w[`W_${letter}`], w[`b_${letter}`]));
      const each = Array.from({ length: heads }, (_, h) => {
        const [q, k, v] = [Q, K, V].map((all) => ofHead(all, h));
        return { q, k, v, ...Live.attention(q, k, v, { causal }) };
      });
      const joined = words.map((_, t) => each.flatMap((head) => head.output[t]));
      const attended = affine(joined, w.W_O, w.b_O);
      const h = x.map((row, t) => norm(Live.add(row, attended[t]), w.gain_1, w.shift_1));
      const hidden = affine(h, w.W_1, w.b_1).map((row) => row.map((value) => Math.max(value, 0)));
      const passed = affine(hidden, w.W_2, w.b_2);
      return { x, each, states: h.map((row, t) => norm(Live.add(row, passed[t]), w.gain_2, w.shift_2)) };
    },
    // The probability of each word behind a state, for models that were trained to fill in words.
    guess(state) {
      const [moved] = affine([state], w.W_head, w.b_head);
      const h = norm(moved.map((value) => Math.max(value, 0)), w.gain_head, w.shift_head);
      return Live.softmax(w.E.map((row, word) => Live.dot(row, h) + w.b_words[word]));
    },
    // What is meant by the word that has several senses: its label and probability.
    sense(words, states) {
      const place = words.indexOf(stored.senses.word);
      if (place < 0) return null;
      const shares = Live.softmax(affine([states[place]], w.sense_W, w.sense_b)[0]);
      const best = Live.largest(shares);
      return { word: stored.senses.word, label: stored.senses.labels[best], share: shares[best], shares };
    },
  };
};
