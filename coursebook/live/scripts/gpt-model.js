// A small GPT and its tokens, with the names of tfcourse: text to ids, ids to a score for each next token.
"use strict";

// Byte-pair encoding: special tokens, 256 bytes, and the pairs that are joined, in their order.
Live.tokenizer = (merges, special = []) => {
  // A visible sign for each byte, as in GPT-2: bytes that have none of their own get letters from 256 on.
  const signs = [];
  for (let byte = 0, next = 256; byte < 256; byte += 1) {
    const shown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    signs.push(String.fromCodePoint(shown ? byte : (next += 1) - 1));
  }
  const byteOf = new Map(signs.map((sign, byte) => [sign, byte]));
  const tokens = [...special, ...[...signs].sort(), ...merges.map((pair) => pair.join(""))];
  const ids = new Map(tokens.map((token, id) => [token, id]));
  // A word with the space before it; nothing is joined across words.
  const WORDS = /'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

  function join(word, [left, right]) {
    const joined = [];
    for (let i = 0; i < word.length; i += 1) {
      if (word[i] === left && word[i + 1] === right) joined.push(left + word[(i += 1)]);
      else joined.push(word[i]);
    }
    return joined;
  }

  const bytes = (text) => Array.from(new TextEncoder().encode(text), (byte) => signs[byte]);
  return {
    tokens,
    // The tokens of a text after the first `count` merges.
    cut: (text, count = merges.length) => (text.match(WORDS) || []).flatMap((word) =>
      merges.slice(0, count).reduce((parts, pair) => (parts.includes(pair[0]) ? join(parts, pair) : parts), bytes(word))),
    encode(text) { return this.cut(text).map((token) => ids.get(token)); },
    // The ids of a text to go on with. A space belongs to the word after it, so those at the end are left to the model:
    // it has hardly ever seen a space that no word follows.
    prompt(text) { return this.encode(text.replace(/ +$/, "")); },
    decode(row) { return this.text(row.map((id) => tokens[id])); },
    // What tokens say together.
    text: (row) => new TextDecoder().decode(Uint8Array.from(row.flatMap((token) => [...token].map((sign) => byteOf.get(sign))))),
    // A token as a reader sees it: the space and the line's end have signs.
    shown: (token) => token.replaceAll("Ġ", "␣").replaceAll("Ċ", "⏎"),
    // What is said of tokens that are only a part of a character.
    remark(row) {
      const part = row.find((id) => this.decode([id]).includes("\ufffd"));
      return part === undefined ? "" : `A character without a token of its own is cut into bytes: “${this.shown(tokens[part])}” stands for one byte.`;
    },
  };
};

Live.gpt = (stored) => {
  const { layers, heads, width, longest } = stored.sizes;
  const { w, norm, blocks: through } = Live.layers(stored);

  const last_ = { gain: w["norm.gain"], shift: w["norm.shift"], eps: stored.sizes.eps };
  const ready = (states) => norm(states, "norm"), scores = (rows) => rows.map((last) => w["embedding.weight"].map((row) => Live.dot(row, last)));
  let held = [];
  const caches = Array.from({ length: layers }, () => []);
  return {
    longest, heads, layers, width,
    vector: (id) => w["embedding.weight"][id],
    norm: last_,
    // What a unit of a feed-forward network adds to a row for each 1 that it gives: its row of W_2.
    unit: (block, unit) => w[`blocks.${block}.ffn.W_2`][unit],
    // The scores of the token that comes after each row, from the last block's states.
    scores: (states) => scores(ready(states)),
    // The scores of the token that comes after `ids`. What it has read is kept in caches, so that only what is new
    // since then is read. A text that is too long loses its beginning, half the context at a time.
    next(ids) {
      const half = longest / 2, from = half * Math.max(0, Math.ceil((ids.length - longest) / half)), text = ids.slice(from);
      const other = text.findIndex((id, t) => id !== held[t]), same = other < 0 ? text.length - 1 : other;
      for (const cache of caches) cache.length = same;
      const { logits } = this.read(text.slice(same), { caches, first: same });
      held = text;
      return logits;
    },
    // The scores of the token that comes after `ids`, each head's weights in each layer, and all that is computed
    // on the way. The mask and the positions can be left out, and heads, named "layer.head", or
    // feed-forward nets, "layer.ffn", taken out.
    read(ids, { causal = true, places = true, gone, caches: kept, first = 0 } = {}) {
      const embedded = ids.map((id) => w["embedding.weight"][id]);
      const start = embedded.map((row, t) => (places ? Live.add(row, w["positions.P"][first + t]) : row));
      const blocks = through(start, Live.tanhGelu, { causal, gone, caches: kept }), [last] = ready(blocks.at(-1).after.slice(-1));
      return {
        logits: scores([last])[0],
        maps: blocks.map(({ maps }) => maps),
        embedded, start, blocks, last,
      };
    },
  };
};

// What is left of a distribution: temperature first, then the k likeliest, then the fewest with probability p.
// A token outside has probability 0.
Live.chosen = (logits, { temperature = 1, k = Infinity, p = 1 } = {}) => {
  const order = logits.map((_, id) => id).sort((a, b) => logits[b] - logits[a]);
  let scores = logits.map((logit) => logit / temperature);
  const keep = (kept) => { scores = scores.map((score, id) => (kept.has(id) ? score : -Infinity)); };
  if (k < order.length) keep(new Set(order.slice(0, k)));
  if (p < 1) {
    const shares = Live.softmax(scores), kept = new Set();
    let before = 0;
    for (const id of order) {
      if (before >= p) break;
      kept.add(id);
      before += shares[id];
    }
    keep(kept);
  }
  return { shares: Live.softmax(scores), order };
};
