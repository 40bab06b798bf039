// A recurrent translator with additive attention and the names of tfcourse: German pieces to English words.
"use strict";

Live.aligner = (stored) => {
  const w = Live.weights(stored);
  const { read, write } = stored, width = stored.sizes.hidden;
  const ids = new Map(read.map((word, id) => [word, id]));
  const [START, END] = [write.indexOf("<s>"), write.indexOf("</s>")];
  const sigmoid = (value) => 1 / (1 + Math.exp(-value));
  const through = (row, name) => Live.times([row], w[name])[0];

  // h_t = (1 - z) n + z h_{t-1}, with the reset gate r inside n
  function cell(x, h, name) {
    const [fresh, kept] = [Live.add(through(x, `${name}.W`), w[`${name}.b`]), through(h, `${name}.U`)];
    return h.map((before, i) => {
      const r = sigmoid(fresh[i] + kept[i]), z = sigmoid(fresh[width + i] + kept[width + i]);
      const n = Math.tanh(fresh[2 * width + i] + r * (kept[2 * width + i] + w[`${name}.b_hn`][i]));
      return (1 - z) * n + z * before;
    });
  }
  function run(rows, name) {
    let h = new Array(width).fill(0);
    return rows.map((x) => (h = cell(x, h, name)));
  }

  // A whole number in German pieces: 27 is sieben und zwanzig.
  const UNITS = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split(" ");
  const TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(" ");
  function german(n, last = true) {
    if (n >= 1000) return [...german(Math.floor(n / 1000), false), "tausend", ...(n % 1000 ? german(n % 1000) : [])];
    if (n >= 100) return [UNITS[Math.floor(n / 100)], "hundert", ...(n % 100 ? german(n % 100, last) : [])];
    if (n < 20) return [n === 1 && last ? "eins" : UNITS[n]];
    const tens = TENS[Math.floor(n / 10) - 2];
    return n % 10 ? [UNITS[n % 10], "und", tens] : [tens];
  }

  const model = {
    read, write, START, END, german,
    // The pieces of a text as the model reads them; digits are spelled out first.
    split(text, most) {
      const cut = text.toLowerCase().replace(/[,.\u00a0 ](?=\d{3}(?!\d))/g, "").match(/\p{L}+|\d+/gu) || [];
      const all = cut.flatMap((word) => {
        if (/^\d/.test(word)) return Number(word) < 1e6 ? german(Number(word)) : [word];
        return ids.has(word) ? [word] : Live.pieces(word, read);
      });
      return { words: all.slice(0, most), left: Math.max(all.length - most, 0), unknown: all.filter((word) => !ids.has(word)) };
    },
    ids: (said) => said.map((word) => ids.get(word) ?? ids.get("<unk>")),
    // The states of the source, [forwards; backwards], and the state in which the decoder starts.
    encode(row) {
      const x = row.map((id) => w["source_embedding.weight"][id]);
      const there = run(x, "encoder.cells.0"), back = run([...x].reverse(), "encoder.cells.1").reverse();
      const memory = there.map((h, j) => [...h, ...back[j]]);
      const ends = [...there.at(-1), ...back[0]];
      const s = Live.add(Live.times([ends], w.W_s[0][0])[0], w.b_s[0][0][0]).map(Math.tanh);
      return { memory, keys: Live.times(memory, w["attention.U_a"]), s };
    },
    // One word more: the scores of the next word, the new state, and the weights of the look back.
    step(id, s, { memory, keys }) {
      const y = w["target_embedding.weight"][id], asked = through(s, "attention.W_a");
      const scores = keys.map((key) => Live.dot(Live.add(asked, key).map(Math.tanh), w["attention.v_a"]));
      const weights = Live.softmax(scores), context = Live.times([weights], memory)[0];
      const next = cell([...y, ...context], s, "decoder.cells.0");
      const both = through([...next, ...y, ...context], "W_t");
      const t = both.filter((_, i) => i % 2 === 0).map((value, i) => Math.max(value, both[2 * i + 1])); // maxout
      return { logits: Live.add(through(t, "W_U"), w.b_U), s: next, weights };
    },
    // The likeliest word again and again, until the text ends.
    translate(words, most = 16) {
      const source = model.encode([...model.ids(words), END]), said = [], maps = [];
      for (let [id, s] = [START, source.s]; said.length < most && id !== END;) {
        const next = model.step(id, s, source);
        [id, s] = [Live.largest(next.logits), next.s];
        said.push(write[id]);
        maps.push(next.weights);
      }
      return { said, maps };
    },
  };
  return model;
};
