// The search: ranks the sections that coursebook/sphinx/search.py collected, by BM25 over headings and prose.
"use strict";

const CourseSearch = (() => {
  // What a learner types, and what the pages say. A key of several words is found as a phrase.
  const SAME = {
    // What a part is called elsewhere
    "additive attention": "additive score pair alignment", bahdanau: "additive alignment", seq2seq: "recurrent translator alignment",
    layernorm: "layer norm", ln: "layer norm", normalization: "norm", normalisation: "norm",
    "positional encoding": "position code", "position embedding": "position code", positional: "position", rope: "rotary rope", "rotary embedding": "rotary rope",
    word2vec: "skip-gram word2vec", embedding: "embedding word vector", "word embedding": "word vector",
    "skip connection": "residual path", "residual connection": "residual path", ffn: "feed-forward", mlp: "feed-forward",
    multihead: "several head", "multi head": "several head", rnn: "recurrent net", vit: "vision transformer", mlm: "masked language hidden word",
    "masked language": "masked language hidden word", kv: "kv keys and values", "attention map": "attention weight",
    bpe: "bpe byte pair merge token", tokenizer: "token merge", tokenization: "text becomes tokens", tokenisation: "text becomes tokens",
    "causal mask": "causal mask hide seen", "mixed precision": "autocast bfloat16", "half precision": "autocast bfloat16", fp16: "float16 bfloat16", bf16: "bfloat16",
    lr: "learning rate", warmup: "warm-up", "learning rate warmup": "rate warm-up cosine", "learning rate schedule": "rate warm-up cosine", interpretability: "explanation", explainability: "explanation",
    // Signs
    sqrt: "sqrt root", "√": "sqrt root", "square root": "sqrt root", dk: "d_k",
    // What a learner wants to do
    install: "install environment", installation: "install environment", setup: "install environment",
    homework: "problem set", assignment: "problem set", "check my": "tfcourse check", "grade my": "tfcourse check", "test my": "tfcourse check",
    submit: "hand instructor file", submission: "hand instructor file", "hand in": "hand instructor file", "play with": "explore", playground: "explore", demo: "explore", "need a gpu": "small machine need",
    symbol: "notation", error: "error slip", errata: "slip", mistake: "mistake slip",
  };
  const COMMON = new Set(("a about an and are as at be by can could do does for from get go has have how i if in into is it its me my of on or our "
    + "should so some than that the their them then there these they this to use used using was we what when where which who why will with you your").split(" "));
  // How much a page of each kind counts: a lesson before the experiments and the reference.
  const WEIGHT = { lesson: 1, guide: 0.95, set: 0.6, glossary: 0.6, instructor: 0.7, maintainer: 0.45, evidence: 0.45, api: 0.4, record: 0.45 };
  const NAMES = { guide: "Guide", glossary: "Glossary", instructor: "For instructors", maintainer: "For maintainers", evidence: "Evidence", api: "Reference", record: "Lists" };
  // How much a word counts in a section's heading and in its page's title, beside one in its prose.
  const HEADING = 5, TITLE = 2.5, TOPIC = 3, K = 1.4, B = 0.6;

  // A word without its ending: training and trained are train, queries is query.
  function stem(word) {
    if (word.length < 4 || /\d/.test(word)) return word;
    const bare = word
      .replace(/ies$/, "y").replace(/(ss|us|is)$/, "$1_").replace(/(x|ch|sh|s)es$/, "$1").replace(/s$/, "").replace(/_$/, "")
      .replace(/(?<=.{3})(ing|ed|ly)$/, "").replace(/([bdgmnprt])\1$/, "$1");
    return bare.length > 3 ? bare.replace(/e$/, "") : bare;
  }
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("’", "'");
  const split = (text) => plain(text).match(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*|√/gu) || [];
  // A name such as causal_mask or LayerNorm is one word, and its parts are words too.
  const words = (text) => (text.match(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*|√/gu) || []).flatMap((word) => {
    const parts = word.replace(/(\p{Ll})(\p{Lu})/gu, "$1_$2").split("_");
    return parts.length > 1 ? [plain(word), ...parts.map((part) => stem(plain(part)))] : [stem(plain(word))];
  });

  const PHRASES = Object.keys(SAME).filter((key) => key.includes(" ")).sort((a, b) => b.length - a.length);
  const SINGLE = new Map(Object.entries(SAME).filter(([key]) => !key.includes(" ")).map(([key, said]) => [stem(key), said]));

  let entries = [], postings = new Map(), vocabulary = [], average = 1, waiting = null;

  // Numbers count as they are written in an address and in words: problem set 5 is ps05.
  function alias(page, kind) {
    const number = page.match(/(?:ps|\/)(\d\d)-/)?.[1];
    if (!number) return "";
    return kind === "set" ? `ps${number} ps${Number(number)} problem set homework` : kind === "lesson" ? `lesson chapter lecture ${number}` : "";
  }

  function begin(pages) {
    entries = [];
    postings = new Map();
    for (const [page, kind, title, sections] of pages) {
      for (const [anchor, heading, text, more] of sections) {
        if (/^(quiz|sources)$/i.test(heading)) continue;
        const counts = new Map();
        const count = (found, weight) => found.forEach((word) => counts.set(word, (counts.get(word) || 0) + weight));
        const prose = words(text), head = words(heading);
        count(prose, 1);
        count(words(more), TOPIC);
        count(head, HEADING);
        if (anchor) count(words(title), TITLE);
        count(words(alias(page, kind)), anchor ? TITLE : 2 * HEADING);
        const entry = { page, kind, title, anchor, heading, text, head, length: prose.length + head.length, id: entries.length };
        entries.push(entry);
        for (const [word, number] of counts) {
          if (!postings.has(word)) postings.set(word, []);
          postings.get(word).push([entry.id, number]);
        }
      }
    }
    average = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(entries.length, 1);
    vocabulary = [...postings.keys()];
    waiting?.();
  }

  // The words of a query, each with the words that will do in its place.
  function asked(query) {
    const typed = query.match(/[\p{L}\p{N}_]+|√/gu) || [], cased = new Map(typed.map((word) => [plain(word), word]));
    let rest = ` ${split(query).join(" ")} `;
    const found = [];
    for (const phrase of PHRASES) {
      if (!rest.includes(` ${phrase} `)) continue;
      rest = rest.replace(` ${phrase} `, " ");
      words(SAME[phrase]).forEach((word) => found.push({ typed: word, any: [word] }));
    }
    const left = rest.trim() ? rest.trim().split(" ") : [];
    const telling = left.filter((word) => !COMMON.has(word));
    for (const word of telling.length || found.length ? telling : left) {
      found.push({ typed: stem(word), any: [...new Set([...words(cased.get(word) || word), ...words(SINGLE.get(stem(word)) || "")])].filter((one) => !COMMON.has(one)) });
    }
    return found.filter(({ any }) => any.length);
  }

  const rarity = (word) => {
    const here = postings.get(word)?.length || 0;
    return here ? Math.log(1 + (entries.length - here + 0.5) / (here + 0.5)) : 0;
  };

  // The words of a query without those that are everywhere.
  const telling = (query) => words(split(query).filter((word) => !COMMON.has(word)).join(" ")).join(" ");

  // What a word that is being typed may become.
  function completed({ typed, any }, last) {
    if (any.some((word) => postings.has(word)) && !(last && typed.length > 2)) return any.map((word) => [word, 1]);
    const longer = typed.length > 1 ? vocabulary.filter((word) => word.startsWith(typed) && !any.includes(word)).slice(0, 40) : [];
    return [...any.map((word) => [word, 1]), ...longer.map((word) => [word, 0.5])];
  }

  // A lesson that introduces something comes before those that use it again.
  const early = ({ kind, page }) => (kind === "lesson" ? 1 + 0.02 * (14 - Number(page.match(/\d+/)?.[0] ?? 14)) : 1);

  // The pages that answer a query, best first: [{ page, kind, title, score, sections }].
  function search(query, { typing = false } = {}) {
    const terms = asked(query);
    if (!terms.length) return [];
    const scores = new Map(), matched = new Map();
    terms.forEach((term, n) => {
      const best = new Map();
      const ways = completed(term, typing && n === terms.length - 1);
      const rare = Math.max(...ways.map(([word, weight]) => weight * rarity(word)), 0);
      for (const [word, weight] of ways) {
        for (const [id, number] of postings.get(word) || []) {
          const full = K * (1 - B + (B * entries[id].length) / average);
          const value = weight * Math.min(rarity(word), rare) * ((number * (K + 1)) / (number + full));
          // Of several words that mean the same, the best counts, and the others a little.
          const before = best.get(id) || 0;
          best.set(id, Math.max(value, before) + 0.25 * Math.min(value, before));
        }
      }
      for (const [id, value] of best) {
        scores.set(id, (scores.get(id) || 0) + value);
        matched.set(id, (matched.get(id) || 0) + 1);
      }
    });
    const wanted = words(query).join(" "), told = telling(query);
    const exact = /\w[_.]\w/.test(query) ? query.trim() : "", defined = term(query);
    const pages = new Map();
    for (const [id, sum] of scores) {
      const entry = entries[id], head = entry.head.join(" ");
      if (entry === defined) continue; // shown above what is found
      let score = sum * (matched.get(id) / terms.length) ** 1.5 * WEIGHT[entry.kind] * early(entry);
      if (entry.kind !== "api" && (head === wanted || head === told)) score *= 1.5;
      else if (told && ` ${head} `.includes(` ${told} `)) score *= 1.2;
      if (/^what to take away$/i.test(entry.heading)) score *= 0.8;
      if (exact && entry.kind === "api" && (entry.heading === exact || entry.heading.endsWith(`.${exact}`))) score *= 6;
      if (!pages.has(entry.page)) pages.set(entry.page, { page: entry.page, kind: entry.kind, title: entry.title, sections: [] });
      pages.get(entry.page).sections.push({ anchor: entry.anchor, heading: entry.heading, text: entry.text, score });
    }
    for (const found of pages.values()) {
      found.sections.sort((a, b) => b.score - a.score);
      // A page that speaks of it throughout comes before one that mentions it once.
      found.score = found.sections.slice(0, 5).reduce((sum, { score }, i) => sum + score * [1, 0.25, 0.15, 0.1, 0.05][i], 0);
    }
    return [...pages.values()].sort((a, b) => b.score - a.score);
  }

  // The glossary's term of that name.
  function term(query) {
    const wanted = words(query).join(" ");
    return entries.find(({ kind, anchor, head, text }) => kind === "glossary" && anchor && text && (
      head.join(" ") === wanted || telling(query) === head.join(" "))) || null;
  }

  // A piece of the text around the words that were asked for: [said, marked] pairs.
  function excerpt(text, query, most = 200) {
    const terms = new Set(asked(query).flatMap(({ any }) => any));
    const parts = [...text.matchAll(/[\p{L}\p{N}_]+/gu)].map((found) => ({ at: found.index, word: found[0], hit: words(found[0]).some((word) => terms.has(word)) }));
    const hits = parts.filter(({ hit }) => hit);
    let start = 0, best = -1;
    for (const { at } of hits) {
      const inside = new Set(hits.filter((other) => other.at >= at && other.at < at + most - 40).map(({ word }) => stem(plain(word)))).size;
      if (inside > best) [start, best] = [at, inside];
    }
    // Begin with the sentence, if it begins near.
    const before = Math.max(text.lastIndexOf(". ", start) + 1, text.lastIndexOf("? ", start) + 1, 0);
    start = start - before < 80 ? before : Math.max(text.lastIndexOf(" ", start - 40), 0);
    let end = Math.min(start + most, text.length);
    if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), start);
    const pieces = [[`${start > 1 && before !== start ? "… " : ""}`, false]];
    let at = start;
    for (const { at: here, word, hit } of parts) {
      if (!hit || here < start || here + word.length > end) continue;
      pieces.push([text.slice(at, here), false], [word, true]);
      at = here + word.length;
    }
    pieces.push([`${text.slice(at, end)}${end < text.length ? " …" : ""}`, false]);
    return pieces.map(([said, marked], i) => [i === 0 || i === 1 ? said.trimStart() || said : said, marked]).filter(([said]) => said);
  }

  return { begin, search, term, excerpt, names: NAMES, whenReady: (act) => { waiting = act; if (entries.length) act(); } };
})();
