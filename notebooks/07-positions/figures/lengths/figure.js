// Models trained on short texts and tested on longer ones: each scheme's loss at the length of a slider.
"use strict";

Live.figure("lengths", (ui, { follow: first }) => {
  const { svg, text, line, box, number, at } = Live;
  const { trained, lengths, losses } = Live.data.lengths;
  const names = Object.keys(losses);
  const mean = (values) => (values.includes(null) ? null : values.reduce((sum, x) => sum + x, 0) / values.length);
  const means = Object.fromEntries(names.map((name) => [name, losses[name].map(mean)]));
  const all = names.flatMap((name) => losses[name].flat()).filter((x) => x !== null);
  const [low, high] = [Math.floor(Math.min(...all) * 10) / 10, Math.ceil(Math.max(...all) * 10) / 10];
  let which = 0, reached = 0, follow = first; // what lies beyond the longest length tried is not drawn
  const changes = ui.picture(), curve = ui.picture();
  const ticks = [];
  for (let tick = 10 * low; tick <= 10 * high + 0.01; tick += 2) ticks.push(Math.round(tick) / 10);
  const signed = (value) => (value < 0 ? "" : "+") + number(value, 3);

  function draw() {
    const length = lengths[which], longest = lengths[lengths.length - 1];
    const across = (loss) => 120 + (186 * (loss - low)) / (high - low);
    const bottom = 42 + 26 * names.length;
    const rows = names.map((name, i) => {
      const y = 42 + 26 * i, loss = means[name][which], before = means[name][0], kind = name === follow ? "one" : "two";
      const label = text(112, y + 14, name, `end${name === follow ? " strong" : ""}`);
      const begin = line(across(before), y - 1, across(before), y + 19, "here");
      if (loss === null) return [label, begin, text(across(before) + 10, y + 14, "no code there")];
      const [left, right] = [before, loss].map(across).sort((a, b) => a - b);
      return [
        label, box(left, y + 3, right - left, 12, `cell cosine ${kind}`), begin,
        losses[name][which].map((seed) => svg("circle", { class: `spot ${kind}`, cx: at(across(seed)), cy: y + 9, r: 3 })),
        text(356, y + 14, number(loss, 3), "end strong"),
      ];
    });
    changes.draw(
      `Loss at ${length} words: ${names.map((name) => `${name} ${means[name][which] === null ? "none" : number(means[name][which], 4)}`).join("; ")}.`,
      bottom + 42,
      text(0, 14, `Loss per word, ${length} words at a time`, "name"),
      ticks.map((tick) => [line(across(tick), 30, across(tick), bottom), text(across(tick), bottom + 14, number(tick, 1), "middle")]),
      rows, text(0, bottom + 36, `dashed: at ${trained} words; dots: three seeds`));
    const wide = (words) => (352 * words) / longest;
    const x = (i) => 50 + (290 * i) / (lengths.length - 1);
    const y = (loss) => 214 - (130 * (loss - low)) / (high - low);
    const path = (name) => {
      const kind = name === follow ? "one" : "two";
      const there = means[name].slice(0, reached + 1).flatMap((loss, i) => (loss === null ? [] : [`${at(x(i))},${at(y(loss))}`]));
      return there.length > 1
        ? svg("path", { class: `curve ${kind}`, "stroke-opacity": name === follow ? 1 : 0.45, d: `M${there.join("L")}` })
        : svg("circle", { class: `spot ${kind}`, cx: at(x(0)), cy: at(y(means[name][0])), r: 4 });
    };
    const own = means[follow][which];
    curve.draw(
      `A window of ${length} words beside the ${trained} words of training. Below, loss against length for every scheme, up to ${lengths[reached]} words; ${follow} goes from ${number(means[follow][0], 4)} at ${trained} words ${own === null ? "no further" : `to ${number(own, 4)} at ${length}`}.`,
      266,
      text(0, 14, "One window (outlined: as in training)", "name"),
      box(0, 24, wide(longest), 14, "track"), box(0, 24, wide(length), 14, "cell two"), box(1, 24, wide(trained), 14, "mark"),
      text(0, 68, `Loss at each length: ${follow}`, "name one"),
      ticks.map((tick) => [line(44, y(tick), 352, y(tick)), text(38, y(tick) + 4, number(tick, 1), "end")]),
      lengths.map((words, i) => text(x(i), 234, words, "middle")), text(352, 254, "words at a time", "end"),
      line(x(which), y(low), x(which), y(high), "here"),
      names.filter((name) => name !== follow).map(path), path(follow));
    const times = length === trained ? "the length of training" : `${length / trained} times the length of training`;
    ui.say(own === null
      ? `${length} words, ${times}: ${follow} positions have no code there.`
      : `${length} words, ${times}: ${follow} has a loss of ${number(own, 4)}, ${signed(own - means[follow][0])} against ${trained} words.`);
  }

  ui.slider({
    label: "Words at a time", min: 0, max: lengths.length - 1, value: which, show: (i) => `${lengths[i]} words`,
    change: (i) => { which = i; reached = Math.max(reached, i); draw(); },
  });
  ui.choice({
    label: "Follow", options: names.map((name) => [name, name]), value: follow,
    change: (name) => { follow = name; draw(); },
  });
  draw();
});
