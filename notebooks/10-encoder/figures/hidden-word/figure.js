// A hidden word, guessed by two models: one sees both sides of the gap, the other the left side only.
"use strict";

Live.figure("hidden-word", (ui, { sentences, hidden, best }) => {
  const { text, box, number, short } = Live;
  const stored = Live.data.masked, { longest } = stored.sizes;
  const models = Object.fromEntries(Object.entries(stored.sides).map(([side, { weights }]) => [side, Live.bert({ ...stored, weights })]));
  const { GAP, split, remark } = models.both;
  const names = { both: "sees both sides", left: "sees only the left side" };
  const pictures = { both: ui.picture(), left: ui.picture() };
  const percent = (share) => `${number(100 * share, 1)} %`;
  // Words as they are written: no space before a comma, none around an apostrophe.
  const written = (all) => all.join(" ").replace(/ ([,.;:!?)]+)/g, "$1").replace(/\( /g, "(").replace(/(?<=\p{L}) ' (?=\p{L})/gu, "'");
  let words = [], place = 0;

  function draw() {
    const read = words.map((word, t) => (t === place ? GAP : word)), said = {};
    for (const side of Object.keys(models)) {
      const shares = Live.softmax(models[side].scores(read, place, { causal: side === "left" }));
      const order = shares.map((_, id) => id).sort((a, b) => shares[b] - shares[a]).slice(0, best);
      said[side] = order.map((id) => [stored.words[id], shares[id]]);
    }
    for (const side of Object.keys(models)) {
      const heard = written(read.slice(0, side === "left" ? place + 1 : read.length).map((word) => (word === GAP ? "▢" : word)));
      const lines = `${heard}${side === "left" ? " …" : ""}`.match(/.{1,46}(?:\s|$)/gu) || [], top = 26 + 17 * lines.length;
      pictures[side].draw(
        `The model that ${names[side]} guesses: ${said[side].map(([word, share]) => `${word} ${number(share, 4)}`).join(", ")}.`,
        top + 24 * best + 8,
        text(0, 14, `It ${names[side]}`, "name"),
        lines.map((line, i) => text(0, 34 + 17 * i, line)),
        said[side].map(([word, share], i) => {
          const y = top + 14 + 24 * i, right = word === words[place];
          return [
            text(104, y + 13, short(word, 13), `end${right ? " strong v" : ""}`),
            box(112, y, 180, 18, "track"), box(112, y, 180 * share, 18, `cell ${right ? "v" : "weight"}`),
            text(356, y + 13, number(share), "end"),
          ];
        }));
    }
    const [both, left] = Object.keys(models).map((side) => `${said[side][0][0]} (${number(said[side][0][1])})`);
    ui.say(`${words[place] === GAP ? "" : `Hidden: ${words[place]}. `}With both sides: ${both}. With only the left side: ${left}.`);
  }

  let slider = null;
  // Reads a text; a gap that is typed is the one to guess.
  function change(typed) {
    const found = split(typed, longest);
    if (found.words.length) {
      words = found.words;
      place = words.includes(GAP) ? words.indexOf(GAP) : Math.min(place, words.length - 1);
      if (slider) { slider.set(place + 1, words.length); draw(); }
    }
    return remark(found);
  }
  place = hidden[0];
  const input = ui.sentence({ label: "Sentence", value: sentences[0], change });
  slider = ui.slider({
    label: "Hidden word", min: 1, max: words.length, value: place + 1,
    show: (n) => words[n - 1] ?? "", change: (n) => { place = n - 1; draw(); },
  });
  ui.choice({ label: "From a review", options: sentences.map((one, i) => [i, short(one, 40)]), value: 0, change: (i) => {
    place = hidden[i];
    input.value = sentences[i];
    input.dispatchEvent(new Event("input"));
  } });
  ui.hint(
    "Hide a word near the beginning, then one near the end. Where does the right side help? Or type a sentence with ___ for the hidden word. ",
    `Neither model has read the reviews that are offered. Of ${stored.tested.toLocaleString("en")} words hidden in such reviews, the first guesses ${percent(stored.sides.both.right)} right and the second ${percent(stored.sides.left.right)}; always the commonest word would be right ${percent(stored.commonest)} of the time.`);
  draw();
});
