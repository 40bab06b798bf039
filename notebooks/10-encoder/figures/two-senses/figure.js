// One word in two sentences: how alike its vectors are in a table, and in two encoders.
"use strict";

Live.figure("two-senses", (ui, { first, second, longest }) => {
  const { text, box, line, number, dot } = Live;
  const { gaps, reader } = Live.data;
  const { word } = reader.senses;
  const models = {
    "trained on hidden words": Live.reader(gaps),
    "trained on the sense": Live.reader(reader),
  };
  const taught = models["trained on the sense"];
  const picture = ui.picture();
  const sentences = {};

  const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

  function draw() {
    const both = [sentences.First, sentences.Second];
    const alike = Object.entries(models).map(([name, model]) => {
      const [a, b] = both.map((words) => model.read(words).states[words.indexOf(word)]);
      return [name, cosine(a, b)];
    });
    const senses = both.map((words) => taught.sense(words, taught.read(words).states));
    const rows = [["look-up table", 1], ...alike];
    picture.draw(
      `The cosine of the two vectors of ${word}: ${rows.map(([name, value]) => `${name} ${number(value, 4)}`).join(", ")}.`,
      30 + 46 * rows.length,
      text(0, 14, `How alike is ${word} in the two sentences?`, "name"),
      rows.map(([name, value], i) => {
        const y = 42 + 46 * i, end = 180 * value;
        return [
          text(0, y, name), text(356, y, number(value), "end strong"),
          box(0, y + 6, 356, 16, "track"),
          box(178 + Math.min(end * 0.98, 0), y + 6, Math.abs(end) * 0.98, 16, `cell ${value < 0 ? "k" : "v"}`),
          line(178, y + 4, 178, y + 24, "grid"),
        ];
      }));
    const said = senses.map(({ label, share }, i) => `a ${label} in the ${["first", "second"][i]} sentence (${number(share)})`);
    ui.say(`The model that was trained on the sense takes ${word} for ${said.join(" and for ")}.`);
  }

  for (const [name, value] of [["First", first], ["Second", second]]) {
    ui.sentence({ label: `${name} sentence`, value, change(typed) {
      const found = taught.split(typed, longest);
      if (!found.words.includes(word)) return `Type a sentence with the word ${word}.`;
      sentences[name] = found.words;
      if (sentences.First && sentences.Second) draw();
      return taught.remark(found);
    } });
  }
  ui.hint("Find two sentences with the same sense and few words in common, then two with different senses and many words in common. Which bars tell the senses apart?");
});
