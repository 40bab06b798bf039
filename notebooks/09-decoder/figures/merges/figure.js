// Byte-pair encoding, merge by merge, on a text of the reader's.
"use strict";

Live.figure("merges", (ui, { text: begin, longest }) => {
  const { svg, text, box } = Live;
  const { merges } = Live.data.merges;
  const tokenizer = Live.tokenizer(merges);
  const picture = ui.picture();
  let typed = begin, done = 0;
  const plain = (token) => tokenizer.shown(token);

  function draw() {
    const tokens = tokenizer.cut(typed, done);
    const next = done ? merges[done - 1] : null;
    const parts = [];
    let x = 0, y = 30;
    tokens.forEach((token) => {
      const said = plain(token), wide = 7.4 * [...said].length + 9;
      if (x + wide > 360) { x = 0; y += 30; }
      const made = next && token === next.join("");
      parts.push(box(x, y, wide, 22, "track"), made ? box(x, y, wide, 22, "mark") : null, text(x + wide / 2, y + 15.5, said, `middle mono${made ? " strong" : ""}`));
      x += wide + 4;
    });
    const bytes = new TextEncoder().encode(typed).length;
    picture.draw(
      `The text in ${tokens.length} tokens: ${tokens.map(plain).join(" | ")}.`,
      y + 34,
      svg("text", { class: "name", x: 0, y: 16 }, next ? `Merge ${done}: ${plain(next[0])} + ${plain(next[1])} → ${plain(next.join(""))}` : "No merge yet: every byte is a token"),
      parts);
    ui.say(`${bytes} bytes, ${tokens.length} tokens after ${done} ${done === 1 ? "merge" : "merges"}: ${Live.number(bytes / tokens.length)} bytes per token.`);
  }

  ui.sentence({ label: "Text", value: begin, change(said) {
    const cut = [...said].slice(0, longest).join("");
    if (cut.trim()) { typed = cut; draw(); }
    return cut.trim() ? (cut.length < said.length ? `Only the first ${longest} characters are read.` : "") : "Type something.";
  } });
  const slider = ui.slider({ label: "Merges", min: 0, max: merges.length, value: done, change: (value) => { done = value; draw(); } });
  const to = (value) => { done = Math.max(0, Math.min(merges.length, value)); slider.set(done); draw(); };
  ui.buttons(["Next merge", () => to(done + 1)], ["Undo one merge", () => to(done - 1)]);
  ui.hint("␣ is a space, and Ã and © stand for the two bytes of é. Try a word from Shakespeare, a modern word, and a word in another script.");
});
