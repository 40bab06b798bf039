// Number formats: how a value is rounded to sign, exponent and mantissa, and which gradients are lost in 16 bits.
"use strict";

// The nearest number of a format with these bits of exponent and mantissa; of two equally near, the even one.
Live.rounded = (x, exponentBits, mantissaBits) => {
  const bias = 2 ** (exponentBits - 1) - 1, most = (2 - 2 ** -mantissaBits) * 2 ** bias;
  if (x === 0) return { value: 0, exponent: 0, mantissa: 0 };
  let power = Math.max(Math.floor(Math.log2(x)), 1 - bias);
  if (2 ** power > x && power > 1 - bias) power -= 1; // a logarithm that was rounded up
  const unit = 2 ** (power - mantissaBits), whole = Math.floor(x / unit), rest = x / unit - whole;
  const value = (whole + (rest > 0.5 || (rest === 0.5 && whole % 2) ? 1 : 0)) * unit;
  if (value > most) return { value: Infinity, exponent: 2 ** exponentBits - 1, mantissa: 0 };
  if (value < 2 ** (1 - bias)) return { value, exponent: 0, mantissa: value / 2 ** (1 - bias - mantissaBits) };
  if (value >= 2 ** (power + 1)) power += 1;
  return { value, exponent: power + bias, mantissa: value / 2 ** (power - mantissaBits) - 2 ** mantissaBits };
};

// Shares of the counted gradients, multiplied by 2^shift, that float16 makes 0, keeps with fewer digits, and makes infinite.
Live.shares = ({ lowest, counts }, shift) => {
  const all = counts.reduce((sum, count) => sum + count, 0);
  const share = (kept) => counts.reduce((sum, count, i) => sum + (kept(lowest + i + shift) ? count : 0), 0) / all;
  return { lost: share((e) => e < -25), coarse: share((e) => e >= -25 && e < -14), over: share((e) => e > 15) };
};

Live.figure("number-formats", (ui, { formats, start, tokens, scale }) => {
  const { text, box, line, number } = Live;
  const stored = Live.data.underflow;
  let size = start, batch = tokens, factor = scale;
  const bits = ui.picture(), bars = ui.picture();
  const said = (x) => {
    if (x === Infinity) return "∞";
    if (x === 0) return "0";
    const [digits, power] = x.toExponential(7).split("e");
    return Math.abs(Number(power)) < 5 ? String(Number(x.toPrecision(8))) : `${Number(digits)} × 10${raised(Number(power))}`;
  };
  const raised = (i) => [...number(i, 0)].map((sign) => (sign === "−" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign])).join("");
  const pattern = (whole, many) => whole.toString(2).padStart(many, "0");

  function draw() {
    const x = 10 ** size;
    const found = formats.map(([name, e, m]) => ({ name, e, m, ...Live.rounded(x, e, m) }));
    const SIDE = 11;
    bits.draw(
      `The value ${x.toExponential(9)}. ${found.map((one) => `${one.name}: ${one.value === Infinity ? "infinite" : one.value.toExponential(9)}, exponent ${pattern(one.exponent, one.e)}, mantissa ${pattern(one.mantissa, one.m)}`).join("; ")}.`,
      262,
      text(0, 14, `The value ${said(x)}`, "name"),
      found.map((one, i) => {
        const y = 50 + 70 * i, all = `0${pattern(one.exponent, one.e)}${pattern(one.mantissa, one.m)}`;
        return [
          text(0, y - 6, one.name, "strong"), text(356, y - 6, said(one.value), `end${one.value === 0 || one.value === Infinity ? " k strong" : ""}`),
          [...all].map((bit, j) => {
            const kind = j === 0 ? "one" : j <= one.e ? "k" : "q";
            return [box(j * SIDE, y, SIDE - 1, 20, `cell ${kind}`, { "fill-opacity": bit === "1" ? 0.75 : 0.16 }), text(j * SIDE + SIDE / 2 - 0.5, y + 14, bit, "middle cell-number")];
          }),
          text(0, y + 36, `1 sign, ${one.e} exponent, ${one.m} mantissa`),
        ];
      }));
    const shift = factor - (batch - Math.log2(stored.tokens));
    const { lost, coarse, over } = Live.shares(stored, shift);
    const [LOW, HIGH, X, WIDE, Y, HEIGHT] = [-52, 20, 6, 348, 196, 130];
    const at = (e) => X + (WIDE * (e - LOW)) / (HIGH - LOW), high = Math.max(...stored.counts);
    bars.draw(
      `Gradients in float16: ${number(100 * lost, 4)} % become zero, ${number(100 * coarse, 4)} % keep fewer digits, ${number(100 * over, 4)} % become infinite.`,
      262,
      text(0, 14, "Gradients of a small GPT, by size", "name"),
      box(X, Y - HEIGHT, at(-25) - X, HEIGHT, "track"), box(at(16), Y - HEIGHT, at(HIGH) - at(16), HEIGHT, "track"),
      text(X + 4, Y - HEIGHT + 14, "float16: 0"), text(at(16) + 2, Y - HEIGHT + 14, "∞"),
      text(at(-14) + 4, Y - HEIGHT + 14, "all digits"), line(at(-14), Y - HEIGHT, at(-14), Y, "here"),
      stored.counts.map((count, i) => {
        const e = stored.lowest + i + shift;
        return e < LOW || e >= HIGH ? null : box(at(e), Y - (HEIGHT - 24) * count / high, WIDE / (HIGH - LOW) - 0.6, (HEIGHT - 24) * count / high, `cell ${e < -25 || e > 15 ? "k" : e < -14 ? "two" : "v"}`);
      }),
      line(X, Y, X + WIDE, Y), [-48, -36, -25, -14, 0, 16].map((e) => text(at(e), Y + 18, `2${raised(e)}`, "middle")),
      text(0, Y + 42, `bfloat16 keeps all: it reaches down to 2${raised(-126)}.`));
    const half = found[2].value, brain = found[1].value;
    const off = (value) => (value === 0 ? "loses it" : value === Infinity ? "overflows" : `is off by ${number((100 * Math.abs(value - x)) / x, 3)} %`);
    ui.say(`bfloat16 ${off(brain)}, float16 ${off(half)}. Of the gradients, float16 makes ${number(100 * lost, 1)} % zero${over ? ` and ${number(100 * over, 1)} % infinite` : ""}.`);
  }

  ui.slider({ label: "Value", min: -900, max: 600, step: 5, value: 100 * start, show: (i) => said(10 ** (i / 100)), change: (i) => { size = i / 100; draw(); } });
  ui.slider({ label: "Tokens in a batch", min: Math.log2(stored.tokens), max: 22, value: batch, show: (i) => (2 ** i).toLocaleString("en"), change: (i) => { batch = i; draw(); } });
  ui.slider({ label: "Loss multiplied by", min: 0, max: 24, value: factor, show: (i) => `2${raised(i)}`, change: (i) => { factor = i; draw(); } });
  ui.hint("Take a batch of four million tokens: the mean loss divides each gradient by their number. Which factor saves float16?");
  draw();
});
