// Trained word vectors: add and subtract words, see which are nearest, and walk from word to word.
"use strict";

Live.wordVectors = ({ words, vectors }) => {
  const { dot } = Live;
  const unit = (v) => {
    const length = Math.sqrt(dot(v, v)) || 1;
    return v.map((value) => value / length);
  };
  const rows = vectors.map(unit);
  const place = new Map(words.map((word, i) => [word, i]));

  // "king - man + woman" as words with their signs; two words without a sign are added.
  const read = (typed) => [...typed.toLowerCase().matchAll(/([-−+]?)\s*([^\s+−-]+)/g)]
    .map(([, sign, word]) => ({ sign: sign === "-" || sign === "−" ? -1 : 1, word }));

  // The words of largest cosine with the sum, the given words left out.
  function nearest(terms, { most = 8, skip = new Set() } = {}) {
    const sum = terms.reduce(
      (total, { sign, word }) => total.map((value, i) => value + sign * rows[place.get(word)][i]),
      rows[0].map(() => 0));
    const wanted = unit(sum), given = new Set(terms.map(({ word }) => word));
    return rows.map((row, i) => ({ word: words[i], cosine: dot(row, wanted) }))
      .filter(({ word }) => !given.has(word) && !skip.has(word))
      .sort((a, b) => b.cosine - a.cosine).slice(0, most);
  }
  return { words, read, nearest, has: (word) => place.has(word) };
};

Live.figure("word-walk", (ui, { start, steps }) => {
  const { text, box, number, short } = Live;
  const model = Live.wordVectors(Live.data.vectors);
  let terms = [], path = [], typed = start;
  const near = ui.picture(), walk = ui.picture();
  const written = () => terms.map(({ sign, word }, i) => `${i ? (sign < 0 ? " − " : " + ") : sign < 0 ? "−" : ""}${word}`).join("");

  function draw() {
    const found = model.nearest(terms);
    near.draw(
      `The words nearest to ${written()} and their cosines: ${found.map(({ word, cosine }) => `${word} ${number(cosine, 4)}`).join(", ")}.`,
      40 + 28 * found.length,
      text(0, 16, `Nearest to ${short(written(), 30)}`, "name"),
      found.map(({ word, cosine }, i) => {
        const y = 30 + 28 * i;
        return [
          text(112, y + 15, short(word, 15), `end${i ? "" : " strong"}`), box(120, y, 186, 20, "track"),
          box(120, y, 186 * Math.max(cosine, 0), 20, "cell weight"), text(356, y + 15, number(cosine), "end strong"),
        ];
      }));
    const last = path.slice(-8);
    walk.draw(
      path.length ? `Your walk, from word to nearest word: ${path.map(({ word }) => word).join(", ")}.` : "Your walk begins when you press the button.",
      40 + 28 * Math.max(last.length, 1),
      text(0, 16, "Your walk", "name"),
      last.length ? last.map(({ word, cosine }, i) => [
        text(0, 45 + 28 * i, word, i === last.length - 1 ? "strong" : ""),
        cosine === null ? null : text(356, 45 + 28 * i, `cosine ${number(cosine)} with the word before`, "end"),
      ]) : text(0, 45, "It begins when you press the button."));
    ui.say(`Nearest to ${written()}: ${found[0].word}, with a cosine of ${number(found[0].cosine, 4)}.`);
  }

  // Terms as typed; a word on its own is where a walk begins.
  function ask(asked) {
    terms = asked;
    path = asked.length === 1 && asked[0].sign > 0 ? [{ word: asked[0].word, cosine: null }] : [];
  }

  function go() {
    const visited = new Set(path.map(({ word }) => word));
    const [{ word, cosine }] = model.nearest(terms, { most: 1, skip: visited });
    path.push({ word, cosine: path.length ? cosine : null });
    terms = [{ sign: 1, word }];
    input.value = word;
  }

  function restart() {
    input.value = typed;
    ask(model.read(typed));
    draw();
  }

  const input = ui.sentence({
    label: "Words", value: start,
    change: (said) => {
      const asked = model.read(said);
      const unknown = asked.filter(({ word }) => !model.has(word)).map(({ word }) => word);
      if (!asked.length) return "Type a word, or words with + and −.";
      if (unknown.length) return `Not among the ${model.words.length} words: ${unknown.join(", ")}.`;
      typed = said;
      ask(asked);
      draw();
      return "";
    },
  });
  ui.buttons(["Walk to the nearest", () => { go(); draw(); }], ["Start again", restart]);
  ui.hint("Try one word, two words together, or an analogy: king − man + woman, or london − england + france.");
  for (let i = 0; i < steps; i += 1) go();
  draw();
});
