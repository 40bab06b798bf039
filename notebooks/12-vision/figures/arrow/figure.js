// Turn the arrow, change the letters, and see which class a vision transformer gives and where its [CLS] looks.
"use strict";

Live.figure("arrow", (ui, { letters, arrow, dashes, clutter, which }) => {
  const { text, number } = Live;
  const model = Live.vit(Live.data.arrow), { corners, turns } = Live.data.arrow;
  // All ways in which the corpus draws an arrow, clockwise from the top left.
  const ways = [0, 1, 3, 2].flatMap((corner) => turns.map((_, turn) => ({ corner, turn })));
  const kinds = letters.map((letter) => model.letters.indexOf(letter));
  const far = model.image - 9;
  let way = ways.findIndex(({ corner, turn }) => corner === arrow.corner && turn === arrow.turn), many = clutter, shown = which;
  const picture = ui.picture(), chances = ui.picture();

  function draw() {
    const { corner, turn } = ways[way];
    const pixels = model.paint({
      letters: kinds.map((kind, n) => ({ kind, turn: 2, top: n > 1 ? far : 0, left: n % 2 ? far : 0 })),
      arrow: { corner, turn, top: 9, left: 9 }, dashes: dashes.slice(0, many),
    });
    const { shares, maps } = model.read(pixels);
    const looks = model.looks(maps, shown), at = model.corners[corner];
    const right = kinds[corner], said = Live.largest(shares), most = Live.largest(looks);
    const head = model.heads_.find(([key]) => key === shown)[1];
    picture.draw(
      `Letters ${kinds.map((kind) => model.letters[kind]).join(", ")}; the arrow points to the ${corners[corner]}, at ${model.letters[right]}. [CLS] in ${head} looks most at ${model.place(most)}: ${number(looks[most])}. On the letter's patch: ${number(looks[at])}.`,
      324, text(46, 16, `[CLS] in ${head}`, "name"), model.picture(pixels, looks, { marks: [at] }));
    chances.draw(
      `Probabilities: ${model.letters.map((letter, i) => `${letter} ${number(shares[i], 3)}`).join(", ")}.`,
      30 + 36 * model.letters.length, text(0, 16, "Which letter is pointed at?", "name"), model.bars(shares, right));
    ui.say(`It says ${model.letters[said]} with probability ${number(shares[said])}${said === right ? "" : `, and the arrow points at ${model.letters[right]}`}. Attention on the letter's patch: ${number(looks[at])}; evenly spread it would be ${number(1 / 17)}.`);
  }

  ui.slider({ label: "Arrow", min: 0, max: ways.length - 1, value: way, show: (n) => corners[ways[n].corner], change: (n) => { way = n; draw(); } });
  const row = Live.html("div", { class: "live-buttons" });
  ui.below.append(row);
  corners.forEach((name, n) => ui.choice({
    to: row, label: `Letter ${name}`, options: model.letters.map((letter) => [letter, letter]), value: letters[n],
    change: (value) => { kinds[n] = model.letters.indexOf(value); draw(); },
  }));
  ui.slider({ label: "Dashes", min: 0, max: dashes.length, value: clutter, change: (n) => { many = n; draw(); } });
  ui.choice({ label: "Attention of", options: model.heads_, value: which, change: (value) => { shown = value; draw(); } });
  ui.hint("The frame marks the patch of the letter that the arrow points at. In training, no image had the same letter twice. What happens if yours has?");
  draw();
});
