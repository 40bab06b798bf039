// A whole model as one picture, from the tokens on the left to the probabilities on the right, and what flows through it.
"use strict";

Live.mapPicture = (() => {
  const { html, svg, text, box, line, overlaid, number, short, at } = Live, { patch, chance, greatest, full, filled } = Live.mapStrip;
  const size = (row) => Math.sqrt(Live.dot(row, row));

  // How wide the columns are. With two bands, the second begins where the encoder's states are there to be read: with two
  // blocks in each, and with three.
  const WIDE = {
    width: 920, high: 40, room: { one: 160, two: 135 }, top: 43, between: 30, letters: 11, below: false, bar: 20,
    one: { left: 0, label: 88, embed: 76, ffn: 84, norm: 22, scores: 204 },
    two: [{ left: 0, label: 118, embed: 14, self: [74, 74], ffn: 38 }, { left: 0, label: 180, embed: 14, self: [170, 78], cross: 84, ffn: 36 }],
    three: [{ left: 0, label: 106, embed: 14, self: [56, 56, 56], ffn: 27 }, { left: 0, label: 180, embed: 14, self: [182, 46, 46], cross: 50, ffn: 24, norm: 16 }],
  };
  const TALL = {
    width: 360, high: 44, room: { one: 220, two: 320 }, top: 54, between: 66, letters: 7, below: true, bar: 24,
    one: { left: 0, label: 60, embed: 22, ffn: 28, norm: 16, scores: 6 },
    two: [{ left: 0, label: 60, embed: 8, self: [34, 34], ffn: 24 }, { left: 0, label: 60, embed: 8, self: [116, 36], cross: 42, ffn: 24 }],
    three: [{ left: 0, label: 60, embed: 8, self: [23, 23, 23], ffn: 14 }, { left: 0, label: 60, embed: 8, self: [112, 22, 22], cross: 26, ffn: 14, norm: 12 }],
  };

  // Where each column of a band is: the embedding, and the parts of each block.
  function columns(band, plan, { width, below }) {
    const ffn = Math.min(plan.ffn, (below ? 76 : 168) / band.blocks.length);
    const taken = plan.label + plan.embed + plan.scores + (plan.norm ?? 0) + band.blocks.length * ffn;
    const each = plan.self ?? band.blocks.map(() => (width - taken) / band.blocks.length);
    let x = plan.left + plan.label;
    const put = (wide, more) => ({ x0: x, x1: (x += wide), ...more });
    const found = [put(plan.embed, { kind: "embed", after: band.start })];
    band.blocks.forEach((parts, b) => parts.forEach(([kind, part]) => {
      found.push(put({ ...plan, ffn, self: each[b] }[kind], { kind, block: b, ...part }));
    }));
    if (plan.norm && band.head) found.push(put(plan.norm, { kind: "norm" }));
    if (band.scored !== undefined) found.push({ kind: "scores", x0: x, x1: below ? x + 4 : width });
    return found;
  }

  // Whether there is room for the numbers of the first vectors.
  const opened = ({ kind, x0, x1 }) => kind === "embed" && x1 - x0 > 40;

  const curve = (x0, y0, x1, y1) => [[x0, y0], [(x0 + x1) / 2, y0], [(x0 + x1) / 2, y1], [x1, y1]];
  const drawn = ([a, b, c, d]) => `M${at(a[0])},${at(a[1])}C${[b, c, d].map((p) => p.map(at)).join(" ")}`;
  const along = (points, t) => [0, 1].map((axis) => {
    const [a, b, c, d] = points.map((p) => p[axis]), s = 1 - t;
    return s ** 3 * a + 3 * s * s * t * b + 3 * s * t * t * c + t ** 3 * d;
  });

  const VECTOR = 44;
  const vectored = (bands) => bands.length < 2 || bands[0].blocks.length < 3;
  const COLOUR = { self: "q", cross: "k", ffn: "two" };
  const NAMES = { embed: ["embedding", "+ position"], self: ["self-attention", "self"], cross: ["cross-attention", "cross"] };

  // The model's bands with places for all rows and columns. `focus` is [band, row]; its curves are drawn in colour.
  // The names of a decoder's parts stand below it if curves come from an encoder above.
  function places(model, plan) {
    // As high for any text, unless its names would touch; a translation has room for as many words as were read, and for some to
    // `spare`, and its first words share that room.
    const two = model.bands.length > 1, [first, second] = model.bands.map(({ names }) => names.length), last = two ? Math.max(first - 1 + (model.spare ?? 0), second) : 0;
    const room = two ? plan.room.two : plan.room.one, each = Math.max(Math.min(plan.high, room / (first + last)), two ? 13.5 : 15), stacks = model.bands[0].blocks.length > 2 ? plan.three : plan.two;
    let top = plan.top;
    return model.bands.map((band, n) => {
      const own = two ? stacks[n] : plan.one, from = top, high = n ? (each * last) / second : each, bottom = from + high * band.names.length;
      top = bottom + plan.between;
      return {
        ...band, n, high, top: from, bottom, plan: own, edge: own.left + own.label,
        y: (t) => from + (t + 0.5) * high, columns: columns(band, own, plan),
        ...(n ? { frame: [from - 6, bottom + 20], named: bottom + 14, titled: bottom + 34, end: bottom + 37, foot: bottom + 37 }
          : { frame: [from - 22, bottom + 6], named: from - 8, titled: from - 30, foot: (two ? bottom : Math.max(bottom, from + room)) + 6, end: (two ? bottom : Math.max(bottom, from + room)) + 6 }),
      };
    });
  }

  // The curves of one part: each weight as a line from the row that is read to the row that reads; grey of a head that is off.
  function curves(bands, band, column, head, focus) {
    const from = column.kind === "cross" ? bands[0] : band, [x0, x1] = [column.x0 + 2, column.x1 - 7], off = Live.stages.off(column, head);
    return column.each[head].weights.map((row, i) => {
      const chosen = band.n === focus[0] && i === focus[1], dim = band.n === focus[0] && !chosen;
      return row.map((weight, j) => (weight < (chosen ? 0.01 : 0.03) ? null : {
        points: curve(x0, from.y(j), x1, band.y(i)), weight, chosen, x0, x1, kind: off ? "off" : dim ? "faint" : COLOUR[column.kind],
        wide: off ? 1.2 : 0.5 + (chosen ? 9 : 4) * weight, shown: off ? 0.6 : chosen ? 0.25 + 0.75 * weight : dim ? 0.25 + 0.6 * weight : 0.15 + 0.6 * weight,
      }));
    }).flat().filter(Boolean).sort((a, b) => a.chosen - b.chosen);
  }

  // One band: the boxes of its blocks, the names of its tokens, their lines, and what each part adds to them. A tour lights
  // parts by name: what belongs to a column is lit in the one that is open, or with its whole block.
  function drawBand(bands, band, state, plan, tracks, part) {
    const isOpen = ({ kind, block }) => band.n === state.opened.band && kind === state.opened.kind && block === state.opened.block;
    const own = (column, ...names_) => [...(isOpen(column) ? names_ : []), ...(band.n === state.opened.band && column.block === state.opened.block ? ["block"] : [])];
    // One name for one thing: the short ones, if only one of the long ones has no room.
    const cramped = bands.some((one) => one.columns.some(({ kind, x0, x1 }) => x1 - x0 < { self: 84, cross: 92 }[kind]));
    const { columns: all, y, high, names, edge, frame: [from, to] } = band, last = all.findLast(({ after }) => after);
    const sizes = all.filter(({ after }) => after).map(({ after }) => after.map(size)), most = Math.max(...sizes.flat());
    const added = all.filter((one) => one.added).map((one) => Math.max(...one.added.map(size))), biggest = Math.max(...added);
    const wide = (value) => 1 + 5 * (value / most), narrow = plan.below;
    const titles = [], boxes = band.blocks.map((_, b) => {
      const own = all.filter(({ block }) => block === b), [x0, x1] = [own[0].x0, own.at(-1).x1];
      titles.push(text((x0 + x1) / 2, band.titled, x1 - x0 < 44 ? `${b + 1}` : `Block ${b + 1}`, "middle strong"));
      return box(x0 + 1, from, x1 - x0 - 2, to - from, "map-block", { rx: 6 });
    });
    const named = narrow ? text(0, band.top - 30, band.column, "strong") : text(edge - 8, band.top - 8, band.column, "end strong");
    titles.push(...all.map((column) => part([...own(column, "curves", "asked", "plus", "bows", "embed", "titles"), ...(column.kind === "norm" ? ["norms"] : [])], titled(column))));
    function titled({ kind, x0, x1, each: heads }) {
      const [first, second] = NAMES[kind] ?? [], room = x1 - x0;
      if (kind === "norm") {
        const [x, middle] = [(x0 + x1) / 2, (band.top + band.bottom) / 2];
        return [box(x0 + 3, from, x1 - x0 - 4, to - from, "map-block norm", { rx: 4 }),
          svg("text", { class: "middle share", transform: `translate(${at(x + 4)} ${at(middle - high / 2)}) rotate(-90)` }, band.head)];
      }
      if (kind === "scores" || (kind === "embed" && room < 20)) return null;
      if (kind === "embed" && narrow) {
        // Along the column, so that its frame does not cut the word.
        boxes.push(box(x0 + 2, from, room - 4, to - from, "map-block", { rx: 4 }));
        return svg("text", { class: "middle share over", transform: `translate(${at((x0 + x1) / 2 + 4)} ${at((from + to) / 2)}) rotate(-90)` }, state.places ? first : "no position");
      }
      if (kind === "embed") return [text((x0 + x1) / 2, band.top - 24, first, "middle share"), text((x0 + x1) / 2, band.top - 8, state.places ? second : "position off", "middle share")];
      const said = kind === "ffn" ? (room > 80 ? "feed-forward" : room > 22 ? "FFN" : "") : cramped ? (room < 25 || (kind === "cross" && room < 28) ? "" : second) : first;
      // A column of a telephone that is narrower than its name has it along its side.
      if (narrow && !said) return svg("text", { class: "share over", transform: `translate(${at((x0 + x1) / 2 + 4)} ${at(band.n ? to - 3 : band.top + 3)}) rotate(-90)` }, kind === "ffn" ? "FFN" : second);
      // Of several heads the curves are one's: it is named where there is room.
      const head_ = !heads || heads.length < 2 || !said ? "" : [`, head ${state.head + 1} of ${heads.length}`, `, head ${state.head + 1}`].find((one) => (said + one).length * 5.9 < room - 6) ?? "";
      return text((x0 + x1) / 2, band.named, said + head_, "middle share");
    }
    const words = names.map((name, t) => {
      const chosen = band.n === state.focus[0] && t === state.focus[1];
      const writes = (!narrow || high >= 24) && band.writes?.[t], below = narrow && writes; // what the row leads to stands beside what it reads, or below
      return part(band.n === state.opened.band ? ["names", ...(chosen ? ["asked", "bars"] : [])] : ["sources"],
        text(edge - (writes && !narrow ? 92 : 8), y(t) + (below ? -2 : 4), short(name, plan.letters), `end mono${chosen ? " strong q" : ""}${band.strange?.has(t) ? " strange" : ""}`),
        writes ? text(edge - (below ? 8 : 86), y(t) + (below ? 11 : 4), `▸ ${short(writes, plan.letters)}`, below ? "end share" : "share") : null);
    });
    // The pieces of one word, joined.
    const joined = narrow ? [] : (band.words ?? []).map(([first, end]) => line(edge - 4, y(first) - 5, edge - 4, y(end) + 5, "joined"));
    const lines = names.map((_, t) => {
      let from = edge;
      const pieces = all.filter(({ after }) => after).map((column, c) => {
        const piece = svg("path", { class: "stream", d: `M${at(from)},${at(y(t))}H${at(column.x1)}`, "stroke-width": at(wide(sizes[Math.max(c - 1, 0)][t])) });
        from = column.x1;
        return piece;
      });
      const end = t === band.scored ? all.at(-1).x0 : last.x1;
      if (end > last.x1) pieces.push(svg("path", { class: "stream", d: `M${at(last.x1)},${at(y(t))}H${at(end)}`, "stroke-width": 2.5 }));
      tracks.push({ x0: edge, x1: end, y: y(t), chosen: band.n === state.focus[0] && t === state.focus[1] });
      const read = bands[1] && band.n === 0 ? Math.max(...bands[1].columns.filter(({ kind }) => kind === "cross").map(({ x0 }) => x0)) : null;
      const states = read && !narrow && !t ? text(last.x1 + 10, y(t) - 10, "its states: keys and values", "share") : null;
      return [part(["stream"], pieces), part(["states"], states, read ? svg("path", { class: "memory", d: `M${at(last.x1)},${at(y(t))}H${at(read)}` }) : null)];
    });
    const parts = all.filter((one) => one.added).map((column) => {
      const { kind, x0, x1 } = column, off = kind === "ffn" && column.gone, colour = off ? "off" : COLOUR[kind], node = x1 - 7;
      const dots = names.flatMap((_, t) => {
        const share = size(column.added[t]) / biggest;
        const r = Math.min(3 + 3.5 * share, 0.45 * high), arm = 0.6 * r;
        return [svg("circle", { class: `node ${colour}`, cx: at(node), cy: at(y(t)), r: at(r) }),
          svg("path", { class: "plus", d: `M${at(node - arm)},${at(y(t))}h${at(2 * arm)}M${at(node)},${at(y(t) - arm)}v${at(2 * arm)}` })];
      });
      // A norm reads the stream before the part, or stands in it after the sum.
      const x = band.norms === "before" ? x0 + 2.5 : x1 - 2, norm = band.norms ? line(x, band.top - 2, x, band.bottom + 2, "norm-mark") : null;
      if (kind === "ffn") {
        const lift = Math.min(0.44 * high, 13, (x1 - x0) / 3), bows = names.map((_, t) => {
          const share = size(column.added[t]) / biggest, points = [[x0 + 3, y(t)], [x0 + 8, y(t) - 1.35 * lift], [node - 6, y(t) - 1.35 * lift], [node, y(t)]];
          if (!off) tracks.push({ points, x0: x0 + 3, x1: node, chosen: band.n === state.focus[0] && t === state.focus[1], weight: share / 3, kind: colour });
          return svg("path", { class: `arc ${colour}`, d: drawn(points), "stroke-width": at(off ? 1.2 : 0.6 + 3 * share), "stroke-opacity": 0.75 });
        });
        return [part(own(column, "bows"), bows), part(["norms"], norm), part(own(column, "plus"), dots)];
      }
      const found = curves(bands, band, column, state.head, state.focus);
      tracks.push(...found.filter(({ chosen, kind: drawn_ }) => drawn_ !== "off" && (chosen || band.n !== state.focus[0])));
      const arcs = (which) => found.filter(({ chosen }) => chosen === which).map((one) => svg("path", { class: `arc ${one.kind}`, d: drawn(one.points), "stroke-width": at(one.wide), "stroke-opacity": at(one.shown) }));
      return [part(own(column, "curves"), arcs(false)), part(own(column, "curves", "asked"), arcs(true)), part(["norms"], norm), part(own(column, "plus"), dots)];
    });
    const each = all.filter(opened).map(({ x0, x1 }) => {
      const most = greatest(band.start), deep = Math.min(high - 5, 24);
      return names.map((_, t) => patch(band.start[t], x0 + 2, y(t) - deep / 2, x1 - x0 - 8, deep, most));
    });
    return [boxes, lines, parts, part(["embed"], each), words, part(["names"], joined, named), titles];
  }

  // The vector of the chosen row after each of its stages, all with one scale, below the map.
  // Below each stands what the model would write if it ended there, if there is room for it. Three blocks of a translator leave
  // no room for vectors.
  function drawVectors(bands, { focus: [b, t] }, plan, y, lens) {
    if (!vectored(bands)) return null;
    const band = bands[b], all = band.columns.filter(({ after, x0, x1 }) => after && x1 - x0 >= 20), most = greatest(all.map(({ after }) => after[t]));
    const wide = Math.min(76, ...all.map(({ x0, x1 }) => x1 - x0 - 4)), name = plan.below ? "vector" : `vector of “${short(band.names[t], 7)}”`;
    // On a telephone a guess is wider than its vector: it reaches to the left, those of the feed-forward networks on a second line.
    const line_ = ({ kind }) => y + VECTOR + (plan.below && kind === "ffn" ? 27 : 13), room = (column, i) => (plan.below ? column.x1 - (all.findLast((one, n) => n < i && line_(one) === line_(column))?.x1 ?? 36) - 4 : wide);
    const read = lens && (plan.below || wide >= 36) ? [plan.below ? ["guess", "so far"].map((said, n) => text(0, y + VECTOR + 13 + 14 * n, said, "share")) : text(band.edge - 8, y + VECTOR + 13, "guess so far", "end share"),
      all.map((column, i) => text(column.x1 - 2, line_(column), short(lens(column.after[t]).said, Math.min(Math.floor(room(column, i) / 7.2), 9)), "end mono strong"))] : null;
    return [read, text(band.edge - 8, y + 14, plan.below ? name : name.slice(0, 9), "end share"), plan.below ? null : text(band.edge - 8, y + 28, name.slice(10), "end share"), text(band.edge - 8, y + (plan.below ? 28 : 42), `to ±${number(most, 1)}`, "end share"),
      all.map(({ after, x1 }) => patch(after[t], x1 - 2 - wide, y, wide, VECTOR, most))];
  }

  // The likeliest next tokens as bars; a curve leads to each from the token that is asked.
  function drawScores(band, model, plan, tracks) {
    const { shares, before, whole, token, bars, spread } = model, order = shares.map((_, id) => id).sort((a, b) => shares[b] - shares[a]).slice(0, bars);
    const column = band.columns.at(-1), y = band.y(band.scored), from = column.x0;
    const [fan, left] = plan.below ? [4, 84] : [column.x0 + 40, column.x0 + 102], room = plan.width - left - 54;
    const start = plan.below ? band.foot + (vectored(model.bands) ? VECTOR : -16) + (model.lens ? 76 : 60) : 36, high = plan.bar;
    const most = full(model, order);
    const rows = order.map((id, i) => {
      const top = start + high * i, first = i ? "" : " strong", kept = !plan.below || !i;
      const points = plan.below ? [[from, y], [plan.width, y], [plan.width - 2, y + 8], [plan.width - 2, start - 2]] : curve(from, y, fan, top + high / 2 - 2);
      if (kept) tracks.push({ points, x0: from, x1: plan.below ? from + 12 : fan, weight: shares[id], chosen: true, kind: "one" });
      const curve_ = kept ? svg("path", { class: "arc one", d: drawn(points), "stroke-width": at(0.8 + (plan.below ? 1 : 9 * shares[id])), "stroke-opacity": at(0.35 + 0.65 * shares[id]) }) : null;
      return [curve_, svg("g", { class: "bar", "data-token": id },
        text(plan.below ? left - 8 : fan + 6, top + high / 2 + 2, short(token(id), plan.below ? 9 : 7), `mono${plan.below ? " end" : ""}${first}`),
        before ? overlaid(left, top, high - 5, filled(room, before[id], most), filled(room, shares[id], most), "cell one")
          : [box(left, top, room, high - 5, "track"), box(left, top, filled(room, shares[id], most), high - 5, "cell one", { "fill-opacity": i ? 0.6 : 1 })],
        text(plan.width - 4, top + high / 2 + 2, chance(shares[id]), `end${first}`))];
    });
    // What the others have together, and why it may be much.
    let end = start + high * bars + 14;
    const others = 1 - order.reduce((sum, id) => sum + shares[id], 0);
    rows.push(text(fan, end, `${(shares.length - bars).toLocaleString("en")} others`, "share"), text(plan.width - 4, end, chance(others), "end share"));
    for (const more of [...(before || most < 1 ? [] : spread ?? []), ...(before ? [`grey: ${whole}`] : [])]) rows.push(text(fan, end += 16, more, "share"));
    return { rows, order, start, band: band.n, column, bars: start + high * bars, high, top: start - (model.follows ? 35 : 30), bottom: start + high * bars + 14 + 16 * Math.max(2, 1 + (spread ?? []).length), left: plan.below ? 0 : fan, title: [text(fan, start - (model.follows ? 23 : 14), model.asks, "strong"), model.follows ? text(fan, start - 8, `after “${short(band.names[band.scored], plan.below ? 14 : 10)}”`, "share") : null, text(plan.width - 4, start - (model.follows ? 8 : 14), `bars to ${most < 1 ? chance(most) : 1}`, "end share")] };
  }

  // What each sign stands for, in the page's own lines.
  function legend(bands) {
    const kinds = new Set(bands.flatMap((band) => band.columns.map(({ kind }) => kind)));
    const stroke = (kind, wide) => svg("path", { class: kind, d: "M1,8h20", "stroke-width": wide });
    const spots = (kinds_) => kinds_.map((kind, i) => svg("circle", { class: `node ${kind}`, cx: 6 + 10 * i, cy: 8, r: 4.5 }));
    const signs = [
      ["residual stream: as thick as its vector is long", stroke("stream", 4)],
      ["self-attention weight", stroke("arc q", 4)],
      ...(kinds.has("cross") ? [["cross-attention weight", stroke("arc k", 4)]] : []),
      ["feed-forward network", stroke("arc two", 2.5)],
      ["+ what is added, by length", spots(["q", "two"])],
      ...(bands.some(({ norms }) => norms) ? [[`norm ${bands[0].norms === "before" ? "before each part" : "after each sum"}`, line(11, 1, 11, 15, "norm-mark")]] : []),
      ["what is open", box(1.5, 1.5, 19, 13, "mark", { rx: 3 })],
      ...(Live.calm() ? [] : [["a token's vector on its way", svg("circle", { class: "spot ink", cx: 11, cy: 8, r: 4.5 })]]),
      ["a vector's numbers: above zero, below zero", [box(1, 2, 9, 12, "cell above"), box(12, 2, 9, 12, "cell below")]],
    ];
    return signs.map(([said, sign]) => html("span", {}, html("span", { class: "live-picture" }, svg("svg", { width: 22, height: 16, "aria-hidden": true }, sign)), said));
  }

  // Where each bar is and how long; and bars that glide from where they were, so that one sees which tokens rise and fall.
  const barsOf = (element) => new Map([...element.querySelectorAll(".bar")].map((one) => {
    const bar = one.querySelector(".one");
    return [one.dataset.token, { one, bar, y: bar.y.baseVal.value, long: Math.max(bar.width.baseVal.value, 0.5) }];
  }));
  function glide(element, before) {
    for (const [id, { one, bar, y, long }] of barsOf(element)) {
      const from = before.get(id), ease = { duration: 300, easing: "ease-out" };
      if (!from || (from.y === y && from.long === long)) continue;
      one.animate([{ transform: `translateY(${from.y - y}px)` }, { transform: "none" }], ease);
      bar.style.transformOrigin = `${bar.x.baseVal.value}px 0`;
      bar.animate([{ transform: `scaleX(${from.long / long})` }, { transform: "none" }], ease);
    }
  }

  // One of the two forms of the map. draw() shows a model; front() shows what flows at a place of the way, 0 to 1.
  // Each of its stages and bars can be reached by the keyboard: `reach` is told where that is, `choose` what is chosen.
  return (ui, form, { reach, choose, lit }) => {
    const plan = form === "wide" ? WIDE : TALL, calm = Live.calm(), moving = svg("g", { class: "moving", "aria-hidden": "true" }), going = svg("g", { class: "going", "aria-hidden": "true" }), frame = svg("rect", { class: "mark open", rx: 5 });
    const places_ = Live.places({ reach: (key) => reach(spots.get(key) ?? null), choose: (key) => choose(spots.get(key)) });
    const picture = ui.picture({ width: plan.width, group: true, over: [frame, moving, going, places_.group] });
    picture.element.classList.add("live-map", form);
    let spots = new Map();
    let bands = [], tracks = [], scores = null, under = 0, chosen = 0, stage = null;
    // The frame stands around the stage that is open below, or pointed at: nothing else moves it.
    const around = ({ n }, { kind, x0, x1 }) => (kind === "scores"
      ? { x: at(Math.max(scores.left - 6, 1)), y: at(scores.top), width: at(plan.width - Math.max(scores.left - 6, 1) - 1), height: at(scores.bottom + 6 - scores.top) }
      : { x: at(x0 + 2), y: at(bands[n].frame[0] + 1), width: at(x1 - x0 - 4), height: at(bands[n].frame[1] - bands[n].frame[0] - 2) });
    const put = (place) => Object.entries(place ?? {}).forEach(([name, value]) => frame.setAttribute(name, value));

    // What lies there: a token to write, a row's name, or a column of a band.
    const hit = (x, y) => {
      if (x >= scores.left && y >= scores.top && y < scores.bottom + 6) {
        const token = y >= scores.start && y < scores.bars ? scores.order[Math.floor((y - scores.start) / scores.high)] : undefined;
        return { band: scores.band, column: scores.column, token };
      }
      const band = bands.findLast(({ frame }) => y >= frame[0]) ?? bands[0], row = Math.floor((y - band.top) / band.high);
      // The vectors below belong to the chosen row's stages.
      if (y >= under && y < under + VECTOR && vectored(bands)) {
        const column = bands[chosen].columns.find(({ after, x0, x1 }) => after && x >= x0 && x < x1);
        return column ? { band: chosen, column } : null;
      }
      if (y > band.frame[1] + 20) return null;
      if (x < band.edge) return x >= band.plan.left && row >= 0 && row < band.names.length ? { band: band.n, row } : null;
      const column = band.columns.find(({ x0, x1 }) => x >= x0 && x < x1);
      return column ? { band: band.n, column, ...(row >= 0 && row < band.names.length && column.after ? { row } : {}) } : null;
    };
    const keyOf = (n, { kind, block }) => `${n}.${kind}.${block ?? ""}`;
    // The stages from left to right, then the bars from the top.
    function reached(model) {
      spots = new Map();
      const all = bands.flatMap((band) => band.columns.map((column) => {
        const key = keyOf(band.n, column), said = Live.stages.KINDS[column.kind];
        spots.set(key, { band: band.n, column });
        return { key, said: `${bands[1] ? `${band.column}, ` : ""}${column.block === undefined ? "" : `block ${column.block + 1}: `}${said}`, ...around(band, column) };
      }));
      return [...all, ...scores.order.map((id, i) => {
        spots.set(`bar ${i}`, { band: scores.band, column: scores.column, token: id });
        return { key: `bar ${i}`, said: `${model.token(id)}, probability ${number(model.shares[id])}: write it`, x: scores.left, y: scores.start + scores.high * i, width: plan.width - scores.left, height: scores.high };
      })];
    }
    return {
      element: picture.element, frame,
      bars: () => scores.title[0],
      scored: () => stage === "scores",
      legend: () => legend(bands),
      point(event) {
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.element.getScreenCTM().inverse());
        return hit(x, y);
      },
      visible: () => picture.element.getClientRects().length > 0,
      draw(model, state, said) {
        bands = places(model, plan);
        tracks = [];
        const body = bands.map((band) => drawBand(bands, band, state, plan, tracks, lit.part)), asked = bands.find(({ scored }) => scored !== undefined);
        scores = drawScores(asked, model, plan, tracks);
        picture.element.classList.toggle("compared", Boolean(model.before));
        tracks = tracks.filter(Boolean);
        const open = this.mark(state.opened);
        [chosen] = state.focus;
        under = bands.at(-1).end + 4;
        const before = calm || !this.visible() ? null : barsOf(picture.element);
        picture.draw(said, Math.max(scores.bottom, bands.at(-1).foot + (vectored(bands) ? VECTOR : 0) + (model.lens ? (plan.below ? 32 : 16) : 4)) + 4, body, lit.part(["bars"], scores.title, scores.rows), lit.part(["vectors"], drawVectors(bands, state, plan, under, model.lens)));
        if (before) glide(picture.element, before);
        moving.replaceChildren();
        places_.draw(reached(model), keyOf(state.opened.band, state.opened)); // the Tab key passes and changes nothing
        return { band: state.opened.band, column: open };
      },
      // Puts the frame around a stage, and returns its column.
      mark({ band: n, kind, block }) {
        const open = bands[n]?.columns.find((one) => one.kind === kind && one.block === block);
        if (open) put(around(bands[n], open));
        stage = kind;
        return open;
      },
      // The token of a bar is to be written: what is returned lets it go from there to the row that it has become.
      takes(id, said) {
        const i = scores.order.indexOf(id), from = i < 0 ? scores.top : scores.start + scores.high * (i + 0.5) + 2, x = scores.left;
        return () => {
          if (calm || !this.visible()) return;
          const band = bands[scores.band], wide = text(band.edge - 8, band.y(band.names.length - 1) + 4, said, "end one over");
          going.append(wide);
          wide.animate([{ transform: `translate(${x - band.edge + 60}px, ${from - band.y(band.names.length - 1)}px)` }, { transform: "none" }], { duration: 700, easing: "ease-in-out" }).onfinish = () => wide.remove();
        };
      },
      still() { moving.replaceChildren(); },
      // What moves at this share of the way; returns the column that it is in. Stage by stage, each has the same time.
      front(share, staged = false) {
        const [first, last] = [Math.min(...bands.map(({ edge }) => edge)), Math.max(...tracks.map(({ x1 }) => x1))], stages = bands.at(-1).columns;
        const n = Math.min(Math.floor(share * stages.length), stages.length - 1), from = stages[n].x0, to = stages[n + 1]?.x0 ?? last;
        const x = staged ? from + (share * stages.length - n) * (to - from) : first + share * (last - first);
        const dot = (cx, cy, r, kind) => svg("circle", { class: `spot ${kind}`, cx: at(cx), cy: at(cy), r: at(r) });
        const sweep = bands.filter(({ edge, columns: all }) => x >= edge && x <= all.at(-1).x1).map(({ frame: [from, to] }) => [14, 6].map((half) => box(x - half, from, 2 * half, to - from, "sweep")));
        moving.replaceChildren(...sweep.flat(), ...tracks.filter(({ x0, x1 }) => x >= x0 && x <= x1).map((one) => {
          if (!one.points) return dot(x, one.y, one.chosen ? 5 : 3.5, "ink");
          const [cx, cy] = along(one.points, (x - one.x0) / (one.x1 - one.x0));
          return dot(cx, cy, 1.5 + (one.chosen ? 6 : 3.5) * Math.sqrt(one.weight), one.kind);
        }));
        const band = bands.findLast(({ edge }) => x >= edge) ?? bands[0];
        return staged ? { band: bands.length - 1, column: stages[n] } : { band: band.n, column: band.columns.find(({ x0, x1 }) => x >= x0 && x <= x1) };
      },
    };
  };
})();
