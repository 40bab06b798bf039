// A trained translator of captions: it writes a sentence piece by piece, and before each piece looks at the German ones.
"use strict";

Live.figure("captions", (ui, { first, start, longest, wait }) => {
  const { text, box, number, short, at } = Live;
  const { captions, search } = Live.data.captions, model = Live.translator(Live.data.captions);
  const picture = ui.picture();
  let source = [], block = model.layers - 1, head = "all", beams = 1, row = 0, found = null, chosen = first;

  const piece = (token) => (token === "</s>" ? "end" : model.text([token]).trim());
  const starts = (token) => token === "</s>" || model.text([token]).startsWith(" ");
  const written = () => model.text(found.asked.slice(0, row + 1).filter((token) => token !== "</s>"));
  const lines = (said) => said.match(/.{1,50}(?:\s|$)|.{1,50}/gu) || [];

  // Where each piece stands: those of a word together, with a space before the word.
  function laid(tokens, top, high) {
    let [x, y] = [0, top];
    const places = tokens.map((token, i) => {
      const width = 7.3 * [...piece(token)].length + 7;
      if (i && starts(token)) x += 5;
      if (x + width > 358) [x, y] = [0, y + high];
      x += width;
      return { x: x - width, y, width, token };
    });
    return { places, bottom: y + high };
  }

  function draw() {
    const map = head === "all" ? Live.meanMap(found.maps[block]) : found.maps[block][Number(head)], weights = map[row];
    const german = [...source, "</s>"], mine = captions[chosen], said = piece(found.asked[row]);
    const top = laid(found.asked, 26, 25), below = laid(german, top.bottom + 40, 44);
    const english = top.places.slice(0, row + 1).map(({ x, y, width, token }, i) => [
      box(x, y, width - 1, 20, i === row ? "mark" : "frame"), text(x + width / 2, y + 14, piece(token), `middle mono${i === row ? " strong" : ""}`)]);
    const read = below.places.map(({ x, y, width, token }, j) => [
      text(x + width / 2, y + 13, piece(token), "middle mono"),
      box(x, y + 19, width - 1, 14, "cell heat frame", { "fill-opacity": at(weights[j]) })]);
    const reference = mine ? lines(mine.reference) : [], end = below.bottom + 36;
    const order = Live.highest(weights, 3).map((j) => [piece(german[j]), weights[j]]);
    picture.draw(
      `Written: ${written()} Before ${said} it looks at ${order.map(([word, weight]) => `${word} ${number(weight, 4)}`).join(", ")}.${mine ? ` A person wrote: ${mine.reference}` : ""}`,
      end + (mine ? 22 + 18 * reference.length : 0),
      text(0, 16, "Written so far", "name"), english,
      text(0, top.bottom + 24, `Where it looks before “${short(said, 14)}”`, "name"), read,
      Live.scale(0, below.bottom + 4),
      mine ? [text(0, end + 8, "A person wrote", "name"), reference.map((line, i) => text(0, end + 28 + 18 * i, line.trim()))] : null);
    ui.say(`${row === found.asked.length - 1 ? `It wrote: ${written()}` : `Piece ${row + 1} of ${found.asked.length}.`} Before “${said}” it looks most at “${order[0][0]}” (${number(order[0][1])}), then at “${order[1][0]}” (${number(order[1][1])}).`);
  }

  let slider = null, play = null;
  // What was typed is shown to its end; a caption of the test appears piece by piece.
  function translate(slowly = false) {
    found = model.translate(source, beams, { alpha: search.alpha });
    row = found.asked.length - 1;
    if (!slider) return;
    play?.stop();
    slider.set(row, row);
    if (slowly && play) play.begin();
    else draw();
  }
  function read(typed, slowly) {
    const cut = model.split(typed.slice(0, longest));
    if (!cut.words.length) return "Type at least one word.";
    source = cut.words;
    chosen = captions.findIndex((one) => one.source === typed);
    if (choice) choice.value = chosen;
    translate(slowly);
    return cut.left ? `Only the first ${cut.words.length} pieces are read.` : "";
  }

  let choice = null;
  const input = ui.sentence({ label: "German caption", value: captions[first].source, change: (typed) => read(typed) });
  choice = ui.choice({ label: "Of the test", to: ui.above, options: [[-1, "your own"], ...captions.map((one, i) => [i, `${i + 1}. ${short(one.source, 34)}`])], value: first, change(i) {
    if (captions[i]) input.value = captions[i].source;
    read(input.value, true);
  } });
  ui.choice({ label: "Beam width", options: [[1, "1 (greedy)"], [search.beams, search.beams]], value: beams, change: (to) => { beams = Number(to); translate(); } });
  ui.choice({ label: "Block", options: Array.from({ length: model.layers }, (_, i) => [i, i + 1]), value: block, change: (to) => { block = Number(to); draw(); } });
  ui.choice({ label: "Head", options: [["all", "mean of all"], ...Array.from({ length: model.heads }, (_, i) => [i, i + 1])], value: head, change: (to) => { head = to; draw(); } });
  slider = ui.slider({ label: "Piece written", min: 0, max: row, value: start, show: (n) => short(piece(found.asked[n] ?? "</s>"), 9), change: (n) => { row = n; draw(); } });
  play = ui.play({ slider, wait, change: (n) => { row = n; draw(); } });
  ui.hint("Try “Zwei Hunde spielen im Schnee.” Which German piece does each English one look at, and where do the two orders differ?");
  row = start;
  draw();
});
