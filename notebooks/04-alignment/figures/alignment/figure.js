// A trained recurrent translator: give it a number, and see where it looked before each word it wrote.
"use strict";

Live.figure("alignment", (ui, { sentence, longest }) => {
  const { text, heat, number } = Live;
  const model = Live.aligner(Live.data.alignment);
  const picture = ui.picture();
  let words = [], found = null, row = 0, slider = null;
  const plain = (word) => (word === "</s>" ? "end" : word);

  function draw() {
    const source = [...words, "end"], written = found.said.map(plain);
    const text_ = written.filter((word) => word !== "end").join(" ");
    const lines = text_.match(/.{1,40}(?:\s|$)/gu) || [];
    const looked = found.maps[row].map((weight, j) => [source[j], weight]).sort((a, b) => b[1] - a[1]);
    const { parts, bottom } = heat(found.maps, written, { columns: source, x: 92, y: 84 + 18 * lines.length, size: 264, row });
    picture.draw(
      `Written: ${text_}. Before ${written[row]} it looks at ${looked.slice(0, 3).map(([word, weight]) => `${word} ${number(weight, 4)}`).join(", ")}.`,
      bottom + 4,
      lines.map((line, i) => text(0, 16 + 18 * i, line.trim(), "name")), parts);
    const when = written[row] === "end" ? "Before it ends the text" : `Before writing ${written[row]}`;
    ui.say(`${when} it looks most at ${looked[0][0]} (${number(looked[0][1])}), then at ${looked[1][0]} (${number(looked[1][1])}).`);
  }

  ui.sentence({ label: "A German number, in words or in digits", value: sentence, change(typed) {
    const cut = model.split(typed, longest);
    if (!cut.words.length) return "Type a number.";
    words = cut.words;
    found = model.translate(words);
    row = Math.min(row, found.said.length - 1);
    if (slider) { slider.set(row + 1, found.said.length); draw(); }
    const strange = [...new Set(cut.unknown)], remarks = [`It reads: ${words.join(" ")}.`];
    if (strange.length) remarks.push(`It has never seen ${new Intl.ListFormat("en-GB").format(strange)}: it knows the German numbers below a million.`);
    if (cut.left) remarks.push(`Only the first ${words.length} pieces are read.`);
    return remarks.join(" ");
  } });
  slider = ui.slider({ label: "Word written", min: 1, max: found.said.length, value: 1, show: (n) => plain(found.said[n - 1] ?? ""), change: (n) => { row = n - 1; draw(); } });
  ui.hint("Try 27, 345627 or dreihundertsiebzehn. Then try one that it has never seen: siebenundzwanzigundzwanzig.");
  draw();
});
