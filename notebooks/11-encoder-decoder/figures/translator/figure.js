// A trained translator: type a number or a date, and see for each word written where its heads looked.
"use strict";

Live.figure("translator", (ui, { sentence, languages, into, longest }) => {
  const { text, box, number, short } = Live;
  const model = Live.translator(Live.data.translator);
  const picture = ui.picture();
  let words = [], language = into, block = model.layers - 1, head = "all", beams = 1, row = 0, found = null;

  const weights = () => (head === "all" ? Live.meanMap(found.maps[block]) : found.maps[block][Number(head)]);

  function draw() {
    const map = weights(), source = [language, ...words, "end"], written = found.asked.map((word) => (word === "</s>" ? "end" : word));
    const [x, y] = [92, 118], wide = Math.min(264 / source.length, 30), high = Math.min(wide, 22);
    const lines = model.text(found.said).match(/.{1,36}(?:\s|$)/gu) || [];
    const top = 20 + 18 * lines.length;
    const columns = source.map((word, j) => Live.svg("text", { transform: `translate(${Live.at(x + (j + 0.5) * wide + 3)} ${Live.at(top + y - 26)}) rotate(-60)` }, short(word, 11)));
    const cells = map.map((line, i) => [
      text(x - 6, top + y - 20 + (i + 0.5) * high + 4, short(written[i], 11), `end${i === row ? " strong" : ""}`),
      line.map((weight, j) => [
        box(x + j * wide, top + y - 20 + i * high, wide - 1, high - 1, "cell heat", { "fill-opacity": Live.at(weight) }),
        box(x + j * wide, top + y - 20 + i * high, wide - 1, high - 1, "frame"),
      ]),
    ]);
    const mark = box(x - 1, top + y - 21 + row * high, source.length * wide + 1, high + 1, "mark");
    const looked = map[row].map((weight, j) => [source[j], weight]).sort((a, b) => b[1] - a[1]).slice(0, 3);
    picture.draw(
      `Written: ${model.text(found.said)}. Before ${written[row]} it looks at ${looked.map(([word, weight]) => `${word} ${number(weight, 4)}`).join(", ")}.`,
      top + y + 8 + map.length * high,
      lines.map((line, i) => text(0, 16 + 18 * i, line.trim(), "name")), columns, cells, mark,
      Live.scale(x, top + y - 10 + map.length * high));
    ui.say(`${written[row] === "end" ? "Before the end" : `Before writing ${written[row]}`} it looks most at ${looked[0][0]} (${number(looked[0][1])}), then at ${looked[1][0]} (${number(looked[1][1])}).`);
  }
  function translate() {
    found = model.translate([language, ...words], beams);
    row = Math.min(row, found.asked.length - 1);
  }

  let slider = null;
  ui.sentence({ label: "A number or a date, in words", value: sentence, change(typed) {
    const cut = model.split(typed.slice(0, longest));
    if (cut.words.length) {
      words = cut.words;
      translate();
      if (slider) { slider.set(row + 1, found.asked.length); draw(); }
    }
    if (!cut.words.length) return "Type at least one word.";
    const strange = [...new Set(cut.unknown)];
    const remarks = strange.length ? [`It has never seen ${new Intl.ListFormat("en-GB").format(strange)}: it knows numbers below a million and dates from 1970 to 2029, in German, English and French.`] : [];
    if (cut.left) remarks.push(`Only the first ${cut.words.length} words are read.`);
    return remarks.join(" ");
  } });
  ui.choice({ label: "Into", options: languages, value: language, to: ui.above, change: (to) => { language = to; translate(); slider.set(row + 1, found.asked.length); draw(); } });
  ui.choice({ label: "Beam width", options: [[1, "1 (greedy)"], [2, 2], [4, 4]], value: beams, change: (to) => { beams = Number(to); translate(); slider.set(row + 1, found.asked.length); draw(); } });
  ui.choice({ label: "Block", options: Array.from({ length: model.layers }, (_, i) => [i, i + 1]), value: block, change: (to) => { block = Number(to); draw(); } });
  ui.choice({ label: "Head", options: [["all", "mean of all"], ...Array.from({ length: model.heads }, (_, i) => [i, i + 1])], value: head, change: (to) => { head = to; draw(); } });
  slider = ui.slider({ label: "Word written", min: 1, max: found.asked.length, value: 1, show: (n) => found.asked[n - 1]?.replace("</s>", "end") ?? "", change: (n) => { row = n - 1; draw(); } });
  ui.hint("Try siebenundzwanzig, quatre-vingt-dix, or March 3, 1999. The last block follows the words. What does the first look for?");
  draw();
});
