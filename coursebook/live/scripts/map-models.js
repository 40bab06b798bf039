// The models that the map shows: what each makes of a text, what it computes of it, and what comes next.
"use strict";

Live.mapModels = ({ gap, into, most, pieces, longest, run: many }, head) => {
  const { html } = Live, chance = Live.mapStrip.chance;
  const gaps = Live.data.gaps, bert = Live.reader(gaps), BLANK = "___", GAPS = /_+|▢|\[mask\]/iu; // as a gap is typed
  const list = (of) => new Intl.ListFormat("en-GB").format([...new Set(of)]);
  const ffns = (stack, prefix, layers) => Array.from({ length: layers }, (_, b) => [`${prefix}${b}.ffn`, `${stack}block ${b + 1}, feed-forward`, `${Number(prefix === "decoder.")}.ffn.${b}`]);
  const heads = (prefix, of_, layers, of) => Array.from({ length: layers * of }, (_, i) =>
    [`${prefix}${Math.floor(i / of)}${prefix ? of_[0] : ""}.${i % of}`, `${prefix ? `${of_[1]}, ` : ""}block ${Math.floor(i / of) + 1}, head ${(i % of) + 1}`, `${Number(prefix === "decoder.")}.${of_[1] === "cross" ? "cross" : "self"}.${Math.floor(i / of)}`, i % of]);

  // The parts of a block, each with the vectors that it reads, what it adds, and the vectors after it.
  const ffn = (from, { again = from, inner, hidden, gone, made, after }) => ["ffn", { from, read: again, inner, hidden, gone, added: made, after }];
  const before = ({ start, x = start, blocks }, b) => blocks[b - 1]?.after ?? x;
  const block = (all) => (one, b) => [["self", { from: before(all, b), each: one.each, added: one.added, after: one.between }], ffn(one.between, one)];
  const both = (all) => (one, b) => [["self", { from: before(all, b), ...one.self }], ...(one.cross ? [["cross", { from: one.self.after, ...one.cross }]] : []), ffn((one.cross ?? one.self).after, one)];
  const WORD = /^␣?[\p{L}]+$/u, named = (words) => list(words.map((one) => `“${one}”`));
  // What was added to the tokens' vectors: positions, and with them what all tokens get.
  const placed = ({ embedded, start, placed: sum = start }) => ({ embedded, sum, positions: sum.map((row, t) => row.map((value, i) => value - embedded[t][i])) });

  function decoder(stored, { merges }) {
    const gpt = Live.gpt(stored), tokenizer = Live.tokenizer(merges), token = (id) => tokenizer.shown(tokenizer.tokens[id]);
    const inLine = (ids) => tokenizer.decode(ids).replaceAll("\n", " ⏎ ");
    let typed = [], written = [];
    const read_ = () => [...typed, ...written].slice(-most);
    // The words that are several tokens: where each begins in a row of ids, and how many tokens it has.
    const cutWords = (ids) => {
      const found = [];
      ids.map(token).forEach((piece, t) => {
        const inside = /^[A-Za-z]+$/.test(piece), goes = inside && found.at(-1)?.at + found.at(-1)?.pieces.length === t;
        if (goes) found.at(-1).pieces.push(piece);
        else if (inside || /^␣[A-Za-z]*$/.test(piece)) found.push({ at: t, pieces: [piece] });
      });
      return found.filter(({ pieces }) => pieces.length > 1);
    };
    return {
      heads: gpt.heads, causal: true, asks: "Next token", follows: true, press: "Write the next token", presses: "Writes the likeliest token.", draws: true, token,
      off: [...heads("", [], gpt.layers, gpt.heads), ...ffns("", "", gpt.layers)], steps: () => [Live.openedDecoder(gpt.layers, head)],
      embeds: ["token vector E[id]", "position vector P[t]"], activation: "GELU", vector: gpt.vector, unit: gpt.unit, scores: (vector) => gpt.scores([vector])[0],
      cut(text) {
        const ids = tokenizer.prompt(text.replace(/ *⏎ */g, "\n"));
        if (!ids.length) return "Type at least one character.";
        [typed, written] = [ids, []];
        return this.remark();
      },
      read(options) {
        const ids = read_(), all = { ids, ...gpt.read(ids, options) };
        return { stacks: [all], logits: all.logits, scoring: { from: all.blocks.at(-1).after.at(-1), last: all.last, norm: gpt.norm },
          bands: [{ column: "tokens", head: "final norm", names: ids.map(token), words: cutWords(ids).map(({ at, pieces }) => [at, at + pieces.length - 1]), start: all.start, embed: placed(all), blocks: all.blocks.map(block(all)), norms: "before", scored: ids.length - 1 }] };
      },
      // The scores for other ids than those that are read, or with other parts.
      ask: (change, options) => gpt.read(change(read_()).slice(-most), options),
      // The scores after each row, and the token that is there.
      rows(options) {
        const ids = read_(), { blocks } = gpt.read(ids, options);
        return gpt.scores(blocks.at(-1).after).map((logits, t) => ({ logits, next: ids[t + 1] }));
      },
      next(id) { written.push(id); return written.length % many > 0; },
      remark() {
        const cut = cutWords(typed), left = typed.length + written.length > most, [first] = cut, few = tokenizer.tokens.length < 1000 ? `It knows ${tokenizer.tokens.length} pieces of words. ` : "";
        const strange = cut.filter(({ pieces }) => pieces.length > 2).map(({ pieces }) => pieces.join("").replace("␣", ""));
        // A text of words that its captions never had is answered badly: what it does well is said at once.
        const kind = !few && strange.length > 1 ? `It has hardly read ${named(strange)}, and may guess badly: try what people or dogs do, outdoors or at work.` : "";
        const cuts = first && !left ? `${few}No token is all of “${first.pieces.join("").replace("␣", "")}”, so it is cut into ${first.pieces.length}: ${first.pieces.join(" ")}` : "";
        return [left ? `It reads the last ${most} tokens only.` : "", kind || cuts, tokenizer.remark(typed)].filter(Boolean).join(" ");
      },
      // The scores of the next token, if the vector were that after the last block.
      lens: (vector) => gpt.scores([vector])[0],
      story: () => [inLine(typed), written.length ? html("strong", {}, inLine(written)) : ""],
      text: () => inLine([...typed, ...written]),
      answer: (best, share) => `The decoder's next token: “${token(best)}”, with probability ${chance(share)}.`,
    };
  }

  // Of a text without a gap some word is hidden.
  const unasked = (word) => `No ___ was typed, so “${word}” is hidden: press another word to hide that.`;

  function encoder() {
    let words = [], hidden = gap, wanted = gap, left = 0, more = "", chosen = true;
    return {
      heads: bert.heads, causal: false, asks: "Hidden word", press: "Fill in and hide the next", token: (id) => gaps.words[id],
      off: [...heads("", [], 1, bert.heads), ...ffns("", "", 1)], steps: () => [Live.openedEncoder(1, head).filter(({ part }) => Array.isArray(part))],
      embeds: ["word vector E[id]", "position and segment", "LN of the sum"], activation: "ReLU", vector: bert.vector, bias: bert.bias,
      cut(text) {
        // A gap that is typed is the word that is hidden.
        const [before, ...after] = text.split(GAPS), cut = bert.split([before, ...after].join(" "), most);
        const place = bert.split(before, most).words.length;
        const all = after.length ? [...cut.words.slice(0, place), BLANK, ...cut.words.slice(place)].slice(0, most) : cut.words;
        if (after.length) wanted = Math.min(place, all.length - 1);
        if (all.length) [words, hidden] = [all, Math.min(wanted, all.length - 1)];
        more = after.length > 1 ? "One word is hidden at a time: the first ___ counts." : "";
        [left, chosen] = [cut.left, after.length > 0];
        return cut.words.length ? this.remark() : bert.remark(cut);
      },
      // The hidden word is not read, whatever it is.
      remark() {
        const read = words.filter((one, t) => t !== hidden && one !== BLANK), unknown = read.filter((one) => !gaps.words.includes(one));
        const said = read.length ? bert.remark({ words: read, left, unknown }).replaceAll("The model", "The encoder") : "";
        return [said, unknown.length ? "Its guess means little then. It knows singer, violin, letter, birds and the like." : "", more, chosen ? "" : unasked(words[hidden])].filter(Boolean).join(" ");
      },
      read(options) {
        const row = words.map((one, t) => (t === hidden || one === BLANK ? "<mask>" : one)), all = bert.read(row, options), last = bert.head(all.states[hidden]);
        const logits = bert.scores(last), strange = new Set([...words.keys()].filter((t) => words[t] !== BLANK && !gaps.words.includes(words[t])));
        return { stacks: [{ ...all, ids: row.map(bert.id), last, logits }], logits, scoring: { from: all.states[hidden], last, ...bert.word(all.states[hidden]) },
          bands: [{ column: "words", head: "word head", names: words.map((one, t) => (t === hidden || one === BLANK ? "▢" : one)), strange, start: all.x, embed: placed(all), blocks: all.blocks.map(block(all)), norms: "after", scored: hidden }] };
      },
      next(id) { chosen = true; words[hidden] = gaps.words[id]; wanted = hidden = (hidden + 1) % words.length; return hidden > 0; },
      hide(t) { wanted = hidden = t; chosen = true; },
      word: (t) => words[t],
      text: () => words.join(" "),
      story: () => words.flatMap((one, t) => [t === hidden ? html("strong", {}, `[${one}]`) : one, " "]),
      answer: (best, share) => `The encoder's guess for the hidden word: “${gaps.words[best]}”, with probability ${chance(share)}.${words[hidden] === BLANK ? "" : ` You hid “${words[hidden]}”.`}`,
    };
  }

  // BERT's own way: what is read stands between [CLS] and [SEP], and the gap is [MASK].
  function reviewer(stored) {
    const model = Live.bert({ ...stored, weights: stored.sides.both.weights }), [CLS, SEP] = model.ends, known = new Set(stored.words);
    let words = [], hidden = 0, left = 0, more = "", chosen = true;
    const blank = (t) => t === hidden || words[t] === BLANK;
    return {
      heads: model.heads, causal: false, asks: "Hidden word", press: "Fill in and hide the next", token: (id) => stored.words[id],
      off: [...heads("", [], model.layers, model.heads), ...ffns("", "", model.layers)], steps: () => [Live.openedEncoder(model.layers, head, { blocks: model.layers, activation: "GELU" }).filter(({ part }) => Array.isArray(part))],
      embeds: ["word vector E[id]", "position and segment", "LN of the sum"], activation: "GELU", vector: model.vector, bias: model.bias,
      cut(text) {
        const [first, ...rest] = text.split(GAPS), cut = model.split([first, ...rest].join(` ${BLANK} `), most);
        if (!cut.words.length) return model.remark(cut);
        const typed = cut.words.indexOf(BLANK);
        [words, left, more] = [cut.words, cut.left, rest.length > 1 ? "One word is hidden at a time: the first ___ counts." : ""];
        [hidden, chosen] = typed >= 0 ? [typed, true] : [Math.min(hidden, words.length - 1), false];
        return this.remark();
      },
      remark() {
        const strange = words.filter((one, t) => !blank(t) && !known.has(one));
        return [strange.length ? `Its film reviews never say ${named(strange)}: it reads ${strange.length > 1 ? "each" : "this"} as an unknown word, and guesses less well.` : "", left ? `It reads the first ${words.length} words.` : "", more, chosen ? "" : unasked(words[hidden])].filter(Boolean).join(" ");
      },
      read(options) {
        const row = [CLS, ...words.map((one, t) => model.id(blank(t) ? BLANK : one)), SEP], all = model.read(row, options), from = all.states[hidden + 1], last = model.head(from), logits = model.ofWords(last);
        return { stacks: [{ ...all, ids: row, last, logits }], logits, scoring: { from, last, ...model.word(from) },
          bands: [{ column: "words", head: "word head", names: ["[CLS]", ...words.map((one, t) => (blank(t) ? "▢" : one)), "[SEP]"], strange: new Set(words.flatMap((one, t) => (blank(t) || known.has(one) ? [] : [t + 1]))),
            start: all.x, embed: placed(all), blocks: all.blocks.map(block(all)), norms: "after", scored: hidden + 1 }] };
      },
      next(id) { chosen = true; words[hidden] = stored.words[id]; hidden = (hidden + 1) % words.length; return hidden > 0; },
      hide(t) { hidden = Math.max(0, Math.min(t - 1, words.length - 1)); chosen = true; }, // t counts from [CLS] on
      word: (t) => words[t - 1] ?? "",
      text: () => words.join(" "),
      story: () => words.flatMap((one, t) => [t === hidden ? html("strong", {}, `[${one}]`) : one, " "]),
      answer: (best, share) => `The encoder's guess for the hidden word: “${stored.words[best]}”, with probability ${chance(share)}.${words[hidden] === BLANK ? "" : ` You hid “${words[hidden]}”.`}`,
    };
  }

  // A translator: of numbers and dates, which it reads as words, into a language that its first token names; or of captions, in
  // pieces of words, from German into English.
  function withTranslator(stored, captions) {
    const translator = Live.translator(stored), { layers } = translator;
    const word = (id) => ({ "<s>": "start", "</s>": "end" })[translator.words[id]] ?? (captions ? translator.text([translator.words[id]]).replace(/^ /, "␣") : translator.words[id]);
    const plain = (words) => (captions ? translator.text(words) : words.join(" "));
    let source = [], said = [], left = 0;
    // Words of captions that are cut into three pieces or more: it has hardly seen them.
    const rare = () => {
      const all = [];
      for (const token of source) {
        const piece = translator.text([token]);
        if (!/^\p{L}+$/u.test(piece) || !all.length) all.push({ said: piece, count: 1 });
        else Object.assign(all.at(-1), { said: all.at(-1).said + piece, count: all.at(-1).count + 1 });
      }
      return all.filter(({ said: one, count }) => count > 2 && WORD.test(one.trim())).map(({ said: one }) => one.trim());
    };
    const remarks = captions ? {
      remark(text) {
        const english = text.match(/(?<!\p{L})(the|is|are|of|and|with|my|you|dog|girl|boy|people|woman)(?!\p{L})/giu)?.length > 0, strange = english ? [] : rare();
        return [english ? "It reads German and writes English: type a German sentence." : "", strange.length ? `It has hardly read ${named(strange)}, and may translate it badly: try what people or dogs do.` : "", left ? `It reads the first ${source.length} pieces of words.` : ""].filter(Boolean).join(" ");
      },
    } : {
      remark(text, unknown) {
        const digits = /^[\d\s.,]+$/.test(text) || unknown.some((one) => /^\d+$/.test(one)), strange = unknown.filter((one) => !/^\d+$/.test(one));
        return [digits ? "Write a number in words: not 42, but forty-two, zweiundvierzig or quarante-deux." : "",
          strange.length ? `It has never seen ${named(strange)}: it knows numbers below a million and dates from 1970 to 2029, in German, English and French. With other words its confidence means nothing.` : ""].filter(Boolean).join(" ");
      },
    };
    return {
      heads: translator.heads, causal: true, asks: captions ? "Next token" : "Next word", follows: true, press: captions ? "Write the next token" : "Write the next word", token: word, language: captions ? undefined : into,
      spread: ["in training, a tenth of each", "answer went to all words:", "label smoothing, lesson 11"],
      off: [...heads("encoder.", [".attention", "encoder"], layers, translator.heads), ...heads("decoder.", [".attention", "decoder"], layers, translator.heads), ...heads("decoder.", [".cross", "cross"], layers, translator.heads), ...ffns("encoder, ", "encoder.", layers), ...ffns("decoder, ", "decoder.", layers)],
      steps: () => [0, 1].map((n) => Live.openedStacks(layers, head, translator.before).map(({ parts, ...step }) => ({ ...step, part: parts[n] })).filter(({ part }) => Array.isArray(part))),
      embeds: ["word vector √d E[id]", "position: sine, cosine"], activation: "ReLU", vector: translator.vector,
      cut(text) {
        const cut = translator.split(text.slice(0, longest));
        if (!cut.words.length) return "Type at least one word.";
        [source, said, left] = captions ? [cut.words.slice(0, pieces), [], cut.words.length > pieces] : [cut.words, [], false];
        return remarks.remark(text, cut.unknown);
      },
      read(options) {
        const rows = [[...translator.ids(captions ? source : [this.language, ...source]), translator.END], [translator.START, ...said]];
        const encoder = { ...translator.read(rows[0], options), row: rows[0] }, decoder = { ...translator.decode(rows[1], encoder.states, options), row: rows[1] };
        const last = decoder.states.at(-1), scoring = { last, ...(translator.before ? { from: decoder.blocks.at(-1).after.at(-1), norm: translator.norm } : {}) };
        return { stacks: [encoder, decoder], logits: decoder.logits, scoring, spare: captions ? 2 : 0, bands: [encoder, decoder].map((stack, n) =>
          ({ column: n ? "Decoder" : "Encoder", names: rows[n].map(word), writes: n ? [...said.map(word), "?"] : null, start: stack.start, embed: placed(stack), blocks: stack.blocks.map(both(stack)),
            ...(translator.before ? { norms: "before", head: n ? "final norm" : null } : { norms: "after" }), scored: n ? rows[n].length - 1 : undefined })) };
      },
      next(id) {
        if (id === translator.END) return false;
        said.push(id);
        return said.length < 20;
      },
      ended: (best) => best === translator.END, again() { said = []; }, count: () => said.length,
      story: () => [`${plain(source)} → `, html("strong", {}, translator.text(said.map((id) => translator.words[id])) || "…")],
      answer: (best, share) => `The translator's next ${captions ? "token" : "word"}: “${word(best)}”, with probability ${chance(share)}.`,
    };
  }

  return {
    decoder: decoder(Live.data.map, Live.data.map), encoder: encoder(),
    // What is heavy is loaded as somebody asks for it: the files, and what then makes the model.
    later: { "larger decoder": [["writer", "merges"], () => decoder(Live.data.writer, Live.data.merges)], translator: [["translator"], () => withTranslator(Live.data.translator, false)],
      "review encoder": [["masked"], () => reviewer(Live.data.masked)], "caption translator": [["captions"], () => withTranslator(Live.data.captions, true)] },
  };
};
