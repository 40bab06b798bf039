// A small GRU reads a sentence: how much each number of its state keeps at each word, and what it says.
"use strict";

Live.numberReader = (stored) => {
  const w = Live.weights(stored);
  const { id, split, remark } = Live.lexicon(stored.words, { special: 2 });
  const size = w.b_hn.length;
  const sigmoid = (value) => 1 / (1 + Math.exp(-value));
  const blocks = (row) => [0, 1, 2].map((i) => row.slice(i * size, (i + 1) * size));

  return {
    size, split, remark,
    // For each word: the gates r and z, the state h after it, and the chance of a plural verb.
    read(words) {
      let h = new Array(size).fill(0);
      return words.map((word) => {
        const [xr, xz, xn] = blocks(Live.add(Live.times([w.E[id(word)]], w.W)[0], w.b));
        const [hr, hz, hn] = blocks(Live.times([h], w.U)[0]);
        const r = Live.add(xr, hr).map(sigmoid), z = Live.add(xz, hz).map(sigmoid);
        const fresh = xn.map((value, i) => Math.tanh(value + r[i] * (hn[i] + w.b_hn[i])));
        h = h.map((old, i) => (1 - z[i]) * fresh[i] + z[i] * old);
        return { r, z, h, plural: sigmoid(Live.dot(h, w.w) + w.b_w[0]) };
      });
    },
  };
};

Live.figure("gates", (ui, { sentence, longest, word: firstWord, unit: firstUnit }) => {
  const { text, line, box, number, svg, short, at } = Live;
  const model = Live.numberReader(Live.data.gates);
  const picture = ui.picture();
  let words = [], place = firstWord, unit = firstUnit;

  function draw() {
    const steps = model.read(words);
    const wide = Math.min(290 / words.length, 40), left = 36, top = 104, high = 17;
    const x = (t) => left + t * wide;
    const middle = top + model.size * high + 56, bottom = middle + 116;
    const series = (pick) => steps.map((one) => number(pick(one))).join(", ");
    picture.draw(
      `${words.join(" ")}. Kept by unit ${unit + 1} at each word: ${series((one) => one.z[unit])}. Its value: ${series((one) => one.h[unit])}. Probability of a plural verb: ${series((one) => one.plural)}.`,
      bottom + 10,
      text(0, 14, "How much of the old state is kept", "name"),
      words.map((word, t) => svg("text", { class: t === place ? "strong" : null, transform: `translate(${at(x(t) + wide / 2 + 3)} ${top - 8}) rotate(-60)` }, short(word, 11))),
      Array.from({ length: model.size }, (_, i) => [
        text(left - 8, top + i * high + 13, i + 1, `end${i === unit ? " strong" : ""}`),
        steps.map(({ z }, t) => [
          box(x(t), top + i * high, wide - 1, high - 1, "cell v", { "fill-opacity": at(z[i]) }),
          box(x(t), top + i * high, wide - 1, high - 1, "frame"),
        ]),
      ]),
      box(left - 1, top + unit * high - 1, words.length * wide + 1, high + 1, "mark"),
      text(0, middle - 34, `Value of unit ${unit + 1}: ${number(steps[place].h[unit])} after ${words[place]}`, "name"),
      [-1, 0, 1].map((value) => [line(left, middle - 24 * value, x(words.length), middle - 24 * value), text(left - 6, middle + 4 - 24 * value, number(value, 0), "end")]),
      steps.map(({ h }, t) => box(x(t), middle - Math.max(h[unit], 0) * 24, wide - 1, Math.abs(h[unit]) * 24, "cell two")),
      text(0, middle + 46, "Must the verb be plural?", "name"),
      [0, 0.5, 1].map((value) => [line(left, bottom - 54 * value, x(words.length), bottom - 54 * value), text(left - 6, bottom + 4 - 54 * value, value, "end")]),
      steps.map(({ plural }, t) => box(x(t), bottom - 54 * plural, wide - 1, 54 * plural, "cell one")),
      line(x(place) + wide / 2, top + model.size * high, x(place) + wide / 2, bottom, "here"));
    const { z, plural } = steps[place];
    ui.say(`After ${words[place]}: plural with probability ${number(plural)}. At this word, unit ${unit + 1} kept ${number(z[unit])} of its old value and took ${number(1 - z[unit])} of a new one.`);
  }

  let slider = null;
  ui.sentence({ label: "Sentence", value: sentence, change(typed) {
    const found = model.split(typed, longest);
    if (found.words.length) {
      const last = place === words.length - 1; // then the last word stays the one in question
      words = found.words;
      place = last ? words.length - 1 : Math.min(place, words.length - 1);
      if (slider) { slider.set(place + 1, words.length); draw(); }
    }
    return model.remark(found);
  } });
  slider = ui.slider({
    label: "Word", min: 1, max: words.length, value: place + 1,
    show: (n) => words[n - 1] ?? "", change: (n) => { place = n - 1; draw(); },
  });
  ui.slider({ label: "Hidden unit", min: 1, max: model.size, value: unit + 1, change: (n) => { unit = n - 1; draw(); } });
  ui.hint("Change students to student, and alarm to alarms. At which words does a gate let a new value in, and at which does it keep the old?");
  draw();
});
