// The models that the map shows: what each makes of a text, what it computes of it, and what comes next.
"use strict";

Live.mapModels = ({ gap, into, most, longest, run: many }, head) => {
  const { html } = Live, chance = Live.mapStrip.chance;
  const gaps = Live.data.gaps, bert = Live.reader(gaps), BLANK = "___";
  const list = (of) => new Intl.ListFormat("en-GB").format([...new Set(of)]);
  const ffns = (stack, prefix, layers) => Array.from({ length: layers }, (_, b) => [`${prefix}${b}.ffn`, `${stack}block ${b + 1}, feed-forward`, `${Number(prefix === "decoder.")}.ffn.${b}`]);
  const heads = (prefix, of_, layers, of) => Array.from({ length: layers * of }, (_, i) =>
    [`${prefix}${Math.floor(i / of)}${prefix ? of_[0] : ""}.${i % of}`, `${prefix ? `${of_[1]}, ` : ""}block ${Math.floor(i / of) + 1}, head ${(i % of) + 1}`, `${Number(prefix === "decoder.")}.${of_[1] === "cross" ? "cross" : "self"}.${Math.floor(i / of)}`, i % of]);

  // The parts of a block, each with the vectors that it reads, what it adds, and the vectors after it.
  const ffn = (from, { again = from, inner, hidden, gone, made, after }) => ["ffn", { from, read: again, inner, hidden, gone, added: made, after }];
  const before = ({ start, x = start, blocks }, b) => blocks[b - 1]?.after ?? x;
  const block = (all) => (one, b) => [["self", { from: before(all, b), each: one.each, added: one.added, after: one.between }], ffn(one.between, one)];
  const both = (all) => (one, b) => [["self", { from: before(all, b), ...one.self }], ...(one.cross ? [["cross", { from: one.self.after, ...one.cross }]] : []), ffn((one.cross ?? one.self).after, one)];
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
        else if (inside || /^␣[A-Za-z]+$/.test(piece)) found.push({ at: t, pieces: [piece] });
      });
      return found.filter(({ pieces }) => pieces.length > 1);
    };
    return {
      heads: gpt.heads, causal: true, asks: "Next token", press: "Write the next token", presses: "Writes the likeliest token.", draws: true, token,
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
      // The scores after each row, and the token that is there.
      rows(options) {
        const ids = read_(), { blocks } = gpt.read(ids, options);
        return gpt.scores(blocks.at(-1).after).map((logits, t) => ({ logits, next: ids[t + 1] }));
      },
      next(id) { written.push(id); return written.length % many > 0; },
      remark() {
        const [first] = cutWords(typed), left = typed.length + written.length > most;
        const few = tokenizer.tokens.length < 1000 ? `It knows ${tokenizer.tokens.length} pieces of words. ` : "";
        const cut = first && !left ? `${few}No token is all of “${first.pieces.join("").replace("␣", "")}”, so it is cut into ${first.pieces.length}: ${first.pieces.join(" ")}` : "";
        return [left ? `It reads the last ${most} tokens only.` : "", cut, tokenizer.remark(typed)].filter(Boolean).join(" ");
      },
      // The scores of the next token, if the vector were that after the last block.
      lens: (vector) => gpt.scores([vector])[0],
      story: () => [inLine(typed), written.length ? html("strong", {}, inLine(written)) : ""],
      text: () => inLine([...typed, ...written]),
      answer: (best, share) => `The decoder's next token: “${token(best)}”, with probability ${chance(share)}.`,
    };
  }

  function encoder() {
    let words = [], hidden = gap, wanted = gap, left = 0, more = "";
    return {
      heads: bert.heads, causal: false, asks: "Hidden word", press: "Fill in and hide the next", token: (id) => gaps.words[id],
      off: [...heads("", [], 1, bert.heads), ...ffns("", "", 1)], steps: () => [Live.openedEncoder(1, head).filter(({ part }) => Array.isArray(part))],
      embeds: ["word vector E[id]", "position and segment", "LN of the sum"], activation: "ReLU", vector: bert.vector, bias: bert.bias,
      cut(text) {
        // A gap that is typed is the word that is hidden.
        const [before, ...after] = text.split(/_+|▢/u), cut = bert.split([before, ...after].join(" "), most);
        const place = bert.split(before, most).words.length;
        const all = after.length ? [...cut.words.slice(0, place), BLANK, ...cut.words.slice(place)].slice(0, most) : cut.words;
        if (after.length) wanted = Math.min(place, all.length - 1);
        if (all.length) [words, hidden] = [all, Math.min(wanted, all.length - 1)];
        more = after.length > 1 ? "One word is hidden at a time: the first ___ counts." : "";
        left = cut.left;
        return cut.words.length ? this.remark() : bert.remark(cut);
      },
      // The hidden word is not read, whatever it is.
      remark() {
        const read = words.filter((one, t) => t !== hidden && one !== BLANK), unknown = read.filter((one) => !gaps.words.includes(one));
        const said = read.length ? bert.remark({ words: read, left, unknown }).replaceAll("The model", "The encoder") : "";
        return [said, unknown.length ? "Its guess means little then. It knows singer, violin, letter, birds and the like." : "", more].filter(Boolean).join(" ");
      },
      read(options) {
        const row = words.map((one, t) => (t === hidden || one === BLANK ? "<mask>" : one)), all = bert.read(row, options), last = bert.head(all.states[hidden]);
        const logits = bert.scores(last), strange = new Set([...words.keys()].filter((t) => words[t] !== BLANK && !gaps.words.includes(words[t])));
        return { stacks: [{ ...all, ids: row.map(bert.id), last, logits }], logits, scoring: { from: all.states[hidden], last, ...bert.word(all.states[hidden]) },
          bands: [{ column: "words", head: "word head", names: words.map((one, t) => (t === hidden || one === BLANK ? "▢" : one)), strange, start: all.x, embed: placed(all), blocks: all.blocks.map(block(all)), norms: "after", scored: hidden }] };
      },
      next(id) { words[hidden] = gaps.words[id]; wanted = hidden = (hidden + 1) % words.length; return hidden > 0; },
      hide(t) { wanted = hidden = t; },
      word: (t) => words[t],
      text: () => words.join(" "),
      story: () => words.flatMap((one, t) => [t === hidden ? html("strong", {}, `[${one}]`) : one, " "]),
      answer: (best, share) => `The encoder's guess for the hidden word: “${gaps.words[best]}”, with probability ${chance(share)}.${words[hidden] === BLANK ? "" : ` You hid “${words[hidden]}”.`}`,
    };
  }

  function withTranslator() {
    const translator = Live.translator(Live.data.translator), word = (id) => ({ "<s>": "start", "</s>": "end" })[translator.words[id]] ?? translator.words[id];
    let source = [], said = [];
    return {
      heads: translator.heads, causal: true, asks: "Next word", press: "Write the next word", token: word, language: into,
      spread: ["in training, a tenth of each", "answer went to all words:", "label smoothing, lesson 11"],
      off: [...heads("encoder.", [".attention", "encoder"], 2, translator.heads), ...heads("decoder.", [".attention", "decoder"], 2, translator.heads), ...heads("decoder.", [".cross", "cross"], 2, translator.heads), ...ffns("encoder, ", "encoder.", 2), ...ffns("decoder, ", "decoder.", 2)],
      steps: () => [0, 1].map((n) => Live.openedStacks(translator.layers, head).map(({ parts, ...step }) => ({ ...step, part: parts[n] })).filter(({ part }) => Array.isArray(part))),
      embeds: ["word vector √d E[id]", "position: sine, cosine"], activation: "ReLU", vector: translator.vector,
      cut(text) {
        const cut = translator.split(text.slice(0, longest));
        if (!cut.words.length) return "Type at least one word.";
        [source, said] = [cut.words, []];
        const digits = /^[\d\s.,]+$/.test(text) || cut.unknown.some((one) => /^\d+$/.test(one)), strange = cut.unknown.filter((one) => !/^\d+$/.test(one));
        return [digits ? "Write a number in words: not 42, but forty-two, zweiundvierzig or quarante-deux." : "",
          strange.length ? `It has never seen ${list(strange.map((one) => `“${one}”`))}: it knows numbers below a million and dates from 1970 to 2029, in German, English and French. With other words its confidence means nothing.` : ""].filter(Boolean).join(" ");
      },
      read(options) {
        const rows = [[...translator.ids([this.language, ...source]), translator.END], [translator.START, ...said]];
        const encoder = { ...translator.read(rows[0], options), row: rows[0] }, decoder = { ...translator.decode(rows[1], encoder.states, options), row: rows[1] };
        return { stacks: [encoder, decoder], logits: decoder.logits, scoring: { last: decoder.states.at(-1) }, bands: [encoder, decoder].map((stack, n) =>
          ({ column: n ? "Decoder" : "Encoder", names: rows[n].map(word), writes: n ? [...said.map(word), "?"] : null, start: stack.start, embed: placed(stack), blocks: stack.blocks.map(both(stack)), norms: "after", scored: n ? rows[n].length - 1 : undefined })) };
      },
      next(id) {
        if (id === translator.END) return false;
        said.push(id);
        return said.length < 20;
      },
      ended: (best) => best === translator.END, again() { said = []; }, count: () => said.length,
      story: () => [`${source.join(" ")} → `, html("strong", {}, translator.text(said.map((id) => translator.words[id])) || "…")],
      answer: (best, share) => `The translator's next word: “${word(best)}”, with probability ${chance(share)}.`,
    };
  }

  return {
    decoder: decoder(Live.data.map, Live.data.map), encoder: encoder(),
    // What is heavy is loaded as somebody asks for it: the files, and what then makes the model.
    later: { "larger decoder": [["writer", "merges"], () => decoder(Live.data.writer, Live.data.merges)], translator: [["translator"], withTranslator] },
  };
};
