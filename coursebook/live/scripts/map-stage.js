// The map's panel for a stage that is no attention: draws a view of map-views.js, and says what is pointed at.
"use strict";

Live.mapStage = (ui, form, say, { part }) => {
  const { svg, box, line, short, overlaid } = Live, { text, strip, bars, around, step, scale, chance, filled } = Live.mapStrip;
  const TOP = 24, CELL = 16, DEEP = 142, ROW = 19;
  const plan = form === "wide" ? { main: 606, card: 284, left: 626, columns: [110, 190, 300, 400], bar: [412, 540], letters: 12 } : { main: 360, card: 360, columns: [66, 114, 190, 268], bar: [274, 310], letters: 7 };
  const { main, card } = plan, beside = form === "wide";
  let view = null, height = 0, chosen, pointed = null;
  const places = Live.places({
    reach: (key) => point(key === null ? null : read(key)),
    choose: (key) => {
      const to = read(key).key, closes = view.folds && to !== undefined && to === chosen;
      chosen = closes ? undefined : to;
      point(closes ? null : read(key));
    },
    across: (key, by) => {
      const { group, n } = read(key);
      if (n === undefined) return;
      const many = lines()[n].vector.length;
      point({ group, n, i: (((pointed?.i ?? (by > 0 ? -1 : many)) + by) + many) % many });
    },
  });
  const picture = ui.picture({ width: beside ? plan.left + card : card, group: true, over: [places.group] });
  picture.element.classList.add("map-row", "map-stage", "unstored", form);

  // Places are the lines, "line 2", and what can be chosen in the card.
  const read = (key) => (key.startsWith("line ") ? { n: Number(key.slice(5)), group: lines()[Number(key.slice(5))].group ?? "" } : { key: Number(key) });
  const at = () => ({ key: chosen, ...pointed });
  const lines = () => (typeof view.lines === "function" ? view.lines(at()) : view.lines);
  const corner = () => (beside ? [plan.left, 32] : [0, height - DEEP]);
  const room = () => (beside ? height : height - DEEP - 8) - TOP - 18;
  const pitch = () => Math.min(room() / lines().length, 44), down = (n) => TOP + n * pitch();
  const tall = () => Math.min((room() - 16) / (view.table.rows.length + 1), ROW);

  function drawLines({ i, group = "" }) {
    const high = Math.min(pitch() - 17, CELL + 8);
    const noted = (note) => (beside ? note : note.replace(/, length .*/, ""));
    // A vector of several heads is cut into theirs.
    const cut = (vector, many, y) => Array.from({ length: many - 1 }, (_, h) => line((main * (h + 1)) / many, y - 2, (main * (h + 1)) / many, y + high + 2, "cut"));
    return [lines().map(({ said, vector, note, most = view.most, group: own = "", cuts, lit = "" }, n) => part(["lines", lit],
      text(0, down(n) + 12, short(said, beside ? 60 : 50 - noted(note).length), n === lines().length - 1 ? "strong" : ""), text(main, down(n) + 12, noted(note), "end share"),
      own === "unit" ? bars(vector, [0, main], down(n) + 15, high, "two", Live.mapStrip.greatest([vector])) : strip(vector, [0, main], down(n) + 15, high, most), cuts ? cut(vector, cuts, down(n) + 15) : null, i !== undefined && own === group ? around([0, main], vector, i, down(n) + 15, high) : null,
    )), scale(0, TOP + lines().length * pitch() + 2, view.most)];
  }
  // A row for each token; the one at work is marked.
  function drawTable({ chosen: id }) {
    const { heads, rows, keys, last, full: most } = view.table, [from, to] = plan.bar, x = [...plan.columns.slice(0, heads.length - 1), main];
    const line = (cells, y, kind = "") => cells.map((cell, n) => text(x[n], y, n ? cell : short(cell, plan.letters), `end ${n ? kind : `mono ${kind}`}`));
    const foot = TOP + 10 + tall() * (rows.length + 1);
    return [heads.map((head, n) => text(x[n], TOP + 10, beside ? head : head.replace(/\(.*/, ""), "end share")), rows.map(({ cells, share, before }, n) => {
      const y = TOP + 16 + tall() * n, high = tall() - 4;
      return [keys[n] === id ? box(0, y - 1, main, tall() - 1, "map-block") : null, line(cells, y + high - 2, keys[n] === id ? "strong" : ""),
        before === undefined ? [box(from, y, to - from, high, "track"), box(from, y, filled(to - from, share, most), high, "cell one")]
          : overlaid(from, y, high, filled(to - from, before, most), filled(to - from, share, most), "cell one")];
    }), text(0, foot, last[0], "share"), line(["", ...last.slice(1)], foot, "share"), most < 1 ? text(beside ? to : to + 8, TOP + 10, `${beside ? "full bar: " : "to "}${chance(most)}`, "end share strong") : null];
  }
  function drawCard({ title, heads, rows, bars: products, chosen: id, keys = [], letters: long_ = 13 }) {
    const first = products ? 78 : heads ? 52 : 44, y = (n) => first + ROW * n, [from, to] = [Math.max(...rows.map(([label]) => Math.min(label.length, long_))) * (long_ > 13 ? 7.3 : 8) + 20, card - (rows.some(([, one]) => one) ? 138 : 70)];
    return svg("g", { transform: `translate(${corner()})` }, [
      box(0, 0, card, DEEP, "map-block", { rx: 4 }), text(12, 17, title, "strong"),
      products ? bars(products, [12, card - 12], 23, 38, "two", Live.mapStrip.greatest(products)) : null,
      heads ? heads.map((head, n) => text([12, card - 70, card - 12][n], 34, head, n ? "end share" : "share")) : null,
      rows.map(([label, one, two, share], n) => {
        const strong = keys[n] === id && id !== undefined || (!keys.length && n === rows.length - 1) ? " strong" : "", long = (to - from) / 2, half = rows.some(([, , , value]) => value < 0);
        const size = Math.abs(share) * (half ? long : 2 * long), left = half ? from + long - (share < 0 ? size : 0) : from;
        return [text(12, y(n), short(label, share === undefined ? 30 : long_), keys.length ? `mono${strong}` : strong),
          share === undefined ? null : box(left, y(n) - 10, Math.max(size, 0.5), 12, `cell ${share < 0 ? "below" : "above"}`),
          text(card - 70, y(n), one, "end"), text(card - 12, y(n), two, `end${strong}`)];
      }),
    ]);
  }
  function show() {
    const numbers = view.card(at()), listed = numbers.keys ?? [], [left, top] = corner();
    picture.draw(`${view.title}: ${view.alt}. ${numbers.exact ?? numbers.said}`, height, text(0, 14, beside ? view.title : view.title.replace("-attention", ""), "name"), view.table ? drawTable(numbers) : drawLines(numbers), part(["card"], drawCard(numbers)));
    // As many places as before, so that the one with the focus keeps it.
    const spot = (key, n) => (view.table ? [0, TOP + 15 + tall() * n, main, tall()] : [left, top + 39 + ROW * (listed.includes(key) ? listed.indexOf(key) : n), card, ROW]);
    picture.element.classList.toggle("is-off", Boolean(view.off));
    places.draw([...lines().map(({ said, note }, n) => ({ key: `line ${n}`, said: `${said}: ${note}`, x: 0, y: down(n), width: main, height: pitch() })),
      ...view.keys.map(({ key, said }, n) => { const [x, y, width, high] = spot(key, n); return { key: String(key), said, x, y, width, height: high }; })]);
    if (picture.element.getClientRects().length) say(numbers.said);
  }
  function point(to) {
    if (["key", "group", "i", "n"].every((name) => to?.[name] === pointed?.[name])) return;
    pointed = to;
    show();
  }
  function hit(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.element.getScreenCTM().inverse()), [left, top] = corner();
    if (x >= left && y >= top) {
      const key = view.table ? undefined : view.card(at()).keys?.[Math.floor((y - top - 39) / ROW)];
      return key === undefined ? null : { key };
    }
    if (x < 0 || x >= main) return null;
    if (view.table) { const key = view.table.keys[Math.floor((y - TOP - 15) / tall())]; return key === undefined ? null : { key }; }
    const n = Math.floor((y - TOP) / pitch()), one = lines()[n];
    return one ? { n, group: one.group ?? "", i: Math.floor(x / step([0, main], one.vector)) } : null;
  }
  picture.element.addEventListener("pointermove", (event) => { if (view) point(hit(event)); });
  picture.element.addEventListener("pointerleave", () => { if (view) point(null); });
  picture.element.addEventListener("click", (event) => {
    const there = view && hit(event);
    if (there?.key === undefined) return;
    chosen = view.folds && there.key === chosen ? undefined : there.key;
    show();
  });
  return {
    element: picture.element,
    // `key` is that of what is pointed at in the map.
    draw(next, high, key) {
      if (view?.title !== next.title || !next.keys.some(({ key }) => key === chosen)) chosen = pointed = undefined;
      if (next.keys.some((one) => one.key === key)) [chosen, pointed] = [key, undefined];
      [view, height] = [next, high];
      show();
    },
  };
};
