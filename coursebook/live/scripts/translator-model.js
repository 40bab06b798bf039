// A small encoder-decoder with the names of tfcourse: words to ids, ids to a score for each next word.
"use strict";

Live.translator = (stored) => {
  const scaled = (value) => (Array.isArray(value) ? value.map(scaled) : value * stored.step);
  const w = Object.fromEntries(Object.entries(stored.weights).map(([name, value]) => [name, scaled(value)]));
  const { layers, heads, width, longest } = stored.sizes;
  const { words } = stored, ids = new Map(words.map((word, id) => [word, id]));
  const [START, END] = [ids.get("<s>"), ids.get("</s>")];
  const E = w["source_embedding.weight"], across = width / heads;

  // LN(x) = (x - mean) / sqrt(variance + eps) * gain + shift
  function norm(x, name) {
    const mean = x.reduce((a, b) => a + b, 0) / width;
    const deviation = Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width + 1e-5);
    return x.map((value, i) => ((value - mean) / deviation) * w[`${name}.gain`][i] + w[`${name}.shift`][i]);
  }
  const affine = (X, matrix, bias) => Live.times(X, w[matrix]).map((row) => Live.add(row, w[bias]));
  const added = (X, Y, name) => X.map((row, t) => norm(Live.add(row, Y[t]), name)); // LN(x + f(x))

  // sqrt(d) E + P
  const put = (row) => row.map((id, t) => E[id].map((value, i) => {
    const angle = t / 10000 ** ((i - (i % 2)) / width);
    return value * Math.sqrt(width) + (i % 2 ? Math.cos(angle) : Math.sin(angle));
  }));

  // Queries from X, keys and values from `context`.
  function attend(X, context, name, causal = false) {
    const asked = affine(X, `${name}.W_QKV`, `${name}.b_QKV`);
    const read = context === X ? asked : affine(context, `${name}.W_QKV`, `${name}.b_QKV`);
    const part = (rows, which, h) => rows.map((row) => row.slice(which * width + h * across, which * width + (h + 1) * across));
    const each = Array.from({ length: heads }, (_, h) => Live.attention(part(asked, 0, h), part(read, 1, h), part(read, 2, h), { causal }));
    return {
      output: affine(X.map((_, t) => each.flatMap(({ output }) => output[t])), `${name}.W_O`, `${name}.b_O`),
      maps: each.map(({ weights }) => weights),
    };
  }
  function feedForward(X, name) {
    const hidden = affine(X, `${name}.W_1`, `${name}.b_1`).map((row) => row.map((value) => Math.max(value, 0)));
    return affine(hidden, `${name}.W_2`, `${name}.b_2`);
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
    encode(row) {
      let x = put(row);
      for (let layer = 0; layer < layers; layer += 1) {
        const block = `encoder.${layer}`;
        x = added(x, attend(x, x, `${block}.attention`).output, `${block}.attention_norm`);
        x = added(x, feedForward(x, `${block}.ffn`), `${block}.ffn_norm`);
      }
      return x;
    },
    // The scores of the word after `row`, and where each head of each block looks in the source.
    decode(row, memory) {
      let y = put(row);
      const maps = [];
      for (let layer = 0; layer < layers; layer += 1) {
        const block = `decoder.${layer}`;
        y = added(y, attend(y, y, `${block}.attention`, true).output, `${block}.attention_norm`);
        const cross = attend(y, memory, `${block}.cross`);
        y = added(y, cross.output, `${block}.cross_norm`);
        y = added(y, feedForward(y, `${block}.ffn`), `${block}.ffn_norm`);
        maps.push(cross.maps);
      }
      const last = y.at(-1);
      return { logits: E.map((row_) => Live.dot(row_, last)), maps };
    },
    ids: (said) => said.map((word) => ids.get(word) ?? ids.get("<unk>")),
    // The likeliest word again and again, until the text ends.
    translate(source) {
      const memory = model.encode([...model.ids(source), END]), row = [START];
      let maps = [];
      while (row.length < longest) {
        const next = model.decode(row, memory);
        maps = next.maps;
        row.push(Live.largest(next.logits));
        if (row.at(-1) === END) break;
      }
      return { said: row.slice(1).filter((id) => id !== END).map((id) => words[id]), asked: row.slice(1).map((id) => words[id]), maps };
    },
  };
  return model;
};
