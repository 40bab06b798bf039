// Greedy and beam search, step by step: which texts are kept, how each could go on, and what is dropped.
"use strict";

Live.figure("search", (ui, { start, width: first, shown }) => {
  const { text, line, number, short } = Live;
  const { widths } = Live.data.search;
  const picture = ui.picture();
  let width = first, step = start;

  // The texts that are kept before a step, as lists of words with their log-probabilities.
  function keptBefore(last) {
    let kept = [{ words: [], logp: 0 }];
    for (const candidates of widths[width].slice(0, last)) {
      kept = candidates.filter(({ kept: stays }) => stays).map(({ parent, word, logp }) => ({ words: word === null ? kept[parent].words : [...kept[parent].words, word], logp }));
    }
    return kept;
  }
  const said = (words) => words.map((word) => (word === "</s>" ? "■" : word)).join(" ");

  function draw() {
    const kept = keptBefore(step), candidates = widths[width][step];
    const rows = [], told = [];
    let y = 34;
    kept.forEach(({ words, logp }, parent) => {
      const own = candidates.filter((one) => one.parent === parent);
      rows.push(text(0, y, words.length ? said(words).slice(-44) : "(the beginning)", "strong"), text(356, y, number(logp), "end"));
      y += 19;
      own.slice(0, shown).forEach(({ word, logp: after, kept: stays }) => {
        const next = word === null ? "finished" : said([word]);
        rows.push(
          line(12, y - 9, 12, y - 4, "grid"), line(12, y - 4, 26, y - 4, "grid"),
          text(32, y, `${short(next, 14)}`, stays ? "strong one" : ""),
          text(220, y, number(after), `end${stays ? " strong" : ""}`),
          text(232, y, stays ? "kept" : "dropped", stays ? "strong one" : ""));
        told.push(`${said(words)} + ${next}: ${number(after)}${stays ? ", kept" : ""}`);
        y += 17;
      });
      y += 8;
    });
    picture.draw(`Step ${step + 1}. ${told.join("; ")}.`, y + 2, text(0, 14, `Step ${step + 1}: how could each text go on?`, "name"), rows);
    const after = keptBefore(step + 1);
    ui.say(`Kept after step ${step + 1}: ${after.map(({ words, logp }) => `${said(words)} (${number(logp)})`).join(", ")}.`);
  }

  const last = () => widths[width].length - 1;
  const slider = ui.slider({ label: "Step", min: 1, max: last() + 1, value: step + 1, change: (n) => { step = n - 1; draw(); } });
  ui.choice({ label: "Texts kept", options: Object.keys(widths).map((n) => [n, n === "1" ? "1 (greedy)" : n]), value: width, change: (to) => { width = to; step = Math.min(step, last()); slider.set(step + 1, last() + 1); draw(); } });
  ui.hint("Follow the search with one text, then with four. Which text has the highest number at the end, and would the narrow search have found it?");
  draw();
});
