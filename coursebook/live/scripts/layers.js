// What the trained models share, with the names of tfcourse: norm, attention with several heads, feed-forward.
"use strict";

// LN(x) = (x - mean) / sqrt(variance + eps) * gain + shift
Live.norm = (x, gain, shift, eps = 1e-5) => {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const deviation = Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length + eps);
  return x.map((value, i) => ((value - mean) / deviation) * gain[i] + shift[i]);
};
// X W + b
Live.affine = (X, W, b) => Live.times(X, W).map((row) => Live.add(row, b));
// The columns of X that belong to head h.
Live.ofHead = (X, h, heads) => X.map((row) => row.slice((h * row.length) / heads, ((h + 1) * row.length) / heads));
// Column `at` of a matrix, and the bias that belongs to it.
Live.columnOf = (W, b, at) => ({ column: W.map((row) => row[at]), bias: b[at] });
// What a part gives, or zeros if it is gone.
Live.unless = (gone, X) => (gone ? X.map((row) => row.map(() => 0)) : X);
// All that one head computes, and whether it is gone: then it adds nothing.
Live.headOf = (q, k, v, { causal, gone = false }) => {
  const found = Live.attention(q, k, v, { causal });
  return { q, k, v, ...found, gone, output: Live.unless(gone, found.output) };
};
// All heads side by side: their outputs, joined for each token.
Live.joined = (each) => each[0].output.map((_, t) => each.flatMap(({ output }) => output[t]));

Live.relu = (x) => Math.max(x, 0);
Live.tanhGelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
// With the error function after Abramowitz and Stegun, 7.1.26.
Live.gelu = (x) => {
  const z = Math.abs(x) / Math.SQRT2, t = 1 / (1 + 0.3275911 * z);
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return 0.5 * x * (1 + Math.sign(x) * (1 - tail * Math.exp(-z * z)));
};

// The layers of a model whose weights are named as in tfcourse, such as blocks.0.attention.W_QKV.
Live.layers = (stored) => {
  const w = Live.weights(stored), { heads, eps } = stored.sizes;
  const affine = (X, matrix, bias) => Live.affine(X, w[matrix], w[bias]);
  const norm = (X, name) => X.map((x) => Live.norm(x, w[`${name}.gain`], w[`${name}.shift`], eps));

  // Queries from X, keys and values from `context`; all that each head computes, and what is added to the stream.
  // A cache is a list with what earlier tokens had; X continues them, and a context is read once. Only the rows of `kept`
  // can be looked at. A head that is `gone` adds nothing.
  function attend(X, name, { context = X, cache = [], causal = false, kept, gone = () => false } = {}) {
    const split = (rows) => Live.affine(rows, w[`${name}.W_QKV`], w[`${name}.b_QKV`]);
    const asked = split(X);
    if (context === X) cache.push(...asked);
    else if (!cache.length) cache.push(...split(context));
    const read = kept ? kept.map((t) => cache[t]) : cache;
    const part = (rows, which, h) => Live.ofHead(Live.ofHead(rows, which, 3), h, heads);
    const each = Array.from({ length: heads }, (_, h) => {
      const [q, k, v] = [part(asked, 0, h), ...[1, 2].map((which) => part(read, which, h))];
      // What number i of a query, a key or a value (0, 1, 2) is made with: a column of W_QKV, and its bias.
      const W = w[`${name}.W_QKV`], column = (which, i) => Live.columnOf(W, w[`${name}.b_QKV`], ((which + h / heads) * W[0].length) / 3 + i);
      return { ...Live.headOf(q, k, v, { causal, gone: gone(h) }), asks: X, gives: context, column };
    });
    return { each, maps: each.map(({ weights }) => weights), added: affine(Live.joined(each), `${name}.W_O`, `${name}.b_O`) };
  }
  function feedForward(X, name, activation, gone = false) {
    const inner = affine(X, `${name}.W_1`, `${name}.b_1`), hidden = inner.map((row) => row.map(activation));
    return { inner, hidden, gone, made: Live.unless(gone, affine(hidden, `${name}.W_2`, `${name}.b_2`)) };
  }
  // All blocks one after another, with the norm before each part, and all that each computes. What is gone is named
  // "layer.head" or "layer.ffn", and there is a cache for each block.
  function blocks(x, activation, { gone = new Set(), caches = [], ...options } = {}) {
    const found = [];
    for (let layer = 0; layer < stored.sizes.layers; layer += 1) {
      const name = `blocks.${layer}`, from = found.at(-1)?.after ?? x, before = norm(from, `${name}.attention_norm`);
      const { each, maps, added } = attend(before, `${name}.attention`, { ...options, cache: caches[layer], gone: (h) => gone.has(`${layer}.${h}`) });
      const between = Live.plus(from, added), again = norm(between, `${name}.ffn_norm`);
      const ffn = feedForward(again, `${name}.ffn`, activation, gone.has(`${layer}.ffn`));
      found.push({ before, each, maps, added, between, again, ...ffn, after: Live.plus(between, ffn.made) });
    }
    return found;
  }
  return { w, affine, norm, attend, feedForward, blocks };
};

// Matrices of the same shape, added.
Live.plus = (X, Y) => X.map((row, t) => Live.add(row, Y[t]));
