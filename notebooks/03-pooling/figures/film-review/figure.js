// A film review word by word: how much each word weighs, what it votes for, and what is left without it.
"use strict";

// One learned query over words: weights a = softmax(E v), and score of "good" minus "bad".
Live.reviewer = (stored) => {
  const { dot, softmax } = Live;
  const w = Live.weights(stored);
  const good = w.W.map(([bad, well]) => well - bad);
  const words = Live.lexicon(stored.words, { pattern: /[a-z']*[a-z][a-z']*/g });
  return {
    split: words.split,
    remark: words.remark,
    // `out` holds the places that are taken out; `equal` gives each word the same weight.
    read(text, { out = new Set(), equal = false } = {}) {
      const x = text.map((word) => w.E[words.id(word)]);
      const scores = x.map((row, j) => (out.has(j) ? -Infinity : equal ? 0 : dot(row, w.v[0])));
      const weights = softmax(scores), votes = x.map((row) => dot(row, good));
      const score = dot(weights, votes) + w.b[1] - w.b[0];
      return { weights, votes, score, share: 1 / (1 + Math.exp(-score)) };
    },
  };
};

Live.figure("film-review", (ui, { review, longest, loudest }) => {
  const { text, box, number, short } = Live;
  const model = Live.reviewer(Live.data.reviews);
  let words = [], out = new Set(), equal = false, run = null;
  const picture = ui.picture();
  const verdict = () => `${run.share < 0.5 ? "bad" : "good"} (${number(100 * Math.max(run.share, 1 - run.share), 0)} %)`;
  const heaviest = () => Live.largest(run.weights);

  function draw() {
    run = model.read(words, { out, equal });
    const rows = words.map((word, j) => {
      const y = 34 + 21 * j, vote = run.votes[j];
      if (out.has(j)) return [text(88, y + 11, short(word, 12), "end"), Live.line(4, y + 7, 356, y + 7)];
      const length = 56 * Math.min(Math.abs(vote) / loudest, 1);
      return [
        text(88, y + 11, short(word, 12), `end${j === heaviest() && !equal ? " strong" : ""}`),
        box(96, y, 60, 14, "track"), box(96, y, 60 * run.weights[j], 14, "cell weight"), text(196, y + 11, number(run.weights[j]), "end"),
        box(vote < 0 ? 262 - length : 262, y, length, 14, `cell ${vote < 0 ? "k" : "v"}`),
        text(356, y + 11, number(vote, 1), "end"),
      ];
    });
    const bottom = 34 + 21 * words.length;
    picture.draw(
      `Each word, its weight and its vote: ${words.map((word, j) => (out.has(j) ? `${word} taken out` : `${word} ${number(run.weights[j], 4)} ${number(run.votes[j], 4)}`)).join(", ")}.`,
      bottom + 40,
      text(96, 20, "weight", "strong"), text(256, 20, "bad", "end k strong"), text(268, 20, "good", "v strong"), text(356, 20, "vote", "end strong"),
      Live.line(262, 28, 262, bottom), rows,
      text(0, bottom + 22, `The review is ${verdict()}.`, "name"));
    put.disabled = !out.size;
    take.disabled = words.length - out.size < 2;
    const said = equal ? "All words weigh the same." : `The heaviest word is ${words[heaviest()]}, with ${number(run.weights[heaviest()])} of the weight.`;
    ui.say(`${said} The votes add up to ${number(run.score, 4)}: ${verdict()}.`);
  }

  let take = null, put = null;
  ui.sentence({ label: "Review", value: review, change(typed) {
    const found = model.split(typed, longest);
    if (found.words.length) {
      [words, out] = [found.words, new Set()];
      if (take) draw();
    }
    return model.remark(found);
  } });
  ui.check({ label: "Give all words the same weight", value: false, change: (on) => { equal = on; draw(); } });
  [take, put] = ui.buttons(
    ["Take out the heaviest word", () => {
      const loud = run.votes.map((vote, j) => (out.has(j) ? -1 : Math.abs(vote)));
      out.add(equal ? Live.largest(loud) : heaviest());
      draw();
    }],
    ["Put all words back", () => { out = new Set(); draw(); }]);
  ui.hint("Try: not a bad film at all. Or write what you thought of the last film that you saw.");
  draw();
});
