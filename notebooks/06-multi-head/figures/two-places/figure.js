// Two words are wanted. One head asks for both at once; two heads ask for one each.
"use strict";

Live.figure("two-places", (ui, { sentence, wanted, sharpness, longer }) => {
  const { text, box, number, add } = Live;
  const words = sentence.split(" ");
  const [first, second] = wanted;
  const target = words.map((_, i) => (wanted.includes(i) ? 0.5 : 0));
  let power = Math.log10(sharpness), extra = longer;
  const one = ui.picture(), two = ui.picture();

  // Share of the weight that is not where it should be.
  const misplaced = (weights) => weights.reduce((sum, weight, i) => sum + Math.abs(weight - target[i]), 0) / 2;

  // A row for each word: its name, and a bar for each head.
  const KINDS = ["one", "two"], WIDE = 184;
  const rows = (heads) => words.map((word, j) => {
    const y = 44 + 26 * j;
    return [
      text(80, y + 15, word, `end${wanted.includes(j) ? " strong" : ""}`), box(88, y, WIDE, 20, "track"),
      heads.map((weights, h) => box(88, y + (20 / heads.length) * h, WIDE * weights[j], 20 / heads.length, `cell ${KINDS[h]}`)),
      text(356, y + 15, heads.map((weights) => number(weights[j])).join("  "), "end"),
    ];
  });

  function draw() {
    const beta = Live.factor(power, 1);
    // Each word's key has a direction of its own. The key of the first wanted word is a little longer.
    const keys = words.map((_, i) => words.map((__, j) => (i === j ? (i === first ? 1 + extra : 1) : 0)));
    const ask = (place) => words.map((_, j) => (j === place ? beta : 0));
    const look = (query) => Live.attention([query], keys, keys, { scale: 1 }).weights[0];
    const single = look(add(ask(first), ask(second)));
    const pair = [look(ask(first)), look(ask(second))];
    const mean = add(...pair).map((weight) => weight / 2);
    const lost = [misplaced(single), misplaced(mean)];
    const listed = (weights) => words.map((word, j) => `${word} ${number(weights[j])}`).join(", ");
    const height = 52 + 26 * words.length;
    one.draw(`One head: ${listed(single)}.`, height,
      text(0, 14, "One head asks for both", "name"), text(88, 36, "weight"), rows([single]));
    two.draw(`Head 1: ${listed(pair[0])}. Head 2: ${listed(pair[1])}.`, height,
      text(0, 14, "Two heads ask for one each", "name"), text(88, 36, "head 1", "one"), text(140, 36, "head 2", "two"), rows(pair));
    ui.say(`Misplaced weight: ${number(lost[0])} with one head, ${number(lost[1])} with two.`);
  }

  ui.slider({ label: "Sharpness", min: 0, max: 2, step: 0.05, value: power, show: (p) => number(Live.factor(p, 1), 1), change: (p) => { power = p; draw(); } });
  ui.slider({ label: `Key of ${words[first]}`, min: 0, max: 0.4, step: 0.05, value: extra, show: (by) => `${number(100 * by, 0)} % longer`, change: (by) => { extra = by; draw(); } });
  draw();
});
