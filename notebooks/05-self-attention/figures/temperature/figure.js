// A soft look-up: weights = softmax(q . k / temperature), answer = the weighted average of the values.
"use strict";

Live.figure("temperature", (ui, { keys, values, queries }) => {
  const { svg, text, line, box, number } = Live;
  const names = Object.keys(keys);
  const most = Math.max(...values);
  const weighed = ui.picture(), answered = ui.picture();
  let asked = Object.keys(queries)[0], power = 0;

  function draw() {
    const temperature = Live.factor(power);
    const { weights: [weights], output: [[answer]] } = Live.attention(
      [queries[asked]], Object.values(keys), values.map((value) => [value]), { scale: 1 / temperature });
    const raw = Object.values(keys).map((key) => Live.dot(queries[asked], key));
    const best = Live.largest(weights);
    weighed.draw(
      `Weights of the five keys for the query ${asked}: ${names.map((name, i) => `${name} ${number(weights[i])}`).join(", ")}.`,
      174,
      svg("text", { class: "name", x: 0, y: 14 }, "The query: ", svg("tspan", { class: "q" }, asked)), text(0, 34, "key", "k strong"),
      text(112, 34, "q · k", "end"), text(124, 34, "weight"),
      names.map((name, i) => {
        const y = 42 + 26 * i;
        return [
          text(0, y + 15, name, "k"), text(112, y + 15, number(raw[i]), "end"),
          box(124, y, 190, 20, "track"), box(124, y, 190 * weights[i], 20, "cell weight"),
          text(356, y + 15, number(weights[i]), "end strong"),
        ];
      }));
    const x = (value) => 30 + (300 * value) / most;
    const order = names.map((_, i) => i).sort((a, b) => values[a] - values[b]);
    answered.draw(
      `The values of the five keys on a line from 0 to ${most}, and the answer ${number(answer)} between them.`,
      174,
      text(0, 14, "How sour, from 0 to 9?", "name"),
      line(30, 110, 330, 110), [0, 3, 6, 9].map((value) => [line(x(value), 106, x(value), 114), text(x(value), 130, value, "middle")]),
      names.map((name, i) => [
        svg("circle", { class: "dot v", cx: Live.at(x(values[i])), cy: 110, r: Live.at(3 + 11 * Math.sqrt(weights[i])) }),
        text(x(values[i]), order.indexOf(i) % 2 ? 68 : 86, name, "middle"),
      ]),
      svg("path", { class: "answer", d: `M${Live.at(x(answer))},118l-7,16h14Z` }),
      text(Math.min(Math.max(x(answer), 50), 310), 154, `answer ${number(answer)}`, "middle strong"));
    const sure = weights[best];
    const kind = sure > 0.98 ? `almost a hard look-up: the value of ${names[best]}`
      : Math.max(...weights) - Math.min(...weights) < 0.1 ? "almost the plain average of all values"
      : `mostly ${names[best]}, which has ${number(sure)} of the weight`;
    ui.say(`Temperature ${number(temperature)}: the answer is ${number(answer)}, ${kind}.`);
  }

  ui.slider({ label: "Temperature", min: -1.5, max: 2, step: 0.05, value: power, show: (p) => number(Live.factor(p)), change: (p) => { power = p; draw(); } });
  ui.choice({ label: "Query", options: Object.keys(queries).map((name) => [name, name]), value: asked, change: (name) => { asked = name; draw(); } });
  draw();
});
