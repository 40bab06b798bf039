// One row of an attention in numbers: its query, each key with its score and weight, and the values averaged. Below them
// is one key at work: the products with the query, their sum, the score; and the weight times the value. A number of a query,
// key or value that is pressed shows how it is made: the row times a column of the matrix, term by term; one of the sum, key by
// key.
"use strict";

Live.mapRow = (ui, form, say, { part }) => {
  const { box, line, number, short, svg, dot } = Live, { text, greatest, step, strip, bars, around } = Live.mapStrip;
  // The key at work has its panel beside the row, or below it.
  const plan = form === "wide"
    ? { beside: 626, card: 284, letters: 9, name: 76, keys: [82, 290], score: 350, bar: [358, 382], weight: 418, values: [428, 606], products: [12, 140], handed: [152, 274] }
    : { card: 360, letters: 7, name: 54, keys: [60, 160], score: 206, bar: [210, 222], weight: 254, values: [260, 358], products: [12, 172], handed: [188, 348] };
  const { beside, card, letters, name, keys, score, bar, weight, values } = plan, width = beside ? 606 : card;
  const QUERY = 24, TOP = 60, DEEP = 142, BARS = 44;
  // The more keys, the lower their rows, so that the map and the panel stay on one screen.
  const pitch = (room) => Math.max(Math.min(21, 150 / room), 13.5);
  let HIGH = 21, CELL = 17;
  const places = Live.places({
    reach: (key) => point(key === null ? null : { j: Number(key) }),
    // On a number, Enter shows how the query's is made, then the key's, the value's, the sum's, and none.
    choose: (key) => {
      const j = Number(key), i = pointed?.i, all = row.head.gone ? "qkv" : "qkvo", next = i === undefined ? "" : all[made && made.i === i ? all.indexOf(made.of) + 1 : 0];
      [chosen, made] = [j, next ? { of: next, j, i } : null];
      if (i === undefined) point({ j });
      else show();
    },
    across: (key, step) => { const d = row.head.q[0].length; point({ j: Number(key), i: (((pointed?.i ?? (step > 0 ? -1 : d)) + step) + d) % d }); },
  });
  const picture = ui.picture({ width: (beside ?? 0) + card, group: true, over: [places.group] });
  picture.element.classList.add("map-row", form, ...(beside ? ["unstored"] : []));

  // `row` is what is shown, `chosen` a key, `pointed` a key and perhaps the place of a number in it, `made` a number that is
  // taken apart: of the query, key or value.
  let row = null, chosen = null, pointed = null, made = null;
  // Which key is at work: the one pointed at, the chosen one, or that with the largest weight.
  const key = () => pointed?.j ?? (chosen !== null && chosen < row.columns.length ? chosen : Live.largest(row.head.weights[row.t]));
  function products() {
    const { q, k, v, scores, weights } = row.head, { t } = row, j = key();
    const each = q[t].map((value, i) => value * k[j][i]), share = weights[t][j];
    return { j, each, sum: dot(q[t], k[j]), root: Math.sqrt(q[t].length), score: scores[t][j], share, handed: v[j].map((value) => share * value) };
  }
  // Where the panel of the key at work is.
  const corner = () => (beside ? [beside, 32] : [0, bottom(row.room) + 6]);
  // Where the sum's strip ends, and the scale below it.
  const bottom = (room) => TOP + pitch(room) * (room + 1) + 27;
  // The number that is taken apart: the one that was pressed, or that is pointed at meanwhile. x times a column of the matrix,
  // and the bias; the largest terms come first.
  function making() {
    if (!made) return null;
    const { of, j, i } = { ...made, ...(pointed?.i === undefined ? {} : pointed) }, { head, t, me, columns } = row;
    // A number of the sum: each key's weight times the number of its value.
    if (of === "o") {
      const sums = columns.map((name_, n) => ({ n: name_, value: head.weights[t][n], weight: head.v[n][i], product: head.weights[t][n] * head.v[n][i] })).sort((a, b) => Math.abs(b.product) - Math.abs(a.product));
      return { of, j, i, terms: sums, bias: 0, whole: head.output[t][i], of_: me, name: "sum", heads: ["key", "weight", "× v", "= term"] };
    }
    const x = of === "q" ? head.asks[t] : head.gives[j], { column, bias } = head.column("qkv".indexOf(of), i);
    const terms = x.map((value, n) => ({ n, value, weight: column[n], product: value * column[n] })).sort((a, b) => Math.abs(b.product) - Math.abs(a.product));
    return { of, j, i, terms, bias, whole: head[of][of === "q" ? t : j][i], of_: of === "q" ? me : columns[j], name: { q: "query", k: "key", v: "value" }[of], heads: ["number", "x", `× W_${of.toUpperCase()}`, "= term"], matrix: `W_${of.toUpperCase()}` };
  }
  function taken({ of, i, terms, bias, whole, of_, name: called, heads, matrix }) {
    const high = beside ? api.height(row.room) - 36 : DEEP, first = 52, pitch_ = 15, count = Math.min(Math.floor((high - first - 6) / pitch_) - 2, terms.length), rest = terms.length - count, more_ = rest > 0 || matrix, shown = terms.slice(0, count);
    const at = [12, 86, 148, card - 12], middle = (at[2] + 12 + card - 60) / 2, half = (card - 60 - at[2] - 12) / 2;
    const others = terms.slice(count).reduce((sum, { product }) => sum + product, 0), most = Math.max(Math.abs(terms[0].product), Math.abs(others + bias), 1e-9), line = (n, cells, kind = "") => cells.map((cell, c) => text(at[c], first + pitch_ * n, cell, `${c ? "end" : ""} share ${kind}`));
    const bar = (n, value) => { const long = Math.max((half * Math.abs(value)) / most, 0.4); return box(value < 0 ? middle - long : middle, first + pitch_ * n - 9, long, 10, `cell ${value < 0 ? "below" : "two"}`); };
    return svg("g", { transform: `translate(${corner()})` }, [
      box(0, 0, card, high, "map-block", { rx: 4 }), text(12, 17, `${called} of “${short(of_, letters)}”, number ${i + 1} of ${row.head.q[0].length}`, "strong"),
      heads.map((head, n) => text(at[n], 35, head, `${n ? "end " : ""}share`)),
      shown.flatMap(({ n, value, weight, product }, at_) => [...line(at_, [matrix ? String(n + 1) : short(n, letters), number(value), number(weight), number(product)]), bar(at_, product)]),
      more_ ? [line(count, [matrix ? `${rest} more, bias ${number(bias)}` : `${rest} more`, "", "", number(others + bias)]), bar(count, others + bias)] : null,
      text(12, first + pitch_ * (count + 1), `= number ${i + 1} of the ${called}${matrix ? ` ${of}` : ""}`, `strong ${matrix ? of : "v"}`), text(at[3], first + pitch_ * (count + 1), number(whole), `end strong ${matrix ? of : "v"}`)]);
  }
  // The key at work. Its sum, divided by the root of the width, is the score, unless the mask shuts it.
  function work() {
    const { q, output } = row.head, { t, columns } = row, { j, each, sum, root, score: last, share, handed } = products();
    const i = pointed?.i, d = q[t].length, y1 = 44, y2 = y1 + BARS + 8, half = greatest([handed, output[t]]);
    return svg("g", { transform: `translate(${corner()})` }, [
      box(0, 0, card, DEEP, "map-block", { rx: 4 }),
      part(["products", "handed"], text(12, 17, `“${short(row.me, letters)}” asks “${short(columns[j], letters)}”`, "strong")),
      part(["products"], text(plan.products[0], 36, `q × k, ${d} products`, "share"), bars(each, plan.products, y1, BARS, "two", greatest([each])),
        text(plan.products[0], y2 + 12, `sum ${number(sum)}`, "strong"),
        text(plan.products[0], y2 + 30, `÷ √${d} = ${number(sum / root)}`, "strong q")),
      part(["handed"], text(plan.handed[0], 36, `weight ${number(share)} × v`, "share"), bars(handed, plan.handed, y1, BARS, "v", half),
      output[t].map((value, n) => {
        const wide = step(plan.handed, output[t]), x = plan.handed[0] + n * wide, y = y1 + (BARS / 2) * (1 - value / half);
        return line(x, y, x + wide - 0.6, y, "level v");
      }),
      text(plan.handed[0], y2 + 12, "lines: the sum over", "share"), text(plan.handed[0], y2 + 26, "all keys", "share"),
      row.head.gone ? text(plan.handed[0], y2 + 40, "head off: adds 0", "share") : last === -Infinity ? text(plan.handed[0], y2 + 40, "masked: score −∞", "share") : null),
      i === undefined ? null : [around(plan.products, each, i, y1, BARS), around(plan.handed, handed, i, y1, BARS)],
    ]);
  }
  // The number that is pointed at, in each vector that has it.
  const marks = ({ i }, j, one) => (one ? around(/[vo]/.test(one.of) ? values : keys, row.head.q[0], one.i, ...(one.of === "q" ? [QUERY, 17] : [TOP + HIGH * (one.of === "o" ? row.columns.length : one.j) + (one.of === "o" ? 2 : 0), CELL])) : i === undefined ? null : [[keys, QUERY, 17], [keys, TOP + HIGH * j], [values, TOP + HIGH * j], [values, TOP + HIGH * row.columns.length + 2]]
    .map(([span, y, high = CELL]) => around(span, row.head.q[0], i, y, high)));
  function said() {
    const { q, k, v, output } = row.head, { t, me, columns } = row, { j, each, share, handed } = products(), i = pointed?.i, one = making();
    if (one?.of === "o") return `Number ${one.i + 1} of the sum of “${one.of_}” is the weight of each key times number ${one.i + 1} of its value, all added: ${number(one.whole)}. Press again to close.`;
    if (one) return `Number ${one.i + 1} of the ${one.name} of “${one.of_}” is x · column ${one.i + 1} of ${one.matrix} + bias = ${number(one.whole)}: ${one.terms.length} terms, the largest first. x is ${row.norms === "before" ? "the row after the norm" : "the row"}. Press again to close.`;
    if (i === undefined) return `A strip is a vector, a cell for each of its ${q[t].length} numbers: blue above zero, yellow below. Where query and key have one colour, the score rises, else it falls. Point at a row to see its score made, at a cell to read its number; press a cell, or Enter, to see it made.`;
    return `Number ${i + 1} of ${each.length}: “${me}” has q ${number(q[t][i])}, “${columns[j]}” has k ${number(k[j][i])}; q × k = ${number(each[i])}. ` +
      `Weight ${number(share)} × v ${number(v[j][i])} = ${number(handed[i])}, of a sum of ${number(output[t][i])}. Press a cell to see it made.`;
  }
  function show() {
    const { where, head: { q, k, v, scores, weights, output, gone }, t, me, columns, room } = row;
    picture.element.classList.toggle("is-off", Boolean(gone));
    const one = making(), most = greatest([q[t], ...k, ...v, output[t]]), best = Live.largest(weights[t]), { j: at_, each, sum, root, score: last, handed, share } = products();
    const rows = columns.map((column, j) => {
      const y = TOP + HIGH * j, base = y + CELL / 2 + 4.5, shut = scores[t][j] === -Infinity, strong = j === best ? " strong" : "";
      return [
        j === at_ ? box(0, y - 2, width, HIGH, "map-block") : null,
        part(["keys", "scores", "weights", "values"], text(name, base, short(column, letters), `end mono${strong}`)), part(["keys"], strip(k[j], keys, y, CELL, most)), part(["values"], strip(v[j], values, y, CELL, most)),
        [part(["scores"], text(score, base, number(scores[t][j]), `end${shut ? " share" : strong}`)),
          part(["weights"], shut ? text(weight, base, "masked", "end share") : [ box(bar[0], y, bar[1] - bar[0], CELL, "track"), box(bar[0], y, (bar[1] - bar[0]) * weights[t][j], CELL, "cell q"),
            text(weight, base, number(weights[t][j]), `end${strong}`)])],
      ];
    });
    // What the vectors are made of: x is what comes in, after the norm where that stands before.
    const from = (name_, matrix) => (form === "wide" && !where.includes("cross") ? `${name_} = x ${matrix}` : name_);
    const end = TOP + HIGH * columns.length + 2, listed = (numbers) => numbers.map((one) => number(one, 4)).join(", ");
    picture.draw(
      `${where}${gone ? " is off" : ""}: the row of ${me} in numbers. ${columns.map((column, j) => `${column}: score ${number(scores[t][j], 4)}, weight ${number(weights[t][j], 4)}`).join("; ")}. ` +
      `The query of ${me} times the key of ${columns[at_]}: ${listed(each)}; sum ${number(sum, 4)}; divided by √${q[t].length}: ${number(sum / root, 4)}${last === -Infinity ? ", masked" : ""}. ` +
      `${number(share, 4)} times the value of ${columns[at_]}: ${listed(handed)}. The head's sum: ${listed(output[t])}.${one ? ` Number ${one.i + 1} of the ${one.name} of ${one.of_}, the terms of ${one.matrix ? `x times ${one.matrix}` : "weight times value"}: ${one.terms.map(({ n, product }) => `${one.matrix ? n + 1 : n} ${number(product, 4)}`).join(", ")}${one.matrix ? `; bias ${number(one.bias, 4)}` : ""}; together ${number(one.whole, 4)}.` : ""}`,
      api.height(room),
      text(0, 14, gone ? `${form === "wide" ? where : where.replace("-attention", "")} is off${form === "wide" ? ": these weights change nothing" : ""}` : form === "wide" ? `${where}: ${where.length > 20 ? `weights of “${me}”` : `how “${me}” gets its weights`}` : where.length > 20 ? where.replace("-attention", "") : `${where}: “${short(me, 9)}”`, "name"),
      part(["query"], text(name, QUERY + 13, short(me, letters), "end mono strong q"), strip(q[t], keys, QUERY, 17, most), text(keys[1] + 6, QUERY + 13, from("query q", "W_Q"), "strong q")),
      part(["keys"], text(keys[0], TOP - 6, from("key k", "W_K"), "strong k")), part(["scores"], text(score, TOP - 6, `q·k / √${q[t].length}`, "end share")),
      part(["weights"], text(weight, TOP - 6, form === "wide" ? "softmax" : "weight", "end share")), part(["values"], text(values[0], TOP - 6, from("value v", "W_V"), "strong v")),
      rows, part(["sum"], text(values[0] - 6, end + CELL / 2 + 4.5, gone ? "off: nothing leaves the head" : form === "wide" ? "sum of weight × v → beside the other heads' → W_O → +" : "sum of weight × v", "end share"), strip(output[t], values, end, CELL, most)),
      part(["keys", "values", "query"], Live.mapStrip.scale(form === "wide" ? keys[0] - 44 : 0, end + HIGH + 3, most)),
      marks(pointed ?? {}, at_, one), one ? taken(one) : work());
    places.draw(columns.map((column, j) => ({ key: String(j), said: `${column}: score ${number(scores[t][j])}, weight ${number(weights[t][j])}`, x: 0, y: TOP + HIGH * j - 2, width, height: HIGH })));
    if (picture.element.getClientRects().length) say(said());
  }
  function point(to) {
    if (["j", "i", "of"].every((one) => to?.[one] === pointed?.[one])) return;
    pointed = to;
    show();
  }
  // The key and the number that lie there; those of the query and of the sum belong to the key at work.
  function hit(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.element.getScreenCTM().inverse());
    const { columns, head: { q } } = row, [left, top] = corner(), within = x >= left && y >= top, across = within ? x - left : x;
    const span = (within ? [plan.products, plan.handed] : [keys, values]).find(([x0, x1]) => across >= x0 && across < x1), i = span && Math.min(Math.floor((across - span[0]) / step(span, q[0])), q[0].length - 1);
    const over = Math.floor((y - TOP + 2) / HIGH), cell = (of) => (i === undefined ? {} : { i, of });
    if (!within && over >= 0 && over < columns.length) return { j: over, ...cell(across < keys[1] ? "k" : "v") };
    if (!within && i !== undefined && across < keys[1] && y >= QUERY && y < QUERY + 17) return { j: key(), ...cell("q") };
    if (!within && i !== undefined && across >= values[0] && over === columns.length && !row.head.gone) return { j: key(), ...cell("o") };
    return i !== undefined && y >= QUERY && !(within && made) ? { j: key(), i } : null;
  }
  picture.element.addEventListener("pointermove", (event) => { if (row) point(hit(event)); });
  picture.element.addEventListener("pointerleave", () => { if (row) point(null); });
  picture.element.addEventListener("click", (event) => {
    const there = row && hit(event);
    if (!there) return;
    const again = made && ["of", "j", "i"].every((one) => made[one] === there[one]);
    [chosen, made] = [there.j, there.of && !again ? there : null];
    pointed = there;
    show();
  });
  const api = {
    element: picture.element,
    // With room for so many keys.
    height: (room) => (beside ? Math.max(bottom(room), 36 + DEEP) : bottom(room) + 10 + DEEP),
    // Shows row `t`, the token `me`, of one head; `columns` name the keys, and there is room for so many of them.
    draw(where, head, t, me, columns, room, norms) {
      if (row?.where !== where || row.t !== t || row.columns.join() !== columns.join()) chosen = pointed = made = null;
      row = { where, head, t, me, columns, room, norms };
      [HIGH, CELL] = [pitch(room), pitch(room) - 4];
      show();
    },
  };
  return api;
};
