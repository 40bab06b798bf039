// A canvas for a vision transformer: draw letters and an arrow, see the class and where [CLS] looks, leave patches out.
"use strict";

Live.figure("drawing", (ui, { which, first, across, down }) => {
  const { svg, text, box, number, at } = Live;
  const stored = Live.data.drawing, model = Live.vit(stored), { letters, corners, examples, tested } = stored;
  const X = 46, Y = 28, SIDE = 268, DOT = SIDE / model.image;
  const TOOLS = [["draw", "draws"], ["rub", "rubs out"], ["leave", "leaves a patch out"]];
  const hidden = new Set(), before = [];
  let pixels = model.blank(), tool = "draw", shown = which, pen = [across, down], begun = null, example = first, right = -1;
  const picture = ui.picture({ group: true }), chances = ui.picture();
  picture.element.classList.add("canvas");

  const inked = (n) => model.cut(pixels)[n].filter((ink) => ink > 127).length;
  const under = ([x, y]) => Math.floor((y + 0.5) / model.patch) * model.across + Math.floor((x + 0.5) / model.patch);
  const named = (places) => [...places].sort((a, b) => a - b).map(model.place).join("; ");
  const keep = () => { before.push(pixels.map((row) => [...row])); };

  function show(example_) {
    pixels = model.blank();
    for (const [x, y, toX, toY] of example_.lines) model.stroke(pixels, [x, y], [toX, toY]);
    right = example_.label;
    hidden.clear();
    before.length = 0;
    begun = null;
  }

  function draw() {
    const { shares, maps } = model.read(pixels, hidden), looks = model.looks(maps, shown);
    const said = Live.largest(shares), most = Live.largest(looks), head = model.heads_.find(([key]) => key === shown)[1];
    const full = looks.map((_, n) => n).filter((n) => inked(n) > 0), here = under(pen);
    const [x, y] = pen.map((value, i) => (i ? Y : X) + (value + 0.5) * DOT);
    picture.draw(
      `A canvas of ${model.image} by ${model.image} pixels in ${model.across ** 2} patches. ${full.length ? `Dark pixels: ${full.map((n) => `${model.place(n)}: ${inked(n)}`).join("; ")}` : "Nothing is drawn"}. ${hidden.size ? `Left out: ${named(hidden)}. ` : ""}[CLS] in ${head} looks most at ${model.place(most)}: ${number(looks[most])}.`,
      324, text(X, 16, "Draw here", "name"),
      model.picture(pixels, looks, { x: X, y: Y, side: SIDE, hidden }),
      begun ? svg("circle", { class: "one knob", cx: at(X + (begun[0] + 0.5) * DOT), cy: at(Y + (begun[1] + 0.5) * DOT), r: 3 }) : null,
      svg("path", { class: "mark", d: `M${at(x - 7)},${at(y)}h14M${at(x)},${at(y - 7)}v14` }));
    chances.draw(
      `Probabilities: ${letters.map((letter, i) => `${letter} ${number(shares[i], 3)}`).join(", ")}.`,
      30 + 36 * letters.length, text(0, 16, "Which letter is pointed at?", "name"), model.bars(shares, right));
    line.disabled = !begun;
    undo.disabled = !before.length;
    leave.textContent = hidden.has(here) ? "Put back the patch under the pen" : "Leave out the patch under the pen";
    const asked = right < 0 ? "" : ` The arrow points at ${letters[right]}.`;
    const without = hidden.size ? `Without ${named(hidden)} it` : full.length ? "It" : "Nothing is drawn, but it has to choose: it";
    ui.say(`${without} says ${letters[said]} with probability ${number(shares[said])}.${asked} [CLS] looks most at ${model.place(most)}: ${number(looks[most])}. The pen is in ${model.place(here)}.`);
  }

  function stroke(from, to) {
    model.stroke(pixels, from, to, tool === "rub");
    right = -1;
  }
  function toggle(n) {
    if (hidden.has(n)) hidden.delete(n);
    else hidden.add(n);
  }

  // The mouse, or a finger: each move goes on with the line.
  const inside = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.element.getScreenCTM().inverse());
    return [x - X, y - Y].every((one) => one >= 0 && one < SIDE);
  };
  const place = (x, y) => [(x - X) / DOT - 0.5, (y - Y) / DOT - 0.5].map((one) => Math.min(model.image - 1, Math.max(0, one)));
  Live.drag(picture.element, picture.element, (event) => {
    if (!inside(event)) return [null];
    const undone = pixels.map((row) => [...row]);
    let last = null;
    if (tool !== "leave") keep();
    begun = null;
    return [(x, y) => {
      const next = place(x, y);
      if (tool === "leave") {
        if (!last) toggle(under(next));
      } else stroke(last ?? next, next);
      last = next;
      pen = next.map(Math.round);
      acrossSlider.set(pen[0]);
      downSlider.set(pen[1]);
      draw();
    }, undone];
  }, (undone) => { pixels = undone; before.pop(); draw(); });

  ui.choice({ label: "Mouse or finger", options: TOOLS, value: tool, change: (value) => { tool = value; draw(); } });
  const most = model.image - 1;
  const acrossSlider = ui.slider({ label: "Pen across", min: 0, max: most, value: pen[0], show: (n) => n + 1, change: (n) => { pen = [n, pen[1]]; draw(); } });
  const downSlider = ui.slider({ label: "Pen down", min: 0, max: most, value: pen[1], show: (n) => n + 1, change: (n) => { pen = [pen[0], n]; draw(); } });
  const [, line, leave, undo] = ui.buttons(
    ["Start a line at the pen", () => { begun = pen; draw(); }],
    ["Draw the line to the pen", () => { keep(); stroke(begun, pen); begun = pen; draw(); }],
    ["Leave out the patch under the pen", () => { toggle(under(pen)); draw(); }],
    ["Undo", () => { pixels = before.pop(); right = -1; draw(); }],
    ["Clear", () => { keep(); pixels = model.blank(); right = -1; begun = null; hidden.clear(); draw(); }],
    ["Next example", () => { example = (example + 1) % examples.length; show(examples[example]); draw(); }]);
  ui.choice({ label: "Attention of", options: model.heads_, value: which, change: (value) => { shown = value; draw(); } });
  const percent = (share) => `${number(100 * share, 0)} %`;
  ui.hint(`Clear the canvas. Draw letters (${letters.join(", ")}) in its corners, as large as in the examples, and an arrow in the middle. The model learned from letters that a program drew with a wobble, and was right on ${percent(tested.right)} of ${tested.images.toLocaleString("en")} new ones. The model of the other figures, which learned from stamped letters, was right on ${percent(tested.stamped)} of them.`);
  show(examples[first]);
  draw();
});
