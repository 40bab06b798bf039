// Leave patches out of an image, one after another, and see which of them the answer needs.
"use strict";

Live.figure("occlusion", (ui, { scenes, which, patch }) => {
  const { text, number } = Live;
  const model = Live.vit(Live.data.arrow);
  const hidden = new Set();
  let scene = 0, at = patch;
  const picture = ui.picture({ group: true }), chances = ui.picture();

  const image = () => {
    const { letters, arrow, dashes } = scenes[scene];
    return model.paint({
      letters: letters.map(([letter, turn, top, left]) => ({ kind: model.letters.indexOf(letter), turn, top, left })),
      arrow, dashes,
    });
  };

  function draw() {
    const pixels = image(), { arrow, letters } = scenes[scene];
    const right = model.letters.indexOf(letters[arrow.corner][0]);
    const whole = model.read(pixels), left = model.read(pixels, hidden);
    const looks = model.looks(left.maps, which);
    const said = Live.largest(left.shares), most = Live.largest(looks);
    picture.draw(
      `The image in 16 patches; ${hidden.size ? `left out: ${[...hidden].sort((a, b) => a - b).map(model.place).join("; ")}` : "none is left out"}. [CLS] looks most at ${model.place(most)}: ${number(looks[most])}.`,
      324, text(46, 16, "Tap a patch to leave it out", "name"), model.picture(pixels, looks, { hidden, marks: [at] }));
    chances.draw(
      `Probabilities with what is left: ${model.letters.map((letter, i) => `${letter} ${number(left.shares[i], 3)}`).join(", ")}. With all patches: ${model.letters.map((letter, i) => `${letter} ${number(whole.shares[i], 3)}`).join(", ")}.`,
      30 + 36 * model.letters.length, text(0, 16, "Now; dashed: with all patches", "name"), model.bars(left.shares, right, whole.shares));
    toggle.textContent = hidden.has(at) ? "Put this patch back" : "Leave this patch out";
    const log = Math.log(whole.shares[right]) - Math.log(left.shares[right]);
    ui.say(hidden.size
      ? `Without ${hidden.size} ${hidden.size === 1 ? "patch" : "patches"}: ${model.letters[right]} from ${number(whole.shares[right])} to ${number(left.shares[right])}; its log-probability falls by ${number(log)}. It says ${model.letters[said]}.`
      : `All patches are there: it says ${model.letters[said]} with probability ${number(left.shares[said])}. The arrow points at ${model.letters[right]}.`);
  }

  function change(n) {
    if (hidden.has(n)) hidden.delete(n);
    else hidden.add(n);
    draw();
  }
  picture.element.addEventListener("click", (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.element.getScreenCTM().inverse());
    const [column, row] = [x - 46, y - 28].map((one) => Math.floor(one / (268 / model.across)));
    if ([column, row].some((one) => one < 0 || one >= model.across)) return;
    at = row * model.across + column;
    slider.set(at);
    change(at);
  });
  const slider = ui.slider({ label: "Patch", min: 0, max: model.across ** 2 - 1, value: at, show: model.place, change: (n) => { at = n; draw(); } });
  const [toggle] = ui.buttons(
    ["Leave this patch out", () => change(at)],
    ["Put all back", () => { hidden.clear(); draw(); }],
    ["Next image", () => { scene = (scene + 1) % scenes.length; hidden.clear(); draw(); }]);
  ui.hint("Which patches does the answer need? Leave out the letter that is pointed at, then the arrow, then one of the other letters.");
  draw();
});
