// Four heads on one sentence: a real encoder's where they are stored, else the small model's.
"use strict";

Live.figure("heads", (ui, { sentence, asking }) => {
  const { text, number } = Live;
  const model = Live.reader(Live.data.reader), encoder = Live.encoder(Live.data.encoder);
  const MOST = 12;
  let words = [], run = null, word = asking;
  const maps = Array.from({ length: model.heads }, () => ui.picture({ width: 384 })); // the last word's label leans out
  const title = (name) => name[0].toUpperCase() + name.slice(1);

  function draw() {
    const best = run.each.map(({ weights }) => Live.largest(weights[word]));
    run.each.forEach(({ name, weights }, h) => {
      const { parts, bottom } = Live.heat(weights, words, { x: 84, y: 92, size: 270, row: word, numbers: true });
      maps[h].draw(
        `${title(name)}: the word ${words[word]} gives most weight, ${number(weights[word][best[h]])}, to ${words[best[h]]}.`,
        bottom + 6, text(0, 14, title(name), "name"), parts);
    });
    const looks = run.each.map(({ name, weights }, h) => `${words[best[h]]} in ${name} (${number(weights[word][best[h]])})`);
    const { sense } = run;
    const meant = sense ? ` The model takes ${sense.word} for a ${sense.label} (probability ${number(sense.share)}).` : "";
    ui.say(`${words[word]} (word ${word + 1}) looks most at ${looks.join(", ")}.${meant}`);
  }

  ui.sentence({ label: "Sentence", value: sentence, change(typed) {
    const found = Live.reading(encoder, model, typed, MOST);
    if (found.words.length) {
      run = found;
      words = found.words;
      word = found.real ? found.asks : Math.min(word, words.length - 1);
      if (which) {
        which.set(word + 1, words.length);
        draw();
      }
    }
    return found.note;
  } });
  var which = ui.slider({ label: "Query word", min: 1, max: words.length, value: word + 1, show: (n) => words[n - 1] || "", change: (n) => { word = n - 1; draw(); } });
  draw();
});
