// Choose a head, see where it looks, take it out, and see what the model loses.
"use strict";

Live.figure("ablation", (ui, { sentences, first, place }) => {
  const { text, box, number, short } = Live;
  const model = Live.filler(Live.data.filler);
  const guessing = Math.log(model.words.length);
  const gone = new Set();
  const names = Array.from({ length: model.layers * model.heads }, (_, n) => [Math.floor(n / model.heads), n % model.heads]);
  const name = ([layer, h]) => `layer ${layer + 1}, head ${h + 1}`;
  let [layer, head] = place, test = model.tests[first];
  const map = ui.picture(), cost = ui.picture(), guesses = ui.picture();
  const whole = model.loss(gone);

  function draw() {
    const ids = model.hide(test);
    const words = ids.map((id) => model.words[id]);
    const { states, maps } = model.read(ids, gone);
    const weights = maps[layer][head];
    const out = gone.has(`${layer}.${head}`);
    const { parts, bottom } = Live.heat(weights, words, { x: 84, y: 96, size: 270 });
    const t = test.hidden[0];
    const best = Live.largest(weights[t]);
    map.draw(
      `Weights of ${name([layer, head])}. The hidden word, word ${t + 1}, looks most at ${words[best]}, word ${best + 1}: ${number(weights[t][best])}.`,
      bottom + 6, text(0, 14, `${name([layer, head])}${out ? " (taken out)" : ""}`, "name"), parts);

    const now = model.loss(gone);
    const rows = [["all heads", whole], [gone.size ? `${names.length - gone.size} heads left` : "none removed", now], ["guessing", guessing]];
    cost.draw(
      `Loss on ${model.tests.length} sentences: all heads ${number(whole, 4)}, now ${number(now, 4)}, guessing ${number(guessing, 4)}.`,
      222,
      text(0, 14, `Loss on ${model.tests.length} test sentences`, "name"),
      rows.map(([said, value], i) => [
        text(0, 45 + 28 * i, said), box(112, 30 + 28 * i, 190, 20, "track"),
        box(112, 30 + 28 * i, (190 * value) / 6, 20, "cell weight"), text(356, 45 + 28 * i, number(value), "end strong"),
      ]),
      Array.from({ length: model.layers }, (_, l) => text(0, 154 + 40 * l, `layer ${l + 1}`)),
      names.map(([l, h]) => {
        const [x, y] = [112 + 50 * h, 132 + 40 * l];
        const left = !gone.has(`${l}.${h}`);
        return [
          box(x, y, 40, 32, left ? "cell weight" : "shut", left ? { "fill-opacity": 0.25 } : {}),
          text(x + 20, y + 21, left ? h + 1 : "out", "middle"),
          l === layer && h === head ? box(x - 3, y - 3, 46, 38, "mark") : null,
        ];
      }));

    const chances = model.shares(states[t]);
    const right = model.words[test.ids[t]];
    const top = chances.map((share, id) => [share, id]).sort((a, b) => b[0] - a[0]).slice(0, 5);
    guesses.draw(
      `The five most probable words for the hidden one: ${top.map(([share, id]) => `${model.words[id]} ${number(share)}`).join(", ")}. The right word, ${right}, has ${number(chances[test.ids[t]])}.`,
      190,
      text(0, 14, `Which word is hidden? (It was “${short(right, 14)}”.)`, "name"),
      top.map(([share, id], i) => [
        text(104, 45 + 28 * i, short(model.words[id], 13), `end${id === test.ids[t] ? " strong" : ""}`), box(112, 30 + 28 * i, 190, 20, "track"),
        box(112, 30 + 28 * i, 190 * share, 20, "cell weight"), text(356, 45 + 28 * i, number(share), "end strong"),
      ]));
    const more = now - whole;
    ui.say(gone.size
      ? `Without ${[...gone].sort().map((one) => name(one.split(".").map(Number))).join("; ")}: the loss is ${number(now)}, ${number(Math.abs(more))} ${more < 0 ? "less" : "more"} than with all heads.`
      : `All heads are in: the loss is ${number(now)}. Take out ${name([layer, head])} to see what the model needs it for.`);
  }

  function set(next) {
    [layer, head] = next;
    out.checked = gone.has(`${layer}.${head}`);
    draw();
  }
  ui.choice({ label: "Head", options: names.map((one) => [one.join("."), name(one)]), value: place.join("."), change: (value) => set(value.split(".").map(Number)) });
  var out = ui.check({ label: "Take this head out", value: false, change: (on) => {
    gone[on ? "add" : "delete"](`${layer}.${head}`);
    draw();
  } });
  ui.choice({
    label: "Sentence", value: first,
    options: sentences.map((n) => [n, model.hide(model.tests[n]).map((id) => model.words[id]).join(" ")]),
    change: (value) => { test = model.tests[value]; draw(); },
  });
  ui.buttons(
    ["Keep only this head", () => { names.forEach((one) => gone.add(one.join("."))); gone.delete(`${layer}.${head}`); set([layer, head]); }],
    ["Put all back", () => { gone.clear(); set([layer, head]); }]);
  draw();
});
