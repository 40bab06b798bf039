// A small encoder-decoder with the names of tfcourse: words to ids, ids to a score for each next word.
"use strict";

Live.translator = (stored) => {
  const { w, norm, attend, feedForward } = Live.layers(stored);
  const { layers, heads, width, longest } = stored.sizes;
  const { words } = stored, ids = new Map(words.map((word, id) => [word, id]));
  const [START, END] = [ids.get("<s>"), ids.get("</s>")];
  const E = w["source_embedding.weight"];

  const added = (X, Y, name) => norm(Live.plus(X, Y), name); // LN(x + f(x))

  // sqrt(d) E + P
  const put = (row) => row.map((id, t) => E[id].map((value, i) => {
    const angle = t / 10000 ** ((i - (i % 2)) / width);
    return value * Math.sqrt(width) + (i % 2 ? Math.cos(angle) : Math.sin(angle));
  }));

  const passed = (X, block) => added(X, feedForward(X, `${block}.ffn`, Live.relu).made, `${block}.ffn_norm`);

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
        x = passed(added(x, attend(x, `${block}.attention`).added, `${block}.attention_norm`), block);
      }
      return x;
    },
    // The scores of the word after `row`, and where each head of each block looks in the source.
    decode(row, memory) {
      let y = put(row);
      const maps = [];
      for (let layer = 0; layer < layers; layer += 1) {
        const block = `decoder.${layer}`;
        y = added(y, attend(y, `${block}.attention`, { causal: true }).added, `${block}.attention_norm`);
        const cross = attend(y, `${block}.cross`, { context: memory });
        y = passed(added(y, cross.added, `${block}.cross_norm`), block);
        maps.push(cross.maps);
      }
      const last = y.at(-1);
      return { logits: E.map((row_) => Live.dot(row_, last)), maps };
    },
    ids: (said) => said.map((word) => ids.get(word) ?? ids.get("<unk>")),
    // Beam search: of all texts one word longer, the `beams` likeliest are kept. With one it is greedy.
    translate(source, beams = 1) {
      const memory = model.encode([...model.ids(source), END]);
      const ended = ({ row }) => row.at(-1) === END || row.length === longest;
      let kept = [{ row: [START], score: 0, maps: [] }];
      while (!kept.every(ended)) {
        kept = kept.flatMap((one) => {
          if (ended(one)) return [one];
          const { logits, maps } = model.decode(one.row, memory), shares = Live.softmax(logits);
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
