// One picture of a whole model: a decoder, an encoder or a translator, from the tokens to the probabilities. It shows
// what flows where, and each of its stages opens the tensors that are computed there.
"use strict";

Live.figure("map", (ui, { texts, examples, gap, languages, into, most, longest, bars, head: first, tours, lap, step: quick, run: many }) => {
  const { html, number, largest, softmax } = Live, calm = Live.calm();
  const gaps = Live.data.gaps, bert = Live.reader(gaps), BLANK = "___";
  const list = (of) => new Intl.ListFormat("en-GB").format([...new Set(of)]);

  let typed = [], written = [], words = [], hidden = gap, wanted = gap, source = [], said = [], language = into;
  let name = "decoder", focus = null, head = first, place = 0, band = 0, causal = true, positions = true, off = "", found = null, rest = "", ready = false, stale = false, power = 0, random = Live.random(1), home = null;
  const block = ({ each, added, between, made, after }) => [["self", { each, added, after: between }], ["ffn", { added: made, after }]];
  const both = ({ self, cross, made, after }) => [["self", self], ...(cross ? [["cross", cross]] : []), ["ffn", { added: made, after }]];
  const ffns = (stack, prefix, layers) => Array.from({ length: layers }, (_, b) => [`${prefix}${b}.ffn`, `${stack}block ${b + 1}, feed-forward`]);
  const heads = (prefix, of_, layers, of) => Array.from({ length: layers * of }, (_, i) =>
    [`${prefix}${Math.floor(i / of)}${prefix ? of_[0] : ""}.${i % of}`, `${prefix ? `${of_[1]}, ` : ""}block ${Math.floor(i / of) + 1}, head ${(i % of) + 1}`]);

  // What each kind of model makes of a text, what it computes, and what comes next.
  function decoder(stored, { merges }) {
    const gpt = Live.gpt(stored), tokenizer = Live.tokenizer(merges), token = (id) => tokenizer.shown(tokenizer.tokens[id]);
    const inLine = (ids) => tokenizer.decode(ids).replaceAll("\n", " ⏎ ");
    return {
      heads: gpt.heads, causal: true, asks: "Next token", press: "Write the next token", presses: "Writes the likeliest token.", draws: true, token,
      off: [...heads("", [], gpt.layers, gpt.heads), ...ffns("", "", gpt.layers)], steps: () => [Live.openedDecoder(gpt.layers, () => head)],
      cut(text) {
        const ids = tokenizer.prompt(text.replace(/ *⏎ */g, "\n"));
        if (!ids.length) return "Type at least one character.";
        [typed, written] = [ids, []];
        return this.remark();
      },
      read(options) {
        const ids = [...typed, ...written].slice(-most), all = { ids, ...gpt.read(ids, options) };
        return { stacks: [all], logits: all.logits, bands: [{ column: "tokens", head: "final norm", names: ids.map(token), start: all.start, blocks: all.blocks.map(block), norms: "before", scored: ids.length - 1 }] };
      },
      // Each row's guess of the token after it, and that token.
      rows(options) {
        const ids = [...typed, ...written].slice(-most), { blocks } = gpt.read(ids, options);
        return gpt.scores(blocks.at(-1).after).map((logits, t) => ({ shares: softmax(logits.map((one) => one / 10 ** power)), next: ids[t + 1] }));
      },
      next(id) { written.push(id); return written.length % many > 0; },
      remark: () => [typed.length + written.length > most ? `It reads the last ${most} tokens only.` : "", tokenizer.remark(typed)].filter(Boolean).join(" "),
      story: () => [inLine(typed), written.length ? html("strong", {}, inLine(written)) : ""],
      text: () => inLine([...typed, ...written]),
      answer: (best, share) => `The decoder's next token: “${token(best)}”, with probability ${number(share)}.`,
    };
  }
  const families = {
    decoder: decoder(Live.data.map, Live.data.map),
    encoder: {
      heads: bert.heads, causal: false, asks: "Hidden word", press: "Fill in and hide the next", token: (id) => gaps.words[id],
      off: [...heads("", [], 1, bert.heads), ...ffns("", "", 1)], steps: () => [Live.openedEncoder(1, () => head).filter(({ part }) => Array.isArray(part))],
      cut(text) {
        // A gap that is typed is the word that is hidden.
        const [before, ...after] = text.split(/_+|▢/u), cut = bert.split([before, ...after].join(" "), most);
        const place = bert.split(before, most).words.length;
        const all = after.length ? [...cut.words.slice(0, place), BLANK, ...cut.words.slice(place)].slice(0, most) : cut.words;
        if (after.length) wanted = Math.min(place, all.length - 1);
        if (all.length) [words, hidden] = [all, Math.min(wanted, all.length - 1)];
        this.more = after.length > 1 ? "One word is hidden at a time: the first ___ counts." : "";
        this.left = cut.left;
        return cut.words.length ? this.remark() : bert.remark(cut);
      },
      // The hidden word is not read, whatever it is.
      remark() {
        const read = words.filter((one, t) => t !== hidden && one !== BLANK), unknown = read.filter((one) => !gaps.words.includes(one));
        const said = read.length ? bert.remark({ words: read, left: this.left, unknown }).replaceAll("The model", "The encoder") : "";
        return [said, unknown.length ? "It was trained without them, so its confidence means little here." : "", this.more].filter(Boolean).join(" ");
      },
      read(options) {
        const row = words.map((one, t) => (t === hidden || one === BLANK ? "<mask>" : one)), all = bert.read(row, options), last = bert.head(all.states[hidden]);
        const logits = bert.scores(last), strange = new Set([...words.keys()].filter((t) => words[t] !== BLANK && !gaps.words.includes(words[t])));
        return { stacks: [{ ...all, ids: row.map(bert.id), last, logits }], logits,
          bands: [{ column: "words", head: "word head", names: words.map((one, t) => (t === hidden || one === BLANK ? "▢" : one)), strange, start: all.x, blocks: all.blocks.map(block), norms: "after", scored: hidden }] };
      },
      next(id) { words[hidden] = gaps.words[id]; wanted = hidden = (hidden + 1) % words.length; return hidden > 0; },
      text: () => words.join(" "),
      story: () => words.flatMap((one, t) => [t === hidden ? html("strong", {}, `[${one}]`) : one, " "]),
      answer: (best, share) => `The encoder's guess for the hidden word: “${gaps.words[best]}”, with probability ${number(share)}.${words[hidden] === BLANK ? "" : ` You hid “${words[hidden]}”.`}`,
    },
  };
  // What is heavy is loaded as somebody asks for it.
  const loaded = { "larger decoder": [["writer", "merges"], () => decoder(Live.data.writer, Live.data.merges)], translator: [["translator"], withTranslator] };
  function withTranslator() {
    const translator = Live.translator(Live.data.translator), word = (id) => ({ "<s>": "start", "</s>": "end" })[translator.words[id]] ?? translator.words[id];
    return {
      heads: translator.heads, causal: true, asks: "Next word", press: "Write the next word", token: word,
      spread: "label smoothing, lesson 11",
      off: [...heads("encoder.", [".attention", "encoder"], 2, translator.heads), ...heads("decoder.", [".attention", "decoder"], 2, translator.heads), ...heads("decoder.", [".cross", "cross"], 2, translator.heads), ...ffns("encoder, ", "encoder.", 2), ...ffns("decoder, ", "decoder.", 2)],
      steps: () => [0, 1].map((n) => Live.openedStacks(translator.layers, () => head).map(({ parts, ...step }) => ({ ...step, part: parts[n] })).filter(({ part }) => Array.isArray(part))),
      cut(text) {
        const cut = translator.split(text.slice(0, longest));
        if (!cut.words.length) return "Type at least one word.";
        [source, said] = [cut.words, []];
        const digits = /^[\d\s.,]+$/.test(text) || cut.unknown.some((one) => /^\d+$/.test(one)), strange = cut.unknown.filter((one) => !/^\d+$/.test(one));
        return [digits ? "Write a number in words: not 42, but forty-two, zweiundvierzig or quarante-deux." : "",
          strange.length ? `It has never seen ${list(strange)}: it knows numbers below a million and dates from 1970 to 2029, in German, English and French. With other words its confidence means nothing.` : ""].filter(Boolean).join(" ");
      },
      read(options) {
        const rows = [[...translator.ids([language, ...source]), translator.END], [translator.START, ...said]];
        const encoder = { ...translator.read(rows[0], options), row: rows[0] }, decoder = { ...translator.decode(rows[1], encoder.states, options), row: rows[1] };
        return { stacks: [encoder, decoder], logits: decoder.logits, bands: [encoder, decoder].map((stack, n) =>
          ({ column: n ? "Decoder" : "Encoder", names: rows[n].map(word), writes: n ? [...said.map(word), "?"] : null, start: stack.start, blocks: stack.blocks.map(both), norms: "after", scored: n ? rows[n].length - 1 : undefined })) };
      },
      next(id) {
        if (id === translator.END) return false;
        said.push(id);
        return said.length < 20;
      },
      ended: (best) => best === translator.END, again() { said = []; }, count: () => said.length,
      story: () => [`${source.join(" ")} → `, html("strong", {}, translator.text(said.map((id) => translator.words[id])) || "…")],
      answer: (best, share) => `The translator's next word: “${word(best)}”, with probability ${number(share)}.`,
    };
  }
  const family = () => families[name], title = () => ({ encoder: "Encoder", translator: "Translator" })[name] ?? "Decoder";

  // ---- the parts of the frame ------------------------------------------------------------------
  ui.tabs({ label: "Model", options: Object.keys(texts).map((key) => [key, key[0].toUpperCase() + key.slice(1)]), value: name, change: show });
  const [guide] = ui.row(ui.above, ["Show me around", () => lead(0)]);
  const input = ui.sentence({ label: "Your text", value: texts.decoder, change(text) {
    if (!ready) return "";
    texts[name] = text;
    return read(text);
  } });
  const note = ui.above.lastChild, invite = ui.examples(input), tries = note.nextSibling;
  const own = html("div", { class: "live-controls" });
  const [press, dice, runs] = ui.row(ui.above, ["", forward], ["Draw one", () => next(drawn())], ["Let it run", () => (moving ? halt() : start())]);
  const chooseHead = html("div", { class: "live-buttons map-set" });
  // Parts to switch off, folded until somebody asks for them.
  const parts = html("div", { class: "live-buttons" }), switches = html("details", { class: "map-switches" }, html("summary", {}, "Switch parts off"), parts);
  ui.above.append(chooseHead);
  const shownText = html("span", { class: "map-written" }), guess = html("span", { class: "map-guess" }), is = html("p", { class: "live-is" }), tells = html("p", { class: "live-note map-tells", "aria-hidden": "true" });
  // The guided tour: what is said of one stage after another.
  const guided = html("p", { role: "status" }), around = html("div", { class: "map-tour", hidden: true }, guided);
  const [back, onward, leave] = ui.row(around, ["Back", () => lead(tourAt - 1)], ["Next", () => lead(tourAt + 1)], ["End", () => lead(Infinity)]);
  let tourAt = -1;
  // The map; beside it, or below if there is less room, what is computed at one of its stages.
  const forms = ["wide", "tall"], maps = forms.map((form) => Live.mapPicture(ui, form, { reach: over, choose }));
  const figures_ = html("p", { class: "live-note map-number", role: "status" }), inNumbers = forms.map((form) => Live.mapRow(ui, form, (said) => { figures_.textContent = said; }));
  const picture = ui.picture(), elements = (all) => all.map(({ element }) => element);
  picture.element.classList.add("map-tensor");
  const cell = html("p", { class: "live-note map-cell" });
  const rowBox = html("div", { class: "map-rows" }, elements(inNumbers), figures_);
  const inside = html("div", { class: "map-inside" }, rowBox, html("div", { class: "map-bench" }, own, html("div", {}, picture.element, cell))), leak = html("div", { class: "map-leak", hidden: true });
  ui.panel(around);
  ui.panel(html("div", { class: "map-screen" },
    html("div", { class: "map-view" }, html("p", { class: "live-story" }, shownText, guess), elements(maps), tells, leak), inside));
  let cellAt = null, attention = null, slider = null, stage = null, which = null, whichHead = null;

  const told = (there) => Live.mapWords.told(found, { focus, head, causal: family().causal }, there);

  // ---- reading and drawing ---------------------------------------------------------------------
  const steps = () => found.steps[band], trained = () => ({ causal: family().causal, places: true });
  const altered = () => off || !positions || causal !== family().causal;
  // Probabilities; of an altered model also those that it was trained to give.
  function compute() {
    const { token: token_, asks, spread } = family(), shares = ({ logits }) => softmax(logits.map((one) => one / 10 ** power));
    found = { ...family().read({ causal, places: positions, gone: new Set(off ? [off] : []) }), steps: family().steps(), token: token_, asks, spread, bars };
    Object.assign(found, { shares: shares(found), before: altered() ? shares(family().read(trained())) : null, whole: family().causal ? "with everything on" : "as trained" });
    band = Math.min(band, found.bands.length - 1);
    const scored = found.bands.findIndex((one) => one.scored !== undefined);
    if (!focus || name === "encoder" || focus[1] >= found.bands[focus[0]]?.names.length) focus = [scored, found.bands[scored].scored];
  }
  function read(text) {
    const remark = family().cut(text);
    if (/^Type/.test(remark)) return remark;
    [focus, stale] = [null, false];
    renew();
    once();
    return remark;
  }
  // One tensor: the one that is open, or the one that the motion has come to.
  function tensor(b, at) {
    const step = found.steps[b][at], { bands: [one, two] } = found, names = two ? { S: one.names, T: two.names } : { T: one.names };
    const [formula, shape, value] = step.part, [rows, columns] = shape.split(" × ");
    const scored = Live.stages.name(step) === "Probabilities" ? { logits: found.logits, temperature: family().draws ? 10 ** power : 0 } : null;
    const heated = scored?.temperature ? `softmax(logits / T), T = ${number(scored.temperature)}` : formula;
    const owner = two ? found.bands[b].column : title();
    cellAt = Live.opened(picture, `${owner}. ${step.ofHead ? `${step.said}, head ${head + 1}` : step.said}`, [heated, shape, scored ? found.shares : value(found.stacks[b])],
      { scored, role: step.role, rows: names[rows] ?? found.bands[b].names, columns: names[columns] ?? null, token: found.token, bars: 12, ids: step.said === "Ids", room: most_() });
  }
  function draw() {
    const best = largest(found.shares), openNow = follow(focus);
    tensor(band, place);
    inside.classList.toggle("tensor-first", !openNow.column?.each);
    leaks();
    shownText.replaceChildren(...family().story());
    guess.textContent = Live.mapWords.guess(found);
    dice.hidden = !family().draws;
    press.textContent = family().ended?.(best) ? "Begin again" : family().press;
    press.title = family().presses ?? "";
    runs.title = family().draws ? `Draws ${many} tokens, as boldly as the temperature allows.` : "";
    ui.say(`${family().answer(best, found.shares[best])}${found.before ? ` The same model ${found.whole}: “${found.token(largest(found.before))}”, ${number(Math.max(...found.before))}.` : ""}`);
    tells.textContent = rest = told(openNow);
  }
  // A decoder without its mask: what each row guesses, beside the token that it can then see.
  function leaks() {
    leak.hidden = causal || !family().rows;
    if (leak.hidden) return;
    const [masked, open_] = [true, false].map((one) => family().rows({ causal: one, places: positions, gone: new Set(off ? [off] : []) }));
    const { token, bands: [{ names }] } = found, row = (cells, tag) => html("tr", {}, cells.map((one) => html(tag, {}, one)));
    const body = names.slice(0, -1).map((one, t) => {
      const best = largest(open_[t].shares), { next: id } = open_[t];
      return row([one, token(id), `${token(best)} ${number(open_[t].shares[best])}`, number(open_[t].shares[id], 3), number(masked[t].shares[id], 3)], "td");
    });
    leak.replaceChildren(
      html("p", { class: "live-note" }, "Why does the last token's guess hardly change? None comes after it: it learns more only through the rows above. Look at those: each can now see the token that it has to guess. In training that is a leak: a model would learn to copy it. This one learned with the mask, and so does not know how."),
      html("table", {}, html("thead", {}, row(["row", "true next token", "its guess, mask off", "true token, mask off", "mask on"], "th")), html("tbody", {}, body)));
  }
  // The curves and the numbers of one row: the chosen one, or the one that the mouse is on.
  function follow(row, pointed = null) {
    const all = Live.mapWords.all(found, { title: title(), focus, head }), opened = { band, ...Live.stages.of(steps()[place], place) };
    [home] = maps.map((map) => map.draw(found, { focus: row, head, opened }, all));
    figures(pointed ?? home, row);
    return home;
  }
  // The numbers of one row in an attention. No other stage has any: those of the last one stay, dimmed.
  function figures({ band, column }, row) {
    if (column?.each) attention = { band, kind: column.kind, block: column.block };
    rowBox.classList.toggle("dim", !column?.each);
    const { band: b, kind, block: n } = attention, own_ = found.bands[b], t = row[0] === b ? row[1] : own_.names.length - 1;
    const [, { each }] = own_.blocks[n].find(([one]) => one === kind);
    for (const one of inNumbers) one.draw(`Block ${n + 1}${found.bands[1] ? `, ${Live.stages.KINDS[kind]}` : ""}, head ${head + 1}`, each[head], t, own_.names[t], (kind === "cross" ? found.bands[0] : own_).names, most_());
  }
  // As many rows as the longest of its texts has.
  const most_ = () => Math.max(...found.bands.map(({ names }) => names.length));
  function renew() { compute(); place = Math.min(place, steps().length - 1); controls(); draw(); }

  // ---- pointing and choosing, with the mouse, a finger or the keyboard ------------------------------
  // All that is shown of a stage follows what is pointed at, and goes back to the stage that is open.
  let on = "";
  function over(there) {
    if (moving) return;
    const { band: b, column, row, token: id } = there ?? {}, key = column ? [b, column.kind, column.block, row, id].join() : "";
    if (key === on) return;
    on = key;
    if (!column) { settle(); return; }
    follow(row === undefined ? focus : [b, row], there);
    tells.textContent = told(there);
    visit(there);
  }
  function settle() {
    follow(focus);
    tells.textContent = rest;
    aim(band, place);
  }
  const visit = ({ band: b, column }) => aim(b, stages(b).find(({ key }) => key === stageKey(b, column)).at);
  const stageKey = (b, { kind, block: n }) => `${b}.${kind}.${n ?? ""}`;
  function choose(there) {
    if (there?.token !== undefined) next(there.token);
    else if (there?.column) {
      if (there.column.each && there.row !== undefined && name !== "encoder") focus = [there.band, there.row];
      open(stageKey(there.band, there.column));
    } else if (there) chosen(there.band, there.row);
  }

  // ---- motion: at first by itself, then with each change; none for those who asked for less ------------
  let frame = null, moving = false, seen = true, resume = null;
  const stop = () => { cancelAnimationFrame(frame); frame = null; maps.forEach((map) => map.still()); };
  function way(ms, done) {
    stop();
    resume = () => way(ms, done);
    let begun = null, passed = null;
    const tick = (now) => {
      begun ??= now;
      const share = Math.min((now - begun) / ms, 1), shown = maps.find((map) => map.visible());
      if (shown) {
        const front = shown.front(share);
        tells.textContent = told(front);
        if (front.column && front.column !== passed) {
          passed = front.column;
          figures(front, focus);
          visit(front);
        }
      }
      if (share < 1) { frame = requestAnimationFrame(tick); return; }
      stop();
      resume = null;
      done();
    };
    if (seen) frame = requestAnimationFrame(tick);
  }
  // It moves on until it comes to the answer, or is stopped.
  function moves() { moving = true; runs.textContent = "Pause"; }
  function halt() {
    [moving, resume] = [false, null];
    runs.textContent = "Let it run";
    stop();
    if (home) settle();
  }
  const once = () => { if (!calm && ready) { halt(); way(quick, halt); } };
  // The token that comes next is written, the likeliest unless another is chosen; whether more can come.
  function add(id = largest(found.shares)) {
    const more = family().next(id);
    [focus, stale] = [null, true];
    renew();
    if (document.activeElement === input) take();
    if (family().remark) note.textContent = family().remark();
    return more;
  }
  // A token at random, each with its probability: the same draws for every reader.
  function drawn() {
    let left = random();
    const id = found.shares.findIndex((share) => (left -= share) < 0);
    return id < 0 ? largest(found.shares) : id;
  }
  function next(id) { add(id); once(); }
  // The line of text takes what was written, so that typing goes on from there.
  function take() {
    if (stale && family().text) [input.value, stale] = [family().text(), false];
  }
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
    if (family().again) again();
    const one = () => add(family().draws ? drawn() : undefined);
    if (calm) { while (one()); return; }
    moves();
    const on = () => { if (one()) way(quick, on); else { way(quick, halt); } };
    way(quick, on);
  }

  // ---- controls --------------------------------------------------------------------------------
  const stages = (to) => Live.stages.list(found.steps[to]).map(({ key, said: named, place: at }) =>
    ({ key: `${to}.${key}`, said: found.bands[1] ? `${found.bands[to].column.toLowerCase()}, ${named}` : named, at }));
  function open(key) {
    halt();
    band = Number(key[0]);
    if (focus[0] !== band) focus = [band, found.bands[band].scored ?? found.bands[band].names.length - 2];
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
  function controls() {
    if (!slider) return;
    point(band, place);
    const [b, t] = focus;
    which.set(found.bands.slice(0, b).reduce((sum, one) => sum + one.names.length, 0) + t + 1, found.bands.flatMap(({ names }) => names).length);
  }
  function chosen(b, t) {
    if (name === "encoder") {
      wanted = hidden = t;
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
    own.replaceChildren();
    chooseHead.replaceChildren();
    parts.replaceChildren();
    const names = () => found.bands.flatMap((one) => one.names);
    which = ui.slider({ label: name === "encoder" ? "Hidden word" : "Token", min: 1, max: 1, value: 1, to: own,
      show: (n) => (name === "encoder" ? words[n - 1] : names()[n - 1]) ?? "",
      change: (n) => { const b = found.bands[0].names.length >= n ? 0 : 1; chosen(b, n - 1 - (b ? found.bands[0].names.length : 0)); } });
    whichHead = ui.choice({ label: "Head", options: Array.from({ length: family().heads }, (_, i) => [i, `${i + 1} of ${family().heads}`]), value: head, to: chooseHead, change: (to) => { head = Number(to); draw(); } });
    chooseHead.append(switches);
    if (family().draws) ui.slider({ label: "Temperature", min: -0.7, max: 0.7, step: 0.05, value: power, to: chooseHead, show: (x) => number(10 ** x), change: (x) => { power = x; halt(); compute(); draw(); } });
    if (name === "translator") ui.choice({ label: "Into", options: languages, value: language, to: chooseHead, change: (to) => { language = to; input.dispatchEvent(new Event("input")); } });
    stage = ui.choice({ label: "Open", options: found.bands.flatMap((_, b) => stages(b).map(({ key, said: one }) => [key, one])), value: "", to: own, change: open });
    slider = ui.slider({ label: "Tensor", min: 1, max: steps().length, value: place + 1, to: own, named: true, show: (n) => Live.stages.name(steps()[n - 1]), change: (n) => { halt(); place = n - 1; controls(); draw(); } });
    own.append(is);
    ui.check({ label: "Causal mask", value: causal, to: parts, change: (on) => { causal = on; renew(); } });
    ui.check({ label: "Positions", value: positions, to: parts, change: (on) => { positions = on; renew(); } });
    ui.choice({ label: "Switch off", value: off, options: [["", "nothing"], ...family().off], to: parts, change: (to) => { off = to; renew(); } });
    controls();
  }
  // What a tour says of the model that is shown, by the names in its sentences.
  function facts() {
    const { blocks, start } = found.bands.at(-1), word = (n) => ["no", "one", "two", "three", "four", "five", "six"][n] ?? n;
    return { width: start[0].length, heads: word(family().heads), blocks: `${word(blocks.length)} block${blocks.length > 1 ? "s" : ""}`, last: blocks.length - 1,
      next: found.token(largest(found.shares)), story: shownText.textContent };
  }
  // During a tour only the controls stay that its stop uses; they stand in its card, which is always in view.
  const homes = new WeakMap();
  function lend(control, lent) {
    if (!homes.get(control)?.isConnected) {
      homes.set(control, document.createComment(""));
      control.before(homes.get(control));
    }
    if (lent) back.parentElement.before(control);
    else homes.get(control).after(control);
  }
  function uses(kept) {
    const of = new Map([[input.parentElement, "text"], [note, "text"], [tries, "text"], [press.parentElement, "write"], [whichHead.parentElement, "head"], [switches, "off"]]);
    for (const one of of.keys()) lend(one, kept?.includes(of.get(one)));
    for (const one of new Set([...of.keys(), ...chooseHead.children, tells])) one.hidden = kept && !kept.includes(of.get(one));
  }
  // One stop of a model's tour: its stage is opened, and a sentence or two say what happens there.
  function lead(to, hold = true) {
    halt();
    const tour = tours[name.split(" ").at(-1)];
    tourAt = to < tour.length ? to : -1;
    around.hidden = tourAt < 0;
    guide.hidden = tourAt >= 0;
    uses(tour[tourAt]?.uses ?? (tourAt < 0 ? null : []));
    switches.open = Boolean(tour[tourAt]?.uses?.includes("off"));
    if (tourAt < 0) { if (hold) guide.focus(); return; }
    const { open: key, said: sentences, head: shown = head, words: least = 0, see = "map" } = tour[tourAt];
    whichHead.value = head = shown;
    while (family().count?.() < least && !family().ended(largest(found.shares))) add();
    const told_ = (one) => one.replace(/\{(\w+)\}/g, (_, fact) => facts()[fact]);
    open(told_(key));
    guided.replaceChildren(html("strong", {}, `${tourAt + 1} of ${tour.length}. `), told_(sentences));
    back.disabled = !tourAt;
    onward.textContent = tourAt < tour.length - 1 ? "Next" : "End the tour";
    leave.hidden = tourAt === tour.length - 1;
    onward.focus({ preventScroll: true });
    reveal(see === "numbers" ? rowBox : (maps.find((map) => map.visible()) ?? maps[0]).element);
  }
  // Scrolls to a part of the figure that a tour speaks of, below the tour's own words.
  function reveal(part) {
    const { top, bottom } = part.getBoundingClientRect(), above = parseFloat(getComputedStyle(around).top) + around.offsetHeight;
    const up = top - above - 8, down = bottom - innerHeight + 8;
    if (up < 0 || down > 0) scrollBy({ top: up < 0 ? up : Math.min(up, down), behavior: "instant" });
  }
  let asked = name;
  function show(to) {
    asked = to;
    halt();
    if (families[to]) {
      if (tourAt >= 0) lead(Infinity, false);
      name = to;
      change();
      return;
    }
    ui.say(`The ${to} is being loaded …`);
    const [stored, made] = loaded[to];
    Promise.all(stored.map(ui.later)).then(() => { families[to] ??= made(); if (asked === to) show(to); }, () => ui.say(`The ${to} could not be loaded.`));
  }
  // Another model: everything on, its own text, an attention open: in a translator where the decoder reads the encoder.
  function change() {
    [focus, home, head, band, place, causal, positions, off, slider, power] = [null, null, first, 0, 0, family().causal, true, "", null, 0];
    input.value = texts[name];
    invite(examples[name]);
    stale = false;
    note.textContent = family().cut(texts[name]);
    compute();
    build();
    open(found.bands[1] ? `1.cross.${found.bands[1].blocks.length - 1}` : "0.self.0");
    once();
  }

  change();
  ready = true;
  for (const map of maps) {
    map.element.addEventListener("pointermove", (event) => over(map.point(event)));
    map.element.addEventListener("pointerleave", () => over(null));
    map.element.addEventListener("click", (event) => choose(map.point(event)));
  }
  picture.element.addEventListener("pointermove", (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.element.getScreenCTM().inverse());
    cell.textContent = cellAt(x, y);
  });
  picture.element.addEventListener("pointerleave", () => { cell.textContent = ""; });
  input.maxLength = 2000;
  input.addEventListener("focus", () => { take(); input.select(); });
  // A text is read as it is typed, so Enter writes what comes next.
  input.addEventListener("keydown", (event) => { if (event.key === "Enter" && !/^Type/.test(note.textContent)) forward(); });
  ui.figure.addEventListener("keydown", (event) => { if (event.key === "Escape" && tourAt >= 0) lead(Infinity); });
  if (calm) return;
  for (const kind of ["pointerdown", "keydown", "focusin"]) ui.figure.addEventListener(kind, ({ target }) => { if (resume && target !== runs) halt(); });
  new IntersectionObserver(([{ isIntersecting }]) => {
    seen = isIntersecting;
    if (!seen) stop();
    else if (resume && frame === null) resume();
  }).observe(ui.figure);
  moves();
  way(lap, halt);
});
