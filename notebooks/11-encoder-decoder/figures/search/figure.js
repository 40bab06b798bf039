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
  const said = (words) => words.map((word) => (word === "</s>" ? "end" : word)).join(" ");

  // The tree of the last steps: a node for each text that was kept, and at its end the words that could follow now.
  function tree() {
    const first = Math.max(0, step - 2), roots = keptBefore(first).map(({ words }) => ({ label: words.length ? said(words.slice(-1)) : "start", children: [], kept: true, level: 0 }));
    let before = roots;
    for (let s = first; s <= step; s += 1) {
      const counts = before.map(() => 0), now = s === step;
      const nodes = widths[width][s].map(({ parent, word, logp, kept }) => {
        const node = { label: word === null ? "finished" : said([word]), children: [], kept, logp, now, level: s - first + 1 };
        counts[parent] += 1;
        if (kept || (now && counts[parent] <= shown)) before[parent].children.push(node);
        return node;
      });
      before = nodes.filter(({ kept }) => kept);
    }
    return { roots, first };
  }

  function draw() {
    const kept = keptBefore(step), candidates = widths[width][step], { roots, first } = tree();
    const across = (level) => 4 + 78 * level, parts = [];
    let y = first ? 54 : 44;
    // Each node stands beside the first of its children; a line leads to each.
    const place = (node) => {
      const own = y, dead = !node.now && !node.children.length;
      if (!node.children.length) y += 19;
      for (const child of node.children) {
        const at = y;
        const lives = child.kept && (child.now || child.children.length);
        const from = across(node.level) + Math.min(66, 6 + 8 * short(node.label, 9).length);
        parts.push(line(from, own - 4, across(child.level) - 5, at - 4, lives ? "curve one" : "grid"));
        place(child);
      }
      parts.push(text(across(node.level), own, short(node.label, 9), node.now ? (node.kept ? "strong one" : "") : dead ? "" : "strong"));
      if (node.now) parts.push(text(356, own, number(node.logp), `end${node.kept ? " strong" : ""}`));
    };
    if (first) parts.push(text(4, 32, "(the words before these are not drawn)"));
    for (const root of roots) place(root);
    const told = kept.flatMap(({ words }, parent) => candidates.filter((one) => one.parent === parent).slice(0, shown).map(({ word, logp, kept: stays }) =>
      `${said(words)} + ${word === null ? "finished" : said([word])}: ${number(logp)}${stays ? ", kept" : ""}`));
    picture.draw(`Step ${step + 1}. ${told.join("; ")}.`, y + 2, text(0, 14, `Step ${step + 1}: how could each text continue?`, "name"), parts);
    const after = keptBefore(step + 1);
    ui.say(`Kept after step ${step + 1}: ${after.map(({ words, logp }) => `${said(words)} (${number(logp)})`).join(", ")}.`);
  }

  const last = () => widths[width].length - 1;
  const slider = ui.slider({ label: "Step", min: 1, max: last() + 1, value: step + 1, change: (n) => { step = n - 1; draw(); } });
  ui.choice({ label: "Beam width", options: Object.keys(widths).map((n) => [n, n === "1" ? "1 (greedy)" : n]), value: width, change: (to) => { width = to; step = Math.min(step, last()); slider.set(step + 1, last() + 1); draw(); } });
  ui.hint("A text is closed by “end”; “finished” is one that was closed before. Follow the search with a beam width of one, then of four. Which text has the highest log-probability at the end, and would the greedy search have found it?");
  draw();
});
