// One picture of a whole model: a decoder, an encoder or a translator, from the tokens to the probabilities. It shows
// what flows where, and each of its stages opens the tensors that are computed there.
"use strict";

Live.figure("map", (ui, { texts, reads, knows, examples, striking, gap, languages, into, most, pieces, longest, bars, head: first, tours, lap, step: quick, pace, run: many }) => {
  const { html, number, largest, softmax, factor } = Live, { chance } = Live.mapStrip, { fold, reveal, fits, whole, uncover, bringUp, lender, listen, readOut, stays } = Live.mapFrame, calm = Live.calm();
  let name = "decoder", focus = null, head = first, place = 0, band = 0, causal = true, positions = true, off = "", found = null, rest = "", ready = false, power = 0, sums = false, random = Live.random(1), home = null;
  const { later: loaded, ...families } = Live.mapModels({ gap, into, most, pieces, longest, run: many }, () => head);
  const family = () => families[name], kindOf = (one) => one.split(" ").at(-1), kind = () => kindOf(name), named = (one) => one[0].toUpperCase() + one.slice(1), title = () => named(kind());

  // ---- the parts of the frame ------------------------------------------------------------------
  // Three architectures, and of each two models, which have read something else.
  const lasts = Object.fromEntries(Object.entries(reads).map(([key, all]) => [key, Object.keys(all)[0]]));
  const tabs = ui.tabs({ label: "Model", options: Object.keys(reads).map((key) => [key, named(key)]), value: kind(), change: (to) => show(lasts[to]) });
  const has = html("div", { class: "map-has" });
  const input = ui.sentence({ label: "Your text", value: texts.decoder, change(text) {
    if (!ready) return "";
    texts[name] = text;
    return read(text);
  } });
  const note = ui.above.lastChild, language = html("div", { class: "live-buttons" });
  const [press] = ui.row(ui.above, ["", forward]), [guide] = ui.row(ui.above, ["Show me around", () => lead(0)]), invite = ui.examples(input), world = html("span", { class: "map-world" });
  guide.classList.add("map-guide");
  const tries = html("div", { class: "map-tries" }, guide.parentElement, html("div", { class: "map-invites" }, world, ui.above.lastChild));
  ui.above.append(language, tries);
  const links = html("div", { class: "live-buttons map-links" });
  Live.mapLink.button(links, linkTo);
  Live.mapLecture(ui.figure, links);
  // What is not needed at first is folded, until a button is pressed or a tour ends: what draws from the bars, what changes
  // them, and what the model has read. On a telephone the parts to switch off are folded once more.
  const draws = html("div", { class: "map-draws" }), [dice, runs] = ui.row(draws, ["Draw one", () => next(drawn())], ["Let it run", () => (motion.moving() && !motion.passing() ? halt() : start())]);
  const heat = html("div"), parts = html("div", { class: "live-buttons" }), [switches, openSwitches] = fold("map-switches", "Switch parts off", parts);
  const row_ = dice.parentElement, [more, openMore, unfolds] = fold("map-more", "More", has, row_, heat, switches, links), small = matchMedia("(max-width: 47.99rem)");
  // The film that runs at first has a button of its own to stop it.
  const film = html("button", { type: "button", hidden: true, onclick: () => halt() }, "Stop the film");
  guide.after(unfolds, film);
  const unfold = () => { openSwitches(!small.matches); (small.matches ? press.parentElement : row_).append(dice, runs); };
  small.addEventListener("change", unfold);
  unfold();
  const own = html("div", { class: "live-controls" }), chooseHead = html("div", { class: "map-head" });
  const shownText = html("span", { class: "map-written" }), guess = html("span", { class: "map-guess" }), is = html("p", { class: "live-is" }), tells = html("p", { class: "live-note map-tells", "aria-hidden": "true" });
  const story = html("p", { class: "live-story" }, shownText, guess), saying = html("div", { class: "map-said" }, story, note), chips = html("div", { class: "live-buttons map-off" });
  // The guided tour: what is said of one stage after another.
  const card = Live.mapCard(ui, { step: (by) => lead(tourAt + by), leave: () => lead(Infinity), answer }), { element: around, lent: borrowed } = card;
  runs.dataset.room = "Let it run"; // as wide with either word
  let tourAt = -1, own_ = "", asked_ = null;
  // The map; beside it, or below if there is less room, a panel with what is computed at one of its stages.
  const forms = ["wide", "tall"], lit = { map: Live.mapLit(), stage: Live.mapLit() }, maps = forms.map((form) => Live.mapPicture(ui, form, { reach: (there) => (there ? over(there) : keep()), choose, lit: lit.map }));
  const figures_ = html("p", { class: "live-note map-number", role: "status" }), say = (said) => { figures_.replaceChildren(...Live.mapStrip.indexed(said)); };
  const inNumbers = forms.map((form) => Live.mapRow(ui, form, say, lit.stage)), inViews = forms.map((form) => Live.mapStage(ui, form, say, lit.stage));
  const picture = ui.picture(), elements = (all) => all.map(({ element }) => element);
  picture.element.classList.add("map-tensor");
  const cell = html("p", { class: "live-note map-cell" }), legend = html("p", { class: "map-key" });
  const rowBox = html("div", { class: "map-rows" }, chooseHead, elements([...inNumbers, ...inViews]), figures_);
  const bench = html("details", { class: "map-bench" }, html("summary", {}, "All tensors, one by one"), html("div", { class: "map-open" }, own, html("div", {}, picture.element, cell))), leak = html("div", { class: "map-leak", hidden: true });
  draws.append(more);
  ui.panel(around);
  ui.panel(html("div", { class: "map-screen" },
    html("div", { class: "map-top" }, saying, chips, draws), html("div", { class: "map-view" }, elements(maps), leak), tells, rowBox, legend, bench));
  let cellAt = null, unfolded = "", slider = null, stage = null, which = null, whichHead = null, heads = null, joins = null, switched = [];

  // The row of a band that is shown: the chosen one, else the one that is scored, or the last word that is read.
  const rowIn = (b) => (focus[0] === b ? focus[1] : found.bands[b].scored ?? found.bands[b].names.length - 2);
  const told = (there, row = focus) => Live.mapWords.told(found, { focus: row[0] === there.band ? row : [there.band, rowIn(there.band)], head, causal: family().causal }, there);

  // ---- reading and drawing ---------------------------------------------------------------------
  const steps = () => found.steps[band], trained = () => ({ causal: family().causal, places: true });
  const altered = () => off || !positions || causal !== family().causal;
  const shares = ({ logits }, temperature = factor(power)) => softmax(logits.map((one) => one / temperature));
  // Probabilities; of an altered model also those that it was trained to give, and at a temperature those at T = 1.
  function compute() {
    found = { ...family(), bars, places: positions, ...family().read({ causal, places: positions, gone: new Set(off ? [off] : []) }), steps: family().steps() };
    const whole = altered() ? [shares(family().read(trained())), family().causal ? "with everything on" : "as trained"] : power ? [shares(found, 1), "at T = 1"] : [null, ""];
    Object.assign(found, { shares: shares(found), before: whole[0], whole: whole[1] });
    // What would be written if the model ended with this vector, and its probability.
    found.lens = family().lens && ((vector) => {
      const all = shares({ logits: family().lens(vector) }), id = largest(all);
      return { said: family().token(id), share: all[id] };
    });
    band = Math.min(band, found.bands.length - 1);
    const scored = found.bands.findIndex((one) => one.scored !== undefined);
    if (!focus || focus[1] >= found.bands[focus[0]]?.names.length) focus = [scored, found.bands[scored].scored];
  }
  function read(text) {
    const remark = family().cut(text);
    if (/^Type/.test(remark)) return remark;
    focus = null;
    saying.classList.remove("ran");
    renew();
    once();
    return remark;
  }
  // One tensor: the one that is open, or the one that the motion has come to.
  function tensor(b, at) {
    const step = found.steps[b][at], { bands: [one, two] } = found, names = two ? { S: one.names, T: two.names } : { T: one.names };
    const [formula, shape, value] = step.part, [rows, columns] = shape.split(" × ");
    const scored = Live.stages.name(step) === "Probabilities" ? { logits: found.logits, temperature: family().draws ? factor(power) : 0 } : null;
    const heated = scored?.temperature ? `softmax(logits / T), T = ${number(scored.temperature)}` : formula;
    const owner = two ? found.bands[b].column : title();
    const [, part] = found.bands[b].blocks[step.block]?.find(([kind]) => kind === step.stage) ?? [null, {}], gone = (step.ofHead || step.stage === "ffn") && Live.stages.off(part, head);
    cellAt = Live.opened(picture, `${owner}. ${step.ofHead ? `${step.said}, head ${head + 1}` : step.said}`, [`${heated}${gone ? " (off)" : ""}`, shape, scored ? found.shares : value(found.stacks[b])],
      { scored, role: step.role, rows: names[rows] ?? found.bands[b].names, columns: names[columns] ?? null, token: found.token, bars: 12, ids: step.said === "Ids", room: most_() });
  }
  function draw() {
    const best = largest(found.shares), openNow = follow(focus);
    tensor(band, place);
    leaks();
    shownText.replaceChildren(...family().story());
    guess.textContent = Live.mapWords.guess(found);
    // What was just written stays in view; a remark, which is set last, takes a line.
    queueMicrotask(() => Object.assign(story, { scrollTop: story.scrollHeight, scrollLeft: story.scrollWidth }));
    switchedOff();
    dice.hidden = !family().draws;
    press.textContent = family().ended?.(best) ? "Begin again" : family().press;
    press.dataset.room = family().press; // as wide with either
    press.title = family().presses ?? "";
    runs.title = family().draws ? `Draws ${many} tokens, as boldly as the temperature allows.` : "";
    ui.say(`${family().answer(best, found.shares[best])}${found.before ? ` The same model ${found.whole}: “${found.token(largest(found.before))}”, ${chance(Math.max(...found.before))}.` : ""}`);
    tells.textContent = rest = told(openNow);
  }
  // What is switched off, by name, until it is pressed.
  function switchedOff() {
    const [mask, places, part] = switched, all = [[causal !== family().causal, `causal mask is ${causal ? "on" : "off"}`, () => { mask.checked = causal = family().causal; }],
      [!positions, "positions are off", () => { places.checked = positions = true; }], [off, `${family().off.find(([key]) => key === off)?.[1]} is off`, () => { part.value = off = ""; }]];
    chips.replaceChildren(...all.filter(([one]) => one).map(([, said, undo]) => html("button", { type: "button", title: "Press to undo", onclick() {
      undo();
      renew();
      (chips.firstChild ?? press).focus({ preventScroll: true });
    } }, `${said} ×`)));
  }
  // Without the mask or the positions: what each row guesses, and what it guesses with both.
  function leaks() {
    leak.hidden = !family().rows || (causal && positions);
    if (leak.hidden) return;
    const rows = [[causal, positions], [true, true]].map(([masked, places]) => family().rows({ causal: masked, places, gone: new Set(off ? [off] : []) }));
    leak.replaceChildren(...Live.mapWords.leaks(found, factor(power), rows, { causal, open: leak.querySelector("details")?.open, striking: [striking[name]?.[Number(causal)]].find((one) => one !== input.value), take }));
  }
  function take(text) { input.value = text; input.dispatchEvent(new Event("input")); }
  // The curves, the frame and the numbers of one row and stage: the chosen ones, or those that the mouse is on.
  function follow(row, pointed = null) {
    const all = Live.mapWords.all(found, { title: title(), focus, head }), opened = pointed ? { band: pointed.band, kind: pointed.column.kind, block: pointed.column.block } : { band, ...Live.stages.of(steps()[place], place) };
    [home] = maps.map((map) => map.draw(found, { focus: row, head, opened, places: positions }, all));
    figures({ ...home, token: pointed?.token }, row);
    showToken(row);
    return home;
  }
  // The panel: an attention's numbers, or another stage's view.
  function figures({ band: b, column, token }, row) {
    const own_ = found.bands[b], t = row[0] === b ? row[1] : rowIn(b), room = most_(), stage_ = stageKey(b, column), attends = Boolean(column.each);
    if (unfolded && stage_ !== unfolded && !calm) uncover(rowBox, elements([...inNumbers, ...inViews]));
    unfolded = stage_;
    rowBox.classList.toggle("of-attention", attends);
    const numbers_ = attends && !sums; // or what all heads add
    for (const [all, shown] of [[inNumbers, numbers_], [inViews, !numbers_]]) for (const { element } of all) element.toggleAttribute("hidden", !shown);
    const { kind, block: n } = column, temperature = family().draws ? factor(power) : 1;
    if (attends) heads?.draw(column.each, head, kind === "cross" ? "k" : "q");
    if (numbers_) for (const one of inNumbers) one.draw(`Block ${n + 1}${found.bands[1] ? `, ${Live.stages.KINDS[kind]}` : ""}, head ${head + 1}`, column.each[head], t, own_.names[t], (kind === "cross" ? found.bands[0] : own_).names, room, own_.norms);
    else { const view = Live.mapViews[attends ? "joined" : kind](found, { band: b, column, t, temperature }); inViews.forEach((one, i) => one.draw(view, inNumbers[i].height(room), token)); }
  }
  // As many rows as the longest of its texts has.
  const most_ = () => Math.max(...found.bands.map(({ names }) => names.length));
  function renew() { compute(); place = Math.min(place, steps().length - 1); controls(); draw(); }

  // ---- pointing and choosing, with the mouse, a finger or the keyboard ------------------------------
  // All that is shown of a stage follows what is pointed at; below the map it stays, so that one can go there. Elsewhere
  // what was chosen returns.
  let on = "", pointed = null;
  function over(there) {
    if (motion.moving() || tourAt >= 0) return; // a tour shows what it speaks of
    const { band: b, column, row, token: id } = there ?? {}, key = there ? [b, column?.kind, column?.block, row, id].join() : "";
    if (key === on) return;
    [on, pointed] = [key, there];
    if (!there) { settle(); return; }
    const at = [b, row ?? rowIn(b)], shown = follow(at, column ? there : null);
    tells.textContent = `${told(column ? there : shown, at)}${!column && kind() === "encoder" ? ` Press to hide “${family().word(row)}”.` : ""}`;
    if (column) visit(there);
    else aim(band, place);
  }
  // What is shown is chosen: it is pressed, or the panel is used.
  function keep() {
    const { column, row, band: b } = pointed ?? {};
    [on, pointed] = ["", null];
    if (column) choose({ band: b, column, row });
  }
  function settle() { follow(focus); tells.textContent = rest; aim(band, place); }
  const visit = ({ band: b, column }) => aim(b, stages(b).find(({ key }) => key === stageKey(b, column)).at);
  const stageKey = (b, { kind, block: n }) => `${b}.${kind}.${n ?? ""}`;
  function choose(there) {
    if (there?.token !== undefined) next(there.token);
    else if (there?.column) {
      if (there.row !== undefined) focus = [there.band, there.row];
      open(stageKey(there.band, there.column));
    } else if (there) chosen(there.band, there.row);
  }

  // ---- motion: at first by itself, then with each change; none for those who asked for less ------------
  const motion = Live.mapMotion({ figure: ui.figure, maps, button: runs, film, lap,
    // One sentence at each stage: there is time to read it. The panel stays as it is.
    pass(front) { tells.textContent = Live.stages.DOES[front.column.kind]; },
    over(passed) { if (home && passed) settle(); } }), { way, halt } = motion;
  const once = () => { if (!calm && ready) { halt(); way(quick, halt); } };
  // The token that comes next is written, the likeliest unless another is chosen; whether more can come. The line of text
  // always holds what the model reads.
  function add(id = largest(found.shares)) {
    const goes = family().hide ? [] : maps.map((map) => map.takes(id, found.token(id))), more_ = family().next(id);
    focus = null;
    renew();
    for (const go of goes) go();
    if (family().text) input.value = family().text();
    input.scrollLeft = input.scrollWidth;
    if (family().remark) note.textContent = family().remark();
    return more_;
  }
  // A token at random, each with its probability: the same draws for every reader.
  function drawn() {
    let left = random();
    const id = found.shares.findIndex((share) => (left -= share) < 0);
    return id < 0 ? largest(found.shares) : id;
  }
  function next(id) { add(id); once(); }
  // After the last word, the text begins anew.
  function forward() {
    halt();
    if (!family().ended?.(largest(found.shares))) { next(); return; }
    again();
    once();
  }
  function again() { family().again(); focus = null; renew(); }
  function start() {
    halt();
    saying.classList.toggle("ran", Boolean(family().draws)); // with room for all that is written
    if (family().again) again();
    const one = () => add(family().draws ? drawn() : undefined);
    if (calm) { while (one()); return; }
    motion.begin();
    // At one pace, however long a token takes to compute.
    const on = () => { const since = performance.now(), goes = one(); way(Math.max(pace - performance.now() + since, 100), goes ? on : halt); };
    way(pace, on);
  }

  // ---- controls --------------------------------------------------------------------------------
  const stages = (to) => Live.stages.list(found.steps[to]).map(({ key, said: named, place: at }) =>
    ({ key: `${to}.${key}`, said: found.bands[1] ? `${found.bands[to].column.toLowerCase()}, ${named}` : named, at }));
  function open(key) {
    halt();
    band = Number(key[0]);
    focus = [band, rowIn(band)];
    place = stages(band).find((one) => one.key === key)?.at ?? place;
    controls();
    draw();
  }
  function point(b, at) {
    const all = found.steps[b];
    slider.set(at + 1, all.length);
    is.textContent = Live.stages.is(all[at]);
    stage.value = `${b}.${Live.stages.key(all[at], at)}`;
  }
  const aim = (b, at) => { point(b, at); tensor(b, at); };
  // The sliders' ends and the open stage; the rest is built anew for another model only.
  function controls() { if (slider) { point(band, place); showToken(focus); } }
  // The row that is shown; of an encoder the hidden word, whatever is pointed at.
  function showToken(row) {
    const [b, t] = kind() === "encoder" ? [0, found.bands[0].scored] : row;
    which?.set(found.bands.slice(0, b).reduce((sum, one) => sum + one.names.length, 0) + t + 1, found.bands.flatMap(({ names }) => names).length);
  }
  function chosen(b, t) {
    if (kind() === "encoder") {
      family().hide(t);
      focus = null;
      renew();
      note.textContent = family().remark();
      once();
      return;
    }
    focus = [b, t];
    controls();
    draw();
  }
  function build() {
    for (const one of [own, chooseHead, heat, parts, language]) one.replaceChildren();
    which = null;
    legend.replaceChildren(...maps[0].legend());
    const names = () => found.bands.flatMap((one) => one.names);
    which = ui.slider({ label: kind() === "encoder" ? "Hidden word" : "Token", min: 1, max: 1, value: 1, to: kind() === "encoder" ? heat : own, named: true,
      show: (n) => (kind() === "encoder" ? family().word(n - 1) : names()[n - 1]) ?? "",
      change: (n) => { const b = found.bands[0].names.length >= n ? 0 : 1; chosen(b, n - 1 - (b ? found.bands[0].names.length : 0)); } });
    whichHead = ui.choice({ label: "Head", options: Array.from({ length: family().heads }, (_, i) => [i, `${i + 1} of ${family().heads}`]), value: head, to: chooseHead, change: (to) => { head = Number(to); draw(); } });
    joins = Live.mapHeads.join(chooseHead, sums, (to) => { sums = to; draw(); });
    heads = family().heads > 1 ? Live.mapHeads(chooseHead, family().heads, (to) => { whichHead.value = head = to; draw(); }) : null;
    if (family().draws) ui.slider({ label: "Temperature", min: -0.7, max: 0.7, step: 0.05, value: power, to: heat, show: (x) => number(factor(x)), change: (x) => { power = x; halt(); compute(); draw(); } });
    if (family().language) ui.choice({ label: "Into", options: languages, value: family().language, to: language, change: (to) => { family().language = to; take(input.value); } });
    stage = ui.choice({ label: "Open", options: found.bands.flatMap((_, b) => stages(b).map(({ key, said: one }) => [key, one])), value: "", to: own, change: open });
    slider = ui.slider({ label: "Tensor", min: 1, max: steps().length, value: place + 1, to: own, named: true, show: (n) => Live.stages.name(steps()[n - 1]), change: (n) => { halt(); place = n - 1; controls(); draw(); } });
    own.append(is);
    switched = [ui.check({ label: "Causal mask", value: causal, to: parts, change: (on) => { causal = on; renew(); } }),
      ui.check({ label: "Positions", value: positions, to: parts, change: (on) => { positions = on; renew(); } }),
      ui.choice({ label: "Switch off", value: off, options: [["", "nothing"], ...family().off], to: parts, change: takeOut })];
    controls();
  }
  // What is switched off is opened, so that it is seen; a tour shows what it speaks of.
  function takeOut(to) {
    const [, , key, n = head] = family().off.find(([one]) => one === (off = to)) ?? [];
    renew();
    if (key && tourAt < 0) { whichHead.value = head = n; open(key); }
  }
  // During a tour only the controls stay that its stop uses; they stand in its card, which is always in view.
  const lend = lender(borrowed);
  function uses(kept) {
    const of = new Map([[input.parentElement, "text"], [note, "text"], [tries, "start"], [press.parentElement, "write"], [row_, "write"], [heat, kind() === "encoder" ? "hide" : "heat"], [chooseHead, "head"], [switches, "off"]]);
    for (const one of of.keys()) lend(one, kept?.includes(of.get(one)));
    for (const one of new Set([...of.keys(), language, more, tells])) one.hidden = kept && !kept.includes(of.get(one));
  }
  // One stop of a model's tour: its stage is opened, and a sentence or two say what happens there.
  function lead(to, hold = true) {
    halt();
    const tour = tours[name] ?? tours[kind()];
    if (tourAt < 0) { own_ = off; card.begin(); } // what the visitor has switched off
    if (to === tour.length && !small.matches) openMore(true); // who has seen it all may use it all
    tourAt = to < tour.length ? to : -1;
    [around.hidden, guide.hidden] = [tourAt < 0, tourAt >= 0];
    for (const part of ["map", "stage"]) lit[part].set(tour[tourAt]?.[part]);
    // As long as a question is open, its answer is not shown.
    const { asks: wants } = tour[tourAt] ?? {}, open_ = Boolean(wants) && card.told(tourAt) === undefined;
    const gone = (open_ ? null : tour[tourAt]?.off) ?? own_;
    if (gone !== off || !to) { [off, focus] = [gone, to ? focus : null]; switched[2].value = off; renew(); }
    asked_ = null;
    if (tourAt < 0) { veil(); uses(null); joins(sums = false); draw(); if (hold) guide.focus(); return; }
    const { open: key, said: sentences, head: shown = head, words: least = 0, see = "map", sums: all = false } = tour[tourAt];
    whichHead.value = head = open_ ? wants.head ?? shown : shown;
    joins(sums = all);
    while (family().count?.() < least && !family().ended(largest(found.shares))) add();
    const facts = Live.mapWords.facts(found, head, shownText.textContent), filled = (one, more_ = {}) => one.replace(/\{(\w+)\}/g, (_, fact) => more_[fact] ?? facts[fact]);
    if (open_) {
      const made = Live.mapAsks(wants.kind, found, { head, asked: shown, off: tour[tourAt].off, ask: (change, without) => shares((family().ask ?? ((_, parts_) => family().read(parts_)))(change, { causal, places: positions, gone: new Set(off ? [off] : []), ...without })) });
      asked_ = { ...made, question: filled(wants.question, made), tells: () => filled(wants.tells, { ...made, score: card.score() }) };
      // With one token there is nothing to choose from.
      if (made.choices.length < 2) { answer(null); return; }
    }
    veil(asked_ ? wants.hides : []);
    uses(asked_ ? [] : tour[tourAt].uses ?? []);
    openSwitches(!small.matches || Boolean(!asked_ && tour[tourAt].uses?.includes("off")));
    open(filled(key));
    card.show(tourAt, tour.length, card.told(tourAt) ?? filled(sentences), asked_);
    // What is switched off changes the written line and the bars; a telephone has room for the bars, or for what is opened.
    const map = maps.find((one) => one.visible()) ?? maps[0], off_ = tour[tourAt].uses?.includes("off");
    if (see === "numbers") reveal(around, !small.matches && fits(around, story, rowBox) ? story : map.element, rowBox, !small.matches);
    else if (small.matches) reveal(around, off_ || map.scored() ? map.bars() : map.element);
    else reveal(around, story, rowBox, true);
    whole(around, story);
  }
  // What a question asks for is not drawn before it is answered.
  function veil(parts_ = []) { ui.figure.dataset.veil = parts_.join(" "); }
  // A choice is pressed, or the answer is shown without one; then the stop is shown as it is.
  function answer(chosen) {
    const { asks: wants } = (tours[name] ?? tours[kind()])[tourAt];
    card.keep(tourAt, chosen, asked_, asked_.tells);
    if (wants.writes) add();
    lead(tourAt);
  }
  let asked = name, asks = Live.mapLink.read(location.search);
  // What the models of an architecture have read; the list that has been used keeps the focus.
  let list = null;
  function lists(to) {
    if (!list || has.dataset.of !== kindOf(to)) {
      has.replaceChildren();
      list = ui.choice({ label: "It has read", options: Object.entries(reads[has.dataset.of = kindOf(to)]), value: to, to: has, change: show });
    }
    list.value = to;
  }
  function show(to) {
    asked = to;
    halt();
    lists(to);
    if (families[to]) {
      if (tourAt >= 0) lead(Infinity, false);
      name = to;
      change();
      return;
    }
    note.replaceChildren("The model is being loaded … ", html("progress", { "aria-label": "Loading the model" }));
    const [stored, made] = loaded[to];
    Promise.all(stored.map(ui.later)).then(() => {
      if (asked !== to) return;
      families[to] ??= made();
      show(to);
    }, () => { note.textContent = "The model could not be loaded."; });
  }
  // Another model: everything on, its own text, an attention open: in a translator where the decoder reads the encoder.
  function change(waits = false) {
    const given = asks?.model === name ? asks : null;
    if (!waits) asks = null;
    saying.classList.remove("ran");
    [focus, home, head, band, place, causal, positions, off, slider, power, sums] = [null, null, first, 0, 0, family().causal, true, "", null, 0, false];
    if (given?.text && !/^Type/.test(family().cut(given.text))) texts[name] = given.text;
    input.value = texts[name];
    invite(examples[name]);
    [lasts[kind()], world.textContent] = [name, knows[name]];
    note.textContent = family().cut(texts[name]);
    if (given) restore(given);
    if (given && (altered() || power)) openMore(true);
    compute();
    const first_ = found.bands[1] ? `1.cross.${found.bands[1].blocks.length - 1}` : "0.self.0", has = (to) => found.bands.some((_, b) => stages(b).some(({ key }) => key === to));
    const opens = has(given?.open) ? given.open : first_;
    [band, place] = [Number(opens[0]), stages(opens[0]).find(({ key }) => key === opens).at];
    home = maps.map((map) => map.draw(found, { focus, head, opened: { band, ...Live.stages.of(steps()[place], place) }, places: positions }, ""))[0];
    build();
    open(opens);
    if (found.bands[given?.row?.[0]]?.names[given.row[1]] !== undefined) { focus = given.row; controls(); draw(); }
    once();
  }
  // What is shown, for a link, and what a link asks for before anything is computed: what this model does not have is ignored.
  function linkTo() {
    const of = family(), encoder = kind() === "encoder";
    return { model: name, text: input.value, into: of.language, written: of.count && found.stacks[1].row.slice(1).join("-"), hidden: encoder && found.bands[0].scored,
      open: `${band}.${Live.stages.key(steps()[place], place)}`, row: focus.join("."), head, temperature: of.draws && power && factor(power), mask: causal !== of.causal && (causal ? "on" : "off"), positions: positions ? "" : "off", off };
  }
  function restore(given) {
    const remark = Live.mapLink.ask(family(), given, languages);
    if (remark) note.textContent = remark;
    ({ head = head, causal = causal, off, positions, power } = Live.mapLink.set(family(), given));
  }

  lists(name);
  const linked = asks.model !== null && Object.hasOwn(texts, asks.model);
  change(linked && asks.model !== name);
  ready = true;
  for (const map of maps) listen(map, { over, choose, shows: () => pointed?.column, tapped: (there) => { if (there?.column && there.token === undefined && tourAt < 0) bringUp(rowBox); } });
  stays(rowBox, { over, keep });
  readOut(picture.element, cell, (x, y) => cellAt(x, y));
  input.maxLength = 2000;
  input.addEventListener("focus", () => input.select());
  ui.figure.addEventListener("keydown", (event) => { if (event.key === "Escape" && tourAt >= 0) lead(Infinity); });
  if (linked && asks) { lasts[kindOf(asks.model)] = asks.model; tabs[Object.keys(reads).indexOf(kindOf(asks.model))].click(); }
  // The page's own button to its top would lie upon what is looked at.
  new IntersectionObserver(([{ isIntersecting }]) => document.documentElement.classList.toggle("on-the-map", isIntersecting)).observe(ui.figure);
  if (calm) return;
  for (const kind of ["pointerdown", "keydown", "focusin"]) ui.figure.addEventListener(kind, ({ target }) => { if (motion.waits() && target !== runs) halt(); }, true);
  motion.watch();
  if (linked) return;
  motion.begin(true);
  way(lap, halt);
});
