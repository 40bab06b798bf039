// Every tensor of a vision transformer, from the patches to the probabilities, with its shape; parts of it can be switched off.
"use strict";

Live.figure("patches", (ui, { letters, arrow, start, bars }) => {
  const { text, number, largest } = Live;
  const stored = Live.data.arrow, model = Live.vit(stored), { corners, turns } = stored, far = model.image - 9;
  const ways = [0, 1, 3, 2].flatMap((corner) => turns.map((_, turn) => ({ corner, turn })));
  const kinds = letters.map((letter) => model.letters.indexOf(letter));
  const picture = ui.picture(), tensor = ui.picture();
  const [N, T] = ["N", "T"], patches = Array.from({ length: model.across ** 2 }, (_, n) => `${n + 1}`);
  const names = { [N]: patches, [T]: ["[CLS]", ...patches] };
  let way = ways.findIndex(({ corner, turn }) => corner === arrow.corner && turn === arrow.turn);
  let place = start, head = 0, places = true, off = "", whole = null, found = null;

  const steps = [
    { said: "Patches", part: ["each patch, row by row, scaled", `${N} × P²`, (read) => read.patches] },
    { said: "Tokens", part: ["patch W_P + b_P", `${N} × d`, ({ tokens }) => tokens] },
    { said: "With [CLS] and positions", part: ["[c; tokens] + P[t]", `${T} × d`, (read) => read.start] },
    ...Array.from({ length: model.layers }, (_, b) => Live.openedBlock(b, T, () => head)).flat(),
    { said: "What is scored", role: "one", stage: "norm", part: ["LN(x) of [CLS]", "1 × d", ({ last }) => [last]] },
    { said: "Logits", part: ["LN(x) W + b", "C", ({ logits }) => logits] },
    { said: "Probabilities", part: ["softmax(logits)", "C", ({ shares }) => shares] },
  ];

  function pixels() {
    const { corner, turn } = ways[way];
    return model.paint({
      letters: kinds.map((kind, n) => ({ kind, turn: 2, top: n > 1 ? far : 0, left: n % 2 ? far : 0 })),
      arrow: { corner, turn, top: 9, left: 9 }, dashes: [],
    });
  }
  function draw() {
    const { said, role, part: [formula, shape, value], ofHead } = steps[place], [rows, columns] = shape.split(" × ");
    Live.opened(tensor, ofHead ? `${said}, head ${head + 1}` : said, [formula, shape, value(found)],
      { role, rows: names[rows], columns: names[columns] ?? null, token: (n) => model.letters[n], bars });
    const looks = model.looks(found.maps, `${model.layers - 1}.-1`), { corner } = ways[way], at = model.corners[corner];
    picture.draw(`Letters ${kinds.map((kind) => model.letters[kind]).join(", ")}; the arrow points to the ${corners[corner]}. [CLS] in the last block looks at ${model.place(largest(looks))} most: ${number(Math.max(...looks))}.`,
      324, text(46, 16, "[CLS] in the last block", "name"), model.picture(pixels(), looks, { marks: [at] }));
    const [now, usual] = [found, whole].map(({ shares }) => largest(shares));
    const changed = found.shares.some((share, n) => Math.abs(share - whole.shares[n]) > 1e-9);
    ui.say(`It says ${model.letters[now]} with probability ${number(found.shares[now])}${changed ? ` (with everything on: ${model.letters[usual]}, ${number(whole.shares[usual])})` : ""}. The arrow points at ${model.letters[kinds[corner]]}.`);
  }
  function renew() {
    whole = model.read(pixels());
    found = model.read(pixels(), new Set(), { places, gone: new Set(off ? [off] : []) });
    draw();
  }

  ui.slider({ label: "Arrow", min: 0, max: ways.length - 1, value: way, show: (n) => corners[ways[n].corner], change: (n) => { way = n; renew(); } });
  Live.stages.controls(ui, { steps, place, change: (to) => { place = to; draw(); } });
  const row = Live.html("div", { class: "live-buttons" });
  ui.below.append(row);
  corners.forEach((name, n) => ui.choice({
    to: row, label: `Letter ${name}`, options: model.letters.map((letter) => [letter, letter]), value: letters[n],
    change: (value) => { kinds[n] = model.letters.indexOf(value); renew(); },
  }));
  ui.choice({ label: "Head", options: Array.from({ length: model.heads }, (_, i) => [i, i + 1]), value: head, change: (to) => { head = Number(to); draw(); } });
  ui.check({ label: "Positions", value: places, change: (on) => { places = on; renew(); } });
  ui.choice({
    label: "Switch off", value: off,
    options: [["", "nothing"], ...Array.from({ length: model.layers * model.heads }, (_, i) => [`${Math.floor(i / model.heads)}.${i % model.heads}`, `block ${Math.floor(i / model.heads) + 1}, head ${(i % model.heads) + 1}`])],
    change: (to) => { off = to; renew(); },
  });
  ui.hint("Turn the arrow and find the first tensor whose [CLS] row changes. Without positions it still sees the letters and the arrow. What can it no longer know?");
  renew();
});
