// A plain recurrent net with weights of any strength: what arrives at the first word of the gradient.
"use strict";

// The norm of d h_n / d x_1 for n = 1, 2, ..., as its power of ten. Row vectors:
// G_1 = W diag(1 - h_1^2), G_n = G_{n-1} (gain U) diag(1 - h_n^2); without the tanh the diagonals are 1.
Live.gradients = ({ W, U, x, step }, gain, linear = false) => {
  const scaled = (A, by) => A.map((row) => row.map((value) => value * step * by));
  const [w, u] = [scaled(W, 1), scaled(U, gain)];
  let h = new Array(u.length).fill(0), G = null;
  return scaled(x, 1).map((word) => {
    const z = Live.add(Live.times([word], w)[0], Live.times([h], u)[0]);
    h = linear ? z : z.map(Math.tanh);
    const slope = h.map((value) => (linear ? 1 : 1 - value * value));
    G = (G ? Live.times(G, u) : w).map((row) => row.map((value, i) => value * slope[i]));
    return Math.log10(Math.hypot(...G.flat()));
  });
};

Live.figure("gradient", (ui, { gain: firstGain, length: firstLength, low, high }) => {
  const { text, line, svg, at, number } = Live;
  const stored = Live.data.gradient, most = stored.x.length;
  const picture = ui.picture();
  let gain = firstGain, length = firstLength, linear = false;

  const raised = (digits) => Array.from(String(digits), (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("");
  const shown = (power) => {
    const whole = Math.floor(power + 1e-9);
    if (whole >= -2 && whole <= 2) return number(10 ** power, whole < 0 ? 3 : 1);
    return `${number(10 ** (power - whole), 1)} · 10${raised(whole)}`;
  };

  function draw() {
    const x = (n) => 46 + (306 * (n - 1)) / (most - 1);
    const y = (power) => 30 + (200 * (high - Math.min(Math.max(power, low), high))) / (high - low);
    const path = (powers) => {
      const end = powers.findIndex((power) => power < low || power > high);
      const drawn = end < 0 ? powers : powers.slice(0, end + 1);
      return `M${drawn.map((power, i) => `${at(x(i + 1))},${at(y(power))}`).join("L")}`;
    };
    const own = Live.gradients(stored, gain, linear), first = Live.gradients(stored, 1);
    const marks = [];
    for (let power = low; power <= high; power += 3) marks.push(power);
    const here = own[length - 1];
    const lengths = [1, 2, 4, 8, 16, 32, 64];
    picture.draw(
      `Scale of U ${number(gain, 1)}${linear ? ", without the tanh" : ""}. Powers of ten of the gradient at the lengths ${lengths.join(", ")}: ${lengths.map((n) => number(own[n - 1], 3)).join(", ")}.`, 282,
      text(0, 14, "Gradient that reaches the first word", "name"),
      marks.map((power) => [line(46, y(power), 352, y(power)), text(40, y(power) + 4, power ? `10${raised(power)}` : "1", "end")]),
      svg("path", { class: "curve two dashed", d: path(first) }),
      svg("path", { class: "curve one", d: path(own) }),
      line(x(length), y(high), x(length), y(low), "here"),
      svg("circle", { class: "spot one", cx: at(x(length)), cy: at(y(here)), r: 5 }),
      [1, 16, 32, 48, 64].map((n) => text(x(n), 248, n, "middle")), text(352, 264, "words", "end"),
      text(46, 278, "— your network", "one"), text(170, 278, "- - initial weights", "two"));
    const rate = (own[most - 1] - own[3]) / (most - 4);
    const grows = Math.abs(rate) < 0.002 ? "It keeps about the same size" : rate < 0 ? "It vanishes" : "It explodes";
    ui.say(`Length ${length}: the gradient is ${shown(here)}. ${grows}: each further word multiplies it by about ${number(10 ** rate, 2)}.`);
  }

  ui.slider({ label: "Number of words", min: 1, max: most, value: length, change: (n) => { length = n; draw(); } });
  ui.slider({ label: "Scale of U", min: 0.5, max: 3, step: 0.1, value: gain, show: (g) => number(g, 1), change: (g) => { gain = g; draw(); } });
  ui.check({ label: "Without the tanh", value: linear, change: (on) => { linear = on; draw(); } });
  ui.hint("Between which two scales does vanishing turn into exploding? Then remove the tanh. Which scale keeps the gradient now?");
  draw();
});
