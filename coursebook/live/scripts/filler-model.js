// Two layers of four heads that fill in hidden words, with any of the heads taken out.
"use strict";

Live.filler = (stored) => {
  const w = Live.weights(stored);
  const { layers, heads, width } = stored.sizes;
  const HIDDEN = stored.words.indexOf("[?]");
  const zeros = Array(width / heads).fill(0);
  const losses = new Map();

  // What is left of a test sentence when its words are hidden.
  const hide = ({ ids, hidden }) => ids.map((id, t) => (hidden.includes(t) ? HIDDEN : id));

  // The last states, and each head's weights. A head that is out adds nothing to the sum.
  function read(ids, gone = new Set()) {
    let x = ids.map((id, t) => Live.add(w.word[id], w.place[t]));
    const maps = [];
    for (let layer = 0; layer < layers; layer += 1) {
      const [Q, K, V] = ["Q", "K", "V"].map((letter) => Live.times(x, w[`W_${letter}_${layer}`]));
      const each = Array.from({ length: heads }, (_, h) => Live.attention(...[Q, K, V].map((all) => Live.ofHead(all, h, heads))));
      const joined = x.map((_, t) => each.flatMap(({ output }, h) => (gone.has(`${layer}.${h}`) ? zeros : output[t])));
      x = Live.plus(x, Live.times(joined, w[`W_O_${layer}`]));
      maps.push(each.map(({ weights }) => weights));
    }
    return { states: x, maps };
  }

  // The probability of every word at a place.
  const shares = (state) => Live.softmax(w.read.map((row, id) => Live.dot(row, state) + w.bias[id]));

  return {
    layers, heads, read, hide, shares, tests: stored.tests, words: stored.words,
    // The mean of -log(probability) over the hidden words of all test sentences.
    loss(gone) {
      const key = [...gone].sort().join();
      if (!losses.has(key)) {
        const found = stored.tests.flatMap((test) => {
          const { states } = read(hide(test), gone);
          return test.hidden.map((t) => -Math.log(shares(states[t])[test.ids[t]]));
        });
        losses.set(key, found.reduce((a, b) => a + b, 0) / found.length);
      }
      return losses.get(key);
    },
  };
};
