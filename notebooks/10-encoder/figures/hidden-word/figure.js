// A hidden word, guessed by two models: one sees both sides of the gap, the other the left side only.
"use strict";

Live.figure("hidden-word", (ui, { sentence, hidden, longest, best }) => {
  const { text, box, number, short } = Live;
  const stored = Live.data.gaps;
  const models = Object.fromEntries(Object.entries(stored.sides).map(([side, weights]) =>
    [side, Live.reader({ ...stored, weights })]));
  const names = { both: "sees both sides", left: "sees only the left side" };
  const pictures = { both: ui.picture(), left: ui.picture() };
  let words = [], place = hidden;

  function draw() {
    const read = words.map((word, t) => (t === place ? "<mask>" : word));
    const said = {};
    for (const side of ["both", "left"]) {
      const { states } = models[side].read(read, { causal: side === "left" });
      const shares = models[side].guess(states[place]);
      const order = shares.map((_, id) => id).sort((a, b) => shares[b] - shares[a]).slice(0, best);
      const most = shares[order[0]];
      said[side] = order.map((id) => [stored.words[id], shares[id]]);
      const heard = words.map((word, t) => (t === place ? "▢" : side === "left" && t > place ? "·" : word)).join(" ");
      const lines = heard.match(/.{1,44}(?:\s|$)/gu) || [];
      const top = 26 + 17 * lines.length;
      pictures[side].draw(
        `The model that ${names[side]} guesses: ${said[side].map(([word, share]) => `${word} ${number(share, 4)}`).join(", ")}.`,
        top + 24 * best + 8,
        text(0, 14, `It ${names[side]}`, "name"),
        lines.map((line, i) => text(0, 34 + 17 * i, line)),
        said[side].map(([word, share], i) => {
          const y = top + 14 + 24 * i, right = word === words[place];
          return [
            text(104, y + 13, short(word, 13), `end${right ? " strong v" : ""}`),
            box(112, y, 180, 18, "track"), box(112, y, (180 * share) / Math.max(most, 0.001), 18, `cell ${right ? "v" : "weight"}`),
            text(356, y + 13, number(share), "end"),
          ];
        }));
    }
    const [first, second] = [said.both[0], said.left[0]];
    ui.say(`Hidden: ${words[place]}. With both sides: ${first[0]} (${number(first[1])}). With only the left side: ${second[0]} (${number(second[1])}).`);
  }

  let slider = null;
  ui.sentence({ label: "Sentence", value: sentence, change(typed) {
    const found = models.both.split(typed, longest);
    if (found.words.length) {
      words = found.words;
      place = Math.min(place, words.length - 1);
      if (slider) { slider.set(place + 1, words.length); draw(); }
    }
    return models.both.remark(found);
  } });
  slider = ui.slider({
    label: "Hidden word", min: 1, max: words.length, value: place + 1,
    show: (n) => words[n - 1] ?? "", change: (n) => { place = n - 1; draw(); },
  });
  ui.hint("Hide a word near the beginning, then one near the end. Where does the right side help?");
  draw();
});
