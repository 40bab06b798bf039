// One row of an attention in numbers: its query, each key with its score and weight, and the values averaged. Below them
// is one key at work: the products with the query, their sum, the score; and the weight times the value.
"use strict";

Live.mapRow = (ui, form, say) => {
  const { text, box, line, square, number, short, svg, dot } = Live;
  // The key at work has its panel beside the row, or below it.
  const plan = form === "wide"
    ? { beside: 470, width: 440, letters: 9, name: 76, keys: [82, 206], score: 262, bar: [270, 288], weight: 322, values: [332, 440] }
    : { width: 360, letters: 7, name: 54, keys: [60, 152], score: 202, bar: [208, 224], weight: 256, values: [264, 360] };
  const { beside, width, letters, name, keys, score, bar, weight, values } = plan, HIGH = 21, QUERY = 26, TOP = 68, DEEP = 150, BARS = 44;
  const places = Live.places({
    reach: (key) => point(key === null ? null : { j: Number(key) }),
    choose: (key) => { chosen = Number(key); point({ j: chosen }); },
    across: (key, step) => { const d = row.head.q[0].length; point({ j: Number(key), i: (((pointed?.i ?? (step > 0 ? -1 : d)) + step) + d) % d }); },
  });
  const picture = ui.picture({ width: width + (beside ?? 0), group: true, over: [places.group] });
  picture.element.classList.add("map-row", form, ...(beside ? ["unstored"] : []));

  // `row` is what is shown, `chosen` a key, `pointed` a key and perhaps the place of a number in it.
  let row = null, chosen = null, pointed = null;
  const wide = ([x0, x1], vector) => (x1 - x0) / vector.length;
  // Shades grow with the root of a number, so that small ones are seen beside large ones; the legend shows it.
  const shade = (value, most) => Math.sign(value) * Math.sqrt(Math.abs(value) / most);
  const strip = (vector, span, y, kind, most) =>
    vector.map((value, i) => square(span[0] + i * wide(span, vector), y, wide(span, vector) - 0.6, 15, kind, shade(value, most)));
  // Numbers as bars up and down from a line, of which `most` has half the height.
  const bars = (vector, span, y, kind, most) => {
    const step = wide(span, vector), middle = y + BARS / 2;
    return [vector.map((value, i) => {
      const high = Math.max((BARS / 2) * (Math.abs(value) / most), 0.4);
      return box(span[0] + i * step, value < 0 ? middle : middle - high, step - 0.6, high, `cell ${value < 0 ? "below" : kind}`);
    }), line(span[0], middle, span[1], middle)];
  };
  const around = (span, vector, i, y, high) => box(span[0] + i * wide(span, vector) - 0.8, y - 1, wide(span, vector) + 1, high + 2, "mark");
  const greatest = (rows) => Math.max(...rows.flat().map(Math.abs), 1e-9);

  // The one scale of all shades: from the lowest possible to the highest, in the colours of q, k and v.
  const legend = (y, most) => {
    const x = width - 110;
    return [
      text(x - 4, y + 12, number(-most, 1), "end share"), text(width, y + 12, number(most, 1), "end share"),
      [-1, -0.5, 0, 0.5, 1].map((share, n) => ["q", "k", "v"].map((kind, third) =>
        square(x + 16 * n + 5 * third, y, 5, 15, kind, shade(share, 1)).slice(0, 1))),
    ];
  };

  // Which key is at work: the one pointed at, the chosen one, or that with the largest weight.
  const key = () => pointed?.j ?? (chosen !== null && chosen < row.columns.length ? chosen : Live.largest(row.head.weights[row.t]));
  function products() {
    const { q, k, v, scores, weights } = row.head, { t } = row, j = key();
    const each = q[t].map((value, i) => value * k[j][i]), share = weights[t][j];
    return { j, each, sum: dot(q[t], k[j]), root: Math.sqrt(q[t].length), score: scores[t][j], share, handed: v[j].map((value) => share * value) };
  }
  // Where the panel of the key at work is.
  const corner = () => (beside ? [beside, QUERY] : [0, TOP + HIGH * row.room + 34]);
  // The key at work. Its sum, divided by the root of the width, is the score, unless the mask shuts it.
  function work() {
    const { q, output } = row.head, { t, columns } = row, y = 4, { j, each, sum, root, score: last, share, handed } = products();
    const i = pointed?.i, d = q[t].length, y1 = y + 40, y2 = y1 + BARS + 8, half = greatest([handed, output[t]]);
    return svg("g", { transform: `translate(${corner()})` }, [
      box(0, y - 4, width, DEEP - 8, "map-block", { rx: 4 }),
      text(8, y + 12, `“${short(row.me, letters)}” asks “${short(columns[j], letters)}”`, "strong"),
      text(keys[0], y + 32, `${d} products q·k`, "share"), bars(each, keys, y1, "two", greatest([each])),
      text(keys[0] - 6, y1 + BARS / 2 + 4, "q × k", "end share"),
      text(keys[0], y2 + 12, `sum ${number(sum)}`, "strong"),
      text(keys[0], y2 + 30, `÷ √${d} = ${number(sum / root)}`, "strong q"),
      text(width - 6, y + 32, `weight ${number(share)} × v`, "end share"), bars(handed, values, y1, "v", half),
      output[t].map((value, n) => {
        const step = wide(values, output[t]), high = Math.max((BARS / 2) * (Math.abs(value) / half), 0.4);
        return box(values[0] + n * step, value < 0 ? y1 + BARS / 2 : y1 + BARS / 2 - high, step - 0.6, high, "ghost v");
      }),
      text(width - 6, y2 + 12, "dashed: the head's sum", "end share"),
      last === -Infinity ? text(keys[0] + 118, y2 + 30, "masked: weight 0", "share") : null,
      i === undefined ? null : [around(keys, each, i, y1, BARS), around(values, handed, i, y1, BARS)],
    ]);
  }
  // The number that is pointed at, in each vector that has it.
  const marks = ({ i }, j) => (i === undefined ? null : [[keys, QUERY], [keys, TOP + HIGH * j], [values, TOP + HIGH * j], [values, TOP + HIGH * row.columns.length + 4]]
    .map(([span, y]) => around(span, row.head.q[0], i, y, 15)));
  function said() {
    const { q, k, v, output } = row.head, { t, me, columns } = row, { j, each, share, handed } = products(), i = pointed?.i;
    if (i === undefined) return "Point at a key's row to see its score made; at a square to read its number.";
    return `Number ${i + 1} of ${each.length}: “${me}” has q ${number(q[t][i])}, “${columns[j]}” has k ${number(k[j][i])}; q × k = ${number(each[i])}. ` +
      `Weight ${number(share)} × v ${number(v[j][i])} = ${number(handed[i])}, of a sum of ${number(output[t][i])}.`;
  }
  function show() {
    const { where, head: { q, k, v, scores, weights, output }, t, me, columns, room } = row;
    const most = greatest([q[t], ...k, ...v, output[t]]), best = Live.largest(weights[t]), { j: at_, each, sum, root, score: last, handed, share } = products();
    const rows = columns.map((column, j) => {
      const y = TOP + HIGH * j, shut = scores[t][j] === -Infinity, strong = j === best ? " strong" : "";
      return [
        j === at_ ? box(0, y - 3, width, HIGH, "map-block") : null,
        text(name, y + 12, short(column, letters), `end mono${strong}`), strip(k[j], keys, y, "k", most), strip(v[j], values, y, "v", most),
        shut ? text(weight, y + 12, "masked", "end share") : [
          text(score, y + 12, number(scores[t][j]), `end${strong}`),
          box(bar[0], y, bar[1] - bar[0], 15, "track"), box(bar[0], y, (bar[1] - bar[0]) * weights[t][j], 15, "cell q"),
          text(weight, y + 12, number(weights[t][j]), `end${strong}`)],
      ];
    });
    const end = TOP + HIGH * columns.length + 4, listed = (numbers) => numbers.map((one) => number(one, 4)).join(", ");
    picture.draw(
      `${where}: the row of ${me} in numbers. ${columns.map((column, j) => `${column}: score ${number(scores[t][j], 4)}, weight ${number(weights[t][j], 4)}`).join("; ")}. ` +
      `The query of ${me} times the key of ${columns[at_]}: ${listed(each)}; sum ${number(sum, 4)}; divided by √${q[t].length}: ${number(sum / root, 4)}${last === -Infinity ? ", masked" : ""}. ` +
      `${number(share, 4)} times the value of ${columns[at_]}: ${listed(handed)}. The head's sum: ${listed(output[t])}.`,
      beside ? Math.max(TOP + HIGH * room + 26, QUERY + DEEP) : TOP + HIGH * room + 30 + DEEP,
      text(0, 14, form === "wide" ? `${where}: how “${me}” gets its weights` : `${where}: “${short(me, 9)}”`, "name"),
      text(name, QUERY + 12, short(me, letters), "end mono strong q"), strip(q[t], keys, QUERY, "q", most), text(keys[1] + 6, QUERY + 12, "query q", "strong q"), legend(QUERY, most),
      text(keys[0], TOP - 8, "key k", "strong k"), text(score, TOP - 8, `q·k / √${q[t].length}`, "end share"),
      text(weight, TOP - 8, "softmax", "end share"), text(values[0], TOP - 8, "value v", "strong v"),
      rows, text(values[0] - 6, end + 12, form === "wide" ? "sum of weight × v: leaves the head" : "sum of weight × v", "end share"), strip(output[t], values, end, "v", most),
      marks(pointed ?? {}, at_), work());
    places.draw(columns.map((column, j) => ({ key: String(j), said: `${column}: score ${number(scores[t][j])}, weight ${number(weights[t][j])}`, x: 0, y: TOP + HIGH * j - 3, width, height: HIGH })));
    if (picture.element.getClientRects().length) say(said());
  }
  function point(to) {
    if (to?.j === pointed?.j && to?.i === pointed?.i) return;
    pointed = to;
    show();
  }
  // The key and the number that lie there; those of the query and of the sum belong to the key at work.
  function hit(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.element.getScreenCTM().inverse());
    const { columns, head: { q } } = row, [left, top] = corner(), within = x >= left && y >= top, across = within ? x - left : x;
    const span = [keys, values].find(([x0, x1]) => across >= x0 && across < x1), i = span && Math.min(Math.floor((across - span[0]) / wide(span, q[0])), q[0].length - 1);
    const over = Math.floor((y - TOP + 3) / HIGH);
    if (!within && over >= 0 && over < columns.length) return { j: over, i };
    return i !== undefined && y >= QUERY ? { j: key(), i } : null;
  }
  picture.element.addEventListener("pointermove", (event) => { if (row) point(hit(event)); });
  picture.element.addEventListener("pointerleave", () => { if (row) point(null); });
  picture.element.addEventListener("click", (event) => {
    const there = row && hit(event);
    if (there) { chosen = there.j; point(there); }
  });
  return {
    element: picture.element,
    // Shows row `t`, the token `me`, of one head; `columns` name the keys, and there is room for so many of them.
    draw(where, head, t, me, columns, room) {
      if (row?.where !== where || row.t !== t || row.columns.join() !== columns.join()) chosen = pointed = null;
      row = { where, head, t, me, columns, room };
      show();
    },
  };
};
