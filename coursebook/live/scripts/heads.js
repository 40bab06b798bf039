// All heads of the small model on one sentence.
"use strict";

Live.figure("heads", (ui, { sentence, asking }) => {
  const { text, number } = Live;
  const model = Live.reader(Live.data.reader);
  const MOST = 12;
  let words = [], run = null, word = asking;
  const maps = Array.from({ length: model.heads }, () => ui.picture());

  function draw() {
    const best = run.each.map(({ weights }) => Live.largest(weights[word]));
    run.each.forEach(({ weights }, h) => {
      const { parts, bottom } = Live.heat(weights, words, { x: 84, y: 92, size: 270, row: word, numbers: true });
      maps[h].draw(
        `Head ${h + 1}: the word ${words[word]} gives most weight, ${number(weights[word][best[h]])}, to ${words[best[h]]}.`,
        bottom + 6, text(0, 14, `Head ${h + 1}`, "name"), parts);
    });
    const looks = run.each.map(({ weights }, h) => `${words[best[h]]} in head ${h + 1} (${number(weights[word][best[h]])})`);
    const sense = model.sense(words, run.states);
    const meant = sense ? ` The model takes ${sense.word} for a ${sense.label} (probability ${number(sense.share)}).` : "";
    ui.say(`${words[word]} (word ${word + 1}) looks most at ${looks.join(", ")}.${meant}`);
  }

  ui.sentence({ label: "Sentence", value: sentence, change(typed) {
    const found = model.split(typed, MOST);
    if (found.words.length) {
      words = found.words;
      run = model.read(words);
      word = Math.min(word, words.length - 1);
      if (which) {
        which.set(word + 1, words.length);
        draw();
      }
    }
    return model.remark(found);
  } });
  var which = ui.slider({ label: "Query word", min: 1, max: words.length, value: word + 1, show: (n) => words[n - 1] || "", change: (n) => { word = n - 1; draw(); } });
  draw();
});
