// A trained GPT goes on with a text: its next-token distribution, and what temperature, top-k and top-p leave of it.
"use strict";

Live.figure("writer", (ui, { text: begin, longest, bars, many }) => {
  const { svg, text, overlaid, number } = Live;
  const model = Live.gpt(Live.data.writer), tokenizer = Live.tokenizer(Live.data.merges.merges);
  const picture = ui.picture();
  let typed, written, random, power = 0, k = 0, p = 1, logits = null;
  const settings = () => ({ temperature: Live.factor(power), k: k || Infinity, p });
  const ids = () => [...tokenizer.prompt(typed), ...written];
  const read = () => { logits = model.next(ids()); };

  function draw() {
    const before = Live.softmax(logits);
    const { shares, order } = Live.chosen(logits, settings());
    const kept = shares.filter((share) => share > 0).length;
    const most = Math.max(before[order[0]], shares[order[0]]);
    const rows = order.slice(0, bars).map((id, i) => {
      const y = 30 + 20 * i, gone = shares[id] === 0;
      return [
        text(92, y + 12, tokenizer.shown(tokenizer.tokens[id]), `end mono${gone ? "" : " strong"}`),
        overlaid(100, y, 15, (200 * before[id]) / most, gone ? null : (200 * shares[id]) / most, "cell weight"),
        text(356, y + 12, gone ? "out" : number(shares[id]), "end"),
      ];
    });
    const bottom = 30 + 20 * bars;
    const story = tokenizer.decode(ids());
    const lines = story.split("\n").flatMap((line) => line.match(/.{1,46}(?:\s|$)|.{1,46}/gu) || [""]).slice(-8);
    picture.draw(
      `The likeliest next tokens: ${order.slice(0, bars).map((id) => `${tokenizer.shown(tokenizer.tokens[id])} ${number(shares[id], 4)}`).join(", ")}. The text so far: ${story}`,
      bottom + 30 + 18 * lines.length,
      text(0, 16, "Which token comes next?", "name"), rows,
      text(0, bottom + 16, "The text so far", "name"),
      lines.map((line, i) => svg("text", { class: "mono", x: 0, y: bottom + 36 + 18 * i }, line)));
    ui.say(`${kept} of ${logits.length} tokens can be drawn. The likeliest, “${tokenizer.shown(tokenizer.tokens[order[0]])}”, has probability ${number(shares[order[0]])}; without your settings it has ${number(before[order[0]])}.`);
  }

  function write(count, greedy = false) {
    for (let i = 0; i < count; i += 1) {
      const { shares, order } = Live.chosen(logits, settings());
      let left = random();
      const drawn = order.find((id) => (left -= shares[id]) < 0) ?? order[0];
      written.push(greedy ? order[0] : drawn);
      read();
    }
    draw();
  }

  function start(beginning) {
    [typed, written, random] = [beginning, [], Live.random(1)]; // the same draws for every reader
    read();
    draw();
  }

  ui.sentence({ label: "Beginning", value: begin, change(said) {
    const cut = [...said].slice(0, longest).join("");
    if (cut.trim()) start(cut);
    return cut.trim() ? (cut.length < said.length ? `Only the first ${longest} characters are read.` : "") : "Type at least one character.";
  } });
  ui.slider({ label: "Temperature", min: -0.7, max: 0.7, step: 0.05, value: 0, show: (x) => number(Live.factor(x)), change: (x) => { power = x; draw(); } });
  ui.slider({ label: "Top-k", min: 0, max: 20, value: 0, show: (x) => (x ? String(x) : "all"), change: (x) => { k = x; draw(); } });
  ui.slider({ label: "Top-p", min: 0.05, max: 1, step: 0.05, value: 1, show: (x) => number(x), change: (x) => { p = x; draw(); } });
  ui.buttons(
    ["Draw one token", () => write(1)],
    [`Draw ${many} tokens`, () => write(many)],
    [`Write ${many} tokens greedily`, () => write(many, true)],
    ["Start again", () => start(typed)]);
  ui.hint("Write greedily a few times, and watch the text go in circles. Then draw, at a low and at a high temperature.");
});
