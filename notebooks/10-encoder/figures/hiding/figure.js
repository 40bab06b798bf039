// What masked language modelling does to a sentence: which words are chosen, and what is read in their place.
"use strict";

// Draws what becomes of each word: 80 % of the chosen ones are read as [MASK], 10 % as another word, 10 % as they are.
Live.hide = (words, random, { share, others, hidden = 0.8, changed = 0.1 }) => words.map((word) => {
  const [choice, kind, which] = [random(), random(), random()];
  if (choice >= share) return { word, read: word, how: "" };
  if (kind < hidden) return { word, read: "[MASK]", how: "hidden" };
  if (kind < hidden + changed) return { word, read: others[Math.floor(which * others.length)], how: "changed" };
  return { word, read: word, how: "kept" };
});

Live.figure("hiding", (ui, { sentence, others, longest, share: begin, draws, first }) => {
  const { text, box, number, short } = Live;
  const sentencePicture = ui.picture(), tally = ui.picture();
  const colours = { hidden: "cell q", changed: "cell k", kept: "cell v" };
  const names = { hidden: "read as [MASK]", changed: "read as another word", kept: "left as it is" };
  let words = [], share = begin, draw = first;

  function show() {
    const found = Live.hide(words, Live.random(draw), { share, others });
    const asked = found.filter(({ how }) => how);
    sentencePicture.draw(
      `Draw ${draw}: ${found.map(({ word, read, how }) => (how ? `${word} is to be predicted, and ${how === "kept" ? names.kept : `read as ${read}`}` : `${word} is not to be predicted`)).join("; ")}.`,
      34 + 26 * found.length,
      text(0, 16, "text", "name"), text(126, 16, "read", "name"), text(252, 16, "to predict", "name"),
      found.map(({ word, read, how }, i) => {
        const y = 26 + 26 * i;
        return [
          text(0, y + 16, short(word, 14)),
          box(120, y, 120, 22, colours[how] || "track", how ? { "fill-opacity": 0.3 } : {}),
          text(126, y + 16, short(read, 14), how ? "strong" : ""),
          how ? text(252, y + 16, short(word, 13), "strong") : text(252, y + 16, "–"),
        ];
      }));
    const count = { hidden: 0, changed: 0, kept: 0 };
    for (let n = 1; n <= draws; n += 1) {
      for (const { how } of Live.hide(words, Live.random(n), { share, others })) if (how) count[how] += 1;
    }
    const all = count.hidden + count.changed + count.kept;
    const rows = [["chosen, of all words", all / (draws * words.length)],
      ...Object.entries(count).map(([how, times]) => [names[how], all ? times / all : 0])];
    tally.draw(
      `In ${draws} draws: ${rows.map(([name, part]) => `${name} ${number(100 * part, 1)} %`).join(", ")}.`,
      164,
      text(0, 16, `All of ${draws} draws together`, "name"),
      rows.map(([name, part], i) => {
        const y = 30 + 30 * i + (i && 12);
        return [
          text(140, y + 15, name, "end"), box(148, y, 140, 20, "track"), box(148, y, 140 * part, 20, "cell weight"),
          text(356, y + 15, `${number(100 * part, 1)} %`, "end"),
        ];
      }));
    ui.say(`Draw ${draw}: the model must predict ${asked.length} of ${words.length} words${asked.length ? `: ${asked.map(({ word }) => word).join(", ")}` : ", so it learns nothing from this one"}.`);
  }

  ui.sentence({ label: "Sentence", value: sentence, change(typed) {
    const all = typed.toLowerCase().replaceAll("’", "'").match(/[\p{L}\p{N}']+/gu) || [];
    if (!all.length) return "Type at least one word.";
    words = all.slice(0, longest);
    show();
    return all.length > longest ? `Only the first ${longest} words are read.` : "";
  } });
  const slider = ui.slider({ label: "Draw", min: 1, max: draws, value: draw, change: (value) => { draw = value; show(); } });
  ui.slider({ label: "Share of chosen words", min: 0.05, max: 0.6, step: 0.05, value: begin, show: (part) => `${number(100 * part, 0)} %`, change: (part) => { share = part; show(); } });
  ui.buttons(["Draw again", () => { draw = (draw % draws) + 1; slider.set(draw); show(); }]);
  ui.hint("Each time a sentence comes up in training, words are chosen anew: the same text asks a different question.");
});
