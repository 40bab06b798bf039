// The first thing that a visitor sees: one head's attention as arcs over the sentence. The sentences of the lessons were
// read by a real encoder; all others are read here by a small model, which also says what a word means in them.
"use strict";

Live.figure("attends", (ui, { sentence, head: first, most, others, pause }) => {
  const { svg, text, box, number, at, largest, short } = Live;
  const model = Live.reader(Live.data.reader), encoder = Live.encoder(Live.data.encoder);
  const { word: meant, labels } = Live.data.reader.senses;
  // Words in a row under their arcs where there is room, else in a column beside them; the styles show one of the two.
  const wide = ui.picture({ width: 720 }), tall = ui.picture();
  let words = [], strange = new Set(), run = null, word = 0, head = 0, walk = null;
  const percent = (share) => `${Math.round(100 * share)} %`;

  const arc = (d, weight, kind) => svg("path", {
    class: `arc ${kind}`, d, "stroke-width": at(0.6 + (kind === "q" ? 9 : 3) * weight), "stroke-opacity": at(0.12 + 0.88 * weight),
  });
  // The arcs of all words, faint, and over them those of the chosen one. `path` leads from a word to another.
  function arcs(weights, path) {
    const each = (i, kind) => weights[i].map((weight, j) => (i !== j && weight >= 0.01 ? arc(path(i, j), weight, kind) : null));
    return [weights.map((_, i) => (i === word ? null : each(i, "faint"))), each(word, "q")];
  }
  const kindOf = (i) => `${i === word ? " name q" : ""}${strange.has(words[i]) ? " strange" : ""}`;

  // Which model has read the sentence; below the small one's, a bar for each meaning of the word that has several.
  function senses(width, top, name) {
    const found = run.sense;
    if (run.real) return text(0, top + 14, `${encoder.name}, ${run.each[head].name}`);
    if (!found) return text(0, top + 14, `Type a sentence with the word ${meant}: what does it mean there?`);
    const room = width / labels.length;
    return labels.map((label, i) => [
      text(i * room, top + 12, name(label), found.label === label ? "strong" : ""),
      text((i + 1) * room - 18, top + 12, percent(found.shares[i]), `end${found.label === label ? " strong" : ""}`),
      box(i * room, top + 18, room - 18, 9, "track"),
      box(i * room, top + 18, (room - 18) * found.shares[i], 9, "cell v"),
    ]);
  }

  function drawWide(weights, said) {
    const line = 152, wanted = (length) => words.map((one) => 7.6 * Math.min(one.length, length) + 18);
    let length = 14;
    const total = () => wanted(length).reduce((a, b) => a + b, 0);
    while (length > 4 && total() > 712) length -= 1;
    const spare = (720 - total()) / words.length;
    let left = 0;
    const places = wanted(length).map((room) => { left += room + spare; return left - (room + spare) / 2; });
    const path = (i, j) => {
      const [from, to] = [places[i], places[j]], high = 14 + 0.3 * Math.abs(to - from);
      return `M${at(from)},${line - 18}C${at(from)},${at(line - 18 - high * 0.8)} ${at(to)},${at(line - 18 - high * 0.8)} ${at(to)},${line - 18}`;
    };
    wide.places = [0, places];
    wide.draw(said, 226, arcs(weights, path), words.map((one, i) => [
      text(places[i], line, short(one, length), `middle${kindOf(i)}`),
      text(places[i], line + 19, percent(weights[word][i]), "middle share"),
    ]), senses(720, line + 40, (label) => `${meant} means a ${label}`));
  }

  function drawTall(weights, said) {
    const row = 17, places = words.map((_, i) => 16 + row * i), end = 152;
    const path = (i, j) => {
      const [from, to] = [places[i] - 4, places[j] - 4], far = 12 + Math.min(1.1 * Math.abs(to - from), 190);
      return `M${end},${from}C${at(end + far)},${from} ${at(end + far)},${to} ${end},${to}`;
    };
    tall.places = [1, places];
    tall.draw(said, row * words.length + 42, arcs(weights, path), words.map((one, i) => [
      text(48, places[i], short(one, 13), kindOf(i)), text(40, places[i], percent(weights[word][i]), "end share"),
    ]), senses(360, row * words.length + 6, (label) => label));
  }

  function draw({ aloud = true } = {}) {
    const { weights, name } = run.each[head], best = largest(weights[word]), found = run.sense;
    const parts = words.map((one, j) => `${one} ${number(weights[word][j])}`);
    const said = `${name[0].toUpperCase()}${name.slice(1)}. The weights of ${words[word]}: ${parts.join(", ")}.`;
    drawWide(weights, said);
    drawTall(weights, said);
    const means = found ? ` The model takes ${meant} for a ${found.label} (probability ${number(found.share)}).` : "";
    if (aloud) ui.say(`In ${name}, ${words[word]} attends most to ${words[best]} (${percent(weights[word][best])}).${means}`);
  }

  function choose(place, options) {
    word = place;
    which.set(word + 1, words.length);
    draw(options);
  }
  const still = () => { clearInterval(walk); walk = null; };

  // The small model and the real one have heads of their own: the choice is renewed when another model reads.
  function renew(found) {
    const other = run?.real !== found.real;
    [run, words, strange] = [found, found.words, found.strange];
    word = found.real ? found.asks : words.includes(meant) ? words.indexOf(meant) : words.length - 1;
    if (found.real) head = found.first;
    else if (other) head = first;
    whichHead?.replaceChildren(...run.each.map(({ name }, h) => Live.html("option", { value: h, selected: h === head }, name)));
  }

  let whichHead = null;
  const input = ui.sentence({ label: "Type a sentence", value: sentence, change(typed) {
    const found = Live.reading(encoder, model, typed, most);
    if (found.words.length) {
      renew(found);
      if (which) {
        still();
        choose(word);
      }
    }
    return found.note;
  } });
  ui.examples(input)([sentence, ...others]);
  var which = ui.slider({ label: "Word", min: 1, max: words.length, value: word + 1, show: (n) => words[n - 1] ?? "", change: (n) => { still(); choose(n - 1); } });
  whichHead = ui.choice({ label: "Head", options: run.each.map(({ name }, h) => [h, name]), value: head, change: (h) => { still(); head = Number(h); draw(); } });

  // The word under the mouse or the finger asks.
  for (const picture of [wide, tall]) {
    const { element } = picture;
    const near = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(element.getScreenCTM().inverse());
      const [axis, places] = picture.places, where = axis ? point.y : point.x;
      const place = Live.largest(places.map((one) => -Math.abs(one - where)));
      still();
      if (place !== word) choose(place);
    };
    element.addEventListener("click", near);
    element.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") near(event); });
  }
  // Once, each word asks for a moment, unless the reader wants less motion or does something.
  const walks = pause && !Live.calm();
  draw({ aloud: !walks });
  if (walks) {
    ui.say("Each word asks in turn.");
    let place = 0;
    const start = word;
    walk = setInterval(() => {
      choose(place, { aloud: place === start });
      if (place === start) still();
      place += 1;
    }, pause);
    const interrupt = () => { if (walk) { still(); draw(); } };
    for (const done of ["pointerdown", "keydown"]) ui.figure.addEventListener(done, interrupt, { once: true });
  }
});
