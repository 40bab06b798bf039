// What the map's panel shows of each stage but the attentions: the vectors there, line by line, and a card with the numbers
// of what is pointed at. A view has `title`, `alt`, `lines` of { said, vector, note }, or a `table`, and what can be
// chosen in its card, `keys`. card(pointed) has the numbers, as rows of [label, first text, second text, length of the bar].
"use strict";

Live.mapViews = (() => {
  const { dot, largest, number } = Live, { chance, full } = Live.mapStrip;
  const size = (row) => Math.sqrt(dot(row, row)), highest = (values, count) => values.map((_, i) => i).sort((a, b) => values[b] - values[a]).slice(0, count);
  const sized = (row) => `length ‖x‖ = ${number(size(row), 1)}`;
  const spread = (row) => {
    const mean = row.reduce((a, b) => a + b, 0) / row.length;
    return `mean ${number(mean)}, spread ${number(Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length))}, ${sized(row)}`;
  };
  const most = (vectors) => Live.mapStrip.greatest(vectors), own = (vector) => `to ±${number(most([vector]), 1)}`;
  // The numbers at one place of several vectors, one below the other.
  function column(vectors, labels, i) {
    const values = vectors.map((vector) => vector[i]), top = Math.max(...values.map(Math.abs), 1e-9);
    const title = `Number ${i + 1} of ${vectors[0].length}`, said = (digits) => `${title}: ${values.map((value, n) => `${labels[n]} ${number(value, digits)}`).join("; ")}.`;
    return { title, rows: values.map((value, n) => [labels[n], "", number(value), value / top]), said: said(2), exact: said(4) };
  }
  // The largest number of a sum whose parts, as they are printed, add up to it.
  const strongest = (parts, sum) => {
    const cents = (value) => Math.round(100 * value), adds = (i) => parts.reduce((all, part) => all + cents(part[i]), 0) === cents(sum[i]);
    return largest(sum.map((value, i) => (adds(i) ? Math.abs(value) : 0)));
  };

  function embed({ bands, embeds, places }, { band: b, t }) {
    const { names, embed: { embedded, positions, sum }, start } = bands[b], [first, second, norm] = embeds;
    const vectors = [embedded[t], positions[t], sum[t], ...(norm ? [start[t]] : [])], off = positions[t].every((value) => !value);
    const said = [`${first} of “${names[t]}”`, `+ ${second}${norm ? "" : `, place ${t + 1}`}`, `= ${norm ? "their sum" : "their sum: the row of the token"}`, norm].slice(0, vectors.length);
    return {
      title: `Embedding of “${names[t]}”${places ? "" : ", positions off"}`, alt: `token, position and sum have lengths ${vectors.map((vector) => number(size(vector), 4)).join(", ")}`,
      lines: vectors.map((vector, n) => ({ said: said[n], vector, note: n === 1 && !places ? (off ? "switched off" : `position off, ${sized(vector)}`) : sized(vector) })), most: most(vectors), keys: [],
      card: ({ i = strongest([embedded[t], positions[t]], sum[t]) }) => ({ ...column(vectors, ["token", "+ position", "= sum", "LN of the sum"], i), i }),
    };
  }

  // All heads of an attention side by side, mixed by W_O, and added to the row.
  function joined({ bands }, { band: b, column: { kind, block, each, from, added, after }, t }) {
    const { names, norms } = bands[b], all = each.flatMap(({ output }) => output[t]), last = norms === "after" ? "LN of row + added" : "row after = before + added";
    const stream = [from[t], added[t], after[t]], labels = ["row before", "+ attention", norms === "after" ? "LN of the sum" : "= row after"];
    return {
      title: `Block ${block + 1}${bands[1] ? `, ${Live.stages.KINDS[kind]}` : ""}, all heads: added to “${names[t]}”`,
      alt: `the outputs of ${each.length} heads side by side have length ${number(size(all), 4)}; times W_O they add a vector of length ${number(size(added[t]), 4)}`,
      lines: [
        { said: `${each.length} heads' outputs, side by side`, vector: all, group: "heads", cuts: each.length, lit: "heads", note: `${each.length} × ${all.length / each.length} numbers` },
        { said: "× W_O + b: attention adds", vector: added[t], lit: "added", note: sized(added[t]) }, { said: "row before", vector: from[t], lit: "before", note: sized(from[t]) }, { said: last, vector: after[t], lit: "after", note: sized(after[t]) }],
      most: most([all, ...stream]), keys: [],
      card({ i, group = "" }) {
        if (group !== "heads") { const at = i ?? strongest([from[t], added[t]], after[t]); return { ...column(stream, labels, at), i: at }; }
        const own_ = all.length / each.length, h = Math.floor(i / own_), said = `Number ${(i % own_) + 1} of head ${h + 1}: ${number(all[i])}.`;
        return { ...column(stream, labels, strongest([from[t], added[t]], after[t])), i, group, said: `${said} Each number that attention adds is a sum over all ${all.length} numbers of the heads, with a column of W_O as weights, and a bias.` };
      },
    };
  }

  function ffn({ bands, activation, unit: gives, scores: scored_, token }, { band: b, column: { block, from, read, inner, hidden, gone, added, after }, t, temperature }) {
    const { names, norms } = bands[b], [x, wide] = [read[t], hidden[t]], units = highest(wide, 5), labels = ["row before", "FFN adds", norms === "after" ? "LN of the sum" : "row after"];
    const stream = [from[t], added[t], after[t]];
    // Where in the text a unit is strongest. In a decoder also the row's probabilities after the last block, without what the
    // unit gives: which token it raises most, which it lowers most, with the probabilities with and without it.
    const fires = (unit) => highest(hidden.map((row) => row[unit]), 2).filter((at) => hidden[at][unit] > 0).map((at) => `“${names[at]}” ${number(hidden[at][unit])}`).join(", ");
    const known = new Map(), effects = Boolean(gives) && !gone, end = bands[b].blocks.at(-1).at(-1)[1].after[t], shares = (vector) => Live.softmax(scored_(vector).map((one) => one / temperature));
    const whole = effects ? shares(end) : null;
    function moves(unit) {
      if (!known.has(unit)) {
        const row = gives(block, unit), left = shares(end.map((value, i) => value - wide[unit] * row[i])), change = whole.map((share, id) => share - left[id]);
        known.set(unit, [largest(change), largest(change.map((one) => -one))].map((id) => ({ token: token(id), share: whole[id], left: left[id] })));
      }
      return known.get(unit);
    }
    const told = ({ token: name, share, left }) => `“${name}” ${chance(left)}, not ${chance(share)}`;
    const tells = (unit) => `${fires(unit) ? ` Strongest in this text at ${fires(unit)}.` : ""}${effects ? ` Taken out of the row at its end: next ${moves(unit).map(told).join("; ")}.` : ""}`;
    const all = [[norms === "before" ? "x: norm of the row" : "x: the row", x], [`inside: ${activation}(x W_1 + b)`, wide], ["inside × W_2: FFN adds", added[t]], ...(norms === "before" ? [["row before", from[t]]] : []), [norms === "after" ? "LN of row + added" : "row after = before + added", after[t]]];
    return {
      title: `Block ${block + 1}, feed-forward${gone ? " is off" : ""}: “${names[t]}”`, off: gone,
      alt: `the strongest units: ${units.map((unit) => `${unit + 1}: ${number(inner[t][unit], 4)} becomes ${number(wide[unit], 4)}`).join("; ")}. It adds a vector of length ${number(size(added[t]), 4)}`,
      lines: all.map(([said, vector], n) => ({ said, vector, lit: ["x", "inside", "added", norms === "before" ? "before" : "after", "after"][n], group: vector === wide ? "unit" : "", note: n === 1 ? `${x.length} → ${wide.length} numbers` : vector === added[t] && gone ? "switched off: adds 0" : sized(vector) })),
      most: most([x, wide, ...stream]), keys: units.map((unit) => ({ key: unit, said: `unit ${unit + 1}: ${number(inner[t][unit])} becomes ${number(wide[unit])}` })),
      card({ i, group = "", key: kept }) {
        const key = group === "unit" && i !== undefined ? i : kept;
        if (i !== undefined && group === "") return { ...column(stream, labels, i), i };
        const listed = key === undefined || units.includes(key) ? units : [key, ...units.slice(0, 4)], top = wide[units[0]] || 1;
        return {
          title: `The strongest of ${wide.length} units`, heads: effects ? ["unit: + raises, − lowers", "", activation] : ["unit", "x·w + b", activation], group: "unit", i: key, chosen: key, letters: effects ? 22 : 13,
          rows: listed.map((unit) => [effects ? `${unit + 1} +${moves(unit)[0].token} −${moves(unit)[1].token}` : String(unit + 1), effects ? "" : number(inner[t][unit]), number(wide[unit]), wide[unit] / top]), keys: listed,
          said: key === undefined ? `Each unit multiplies the row x by weights w of its own (its column of the matrix W_1), adds a number b, and puts the sum through ${activation}. Point at a unit to see where in the text it is strongest${effects ? ", and which next token it raises and lowers most" : ""}.`
            : `Unit ${key + 1} of ${wide.length}: ${activation}(x · w + b) = ${activation}(${number(inner[t][key])}) = ${number(wide[key])}.${tells(key)}`,
        };
      },
    };
  }

  const scored = ({ scoring: { last }, vector, bias = () => 0, logits }, id) => {
    const products = last.map((value, i) => value * vector(id)[i]), sum = products.reduce((a, b) => a + b, 0);
    return { products, sum, bias: bias(id), score: logits[id] };
  };
  const made = ({ sum, bias, score }) => (bias ? `sum ${number(sum)} + bias ${number(bias)} = score ${number(score)}` : `sum = score ${number(score)}`);

  // The last norm step by step; of a token that is chosen, how its score is made of the last vector.
  function norm(found) {
    const { scoring: { from, layer, last, norm: { gain, shift, eps } }, logits, token, vector } = found, ids = highest(logits, 5), top = Math.max(...ids.map((id) => Math.abs(logits[id])));
    const at = (id) => scored(found, id), band = found.bands.find(({ scored: row }) => row !== undefined), x = layer ?? from;
    const even = Live.norm(x, x.map(() => 1), x.map(() => 0), eps), steps = [...(layer ? [layer] : []), even, gain, shift, last];
    const labels = ["row", ...(layer ? ["layer"] : []), "normalised", "× gain γ", "+ shift β", "= last vector"];
    const own_ = (vector_) => ({ vector: vector_, most: most([vector_]), note: `${sized(vector_)}, ${own(vector_)}` });
    return {
      title: `${band.head[0].toUpperCase()}${band.head.slice(1)}, and scores`, alt: `scores of the likeliest: ${ids.map((id) => `${token(id)} ${number(logits[id], 4)}`).join(", ")}`, folds: true,
      lines: ({ key }) => (key === undefined ? [
        { said: `x: “${band.names[band.scored]}” after the last block`, vector: from, lit: "norm", note: spread(from) },
        ...(layer ? [{ said: "ReLU(x W + b)", vector: layer, lit: "norm", note: spread(layer) }] : []),
        { said: "(x − mean) ÷ spread", vector: even, lit: "norm", note: spread(even) }, { said: "× γ, the gain", lit: "norm", ...own_(gain) },
        { said: "+ β, the shift", lit: "norm", ...own_(shift) }, { said: "= the last vector", vector: last, lit: "norm", note: spread(last) }]
        : [{ said: "the last vector", vector: last, note: spread(last) }, { said: `× token vector of “${token(key)}”`, ...own_(vector(key)) },
          { said: `= ${last.length} products`, ...own_(at(key).products), note: `${made(at(key))}, ${own(at(key).products)}` }]),
      most: most([from, last, even, x]), keys: ids.map((id) => ({ key: id, said: `${token(id)}: score ${number(logits[id])}` })),
      card({ i, key }) {
        const numbers = i === undefined ? null : key === undefined ? column([from, ...steps], labels, i) : column([last, vector(key), at(key).products], ["last vector", `“${token(key)}”`, "product"], i);
        if (numbers && key === undefined) return { ...numbers, i };
        return {
          title: "last vector · token vector", heads: ["token", "", "score"], chosen: key, keys: ids, i,
          rows: ids.map((id) => [token(id), "", number(logits[id]), logits[id] / top]),
          said: key === undefined ? "The norm step by step: point at a number to read it. Choose a token at the right to see how its score is made; choose it again to come back."
            : i === undefined ? `The last vector times the vector of “${token(key)}”: ${made(at(key))}.` : numbers.said, exact: numbers?.exact,
        };
      },
    };
  }

  // From the scores to the probabilities: divided by the temperature, in powers of e, and each power in shares of their sum.
  function scores(found, { temperature }) {
    const { logits, token, shares, before, bars, draws } = found, ids = highest(shares, bars), heat = logits.map((score) => score / temperature), top = Math.max(...heat);
    const powers = heat.map((score) => Math.exp(score - top)), sum = powers.reduce((a, b) => a + b, 0), rest = ids.reduce((left, id) => left - powers[id], sum);
    const heads = ["token", "score s", ...(draws ? [`s ÷ ${number(temperature)}`] : []), `exp(… − ${number(top)})`, "÷ sum"];
    const row = (id) => [token(id), number(logits[id]), ...(draws ? [number(heat[id])] : []), chance(powers[id]), chance(shares[id])];
    return {
      title: "Scores become probabilities", alt: ids.map((id) => `${token(id)}: score ${number(logits[id], 4)}, divided by T ${number(heat[id], 4)}, exp ${number(powers[id], 4)}, share ${number(shares[id], 4)}`).join("; "),
      lines: [], most: 1, keys: ids.map((id) => ({ key: id, said: `${token(id)}: probability ${chance(shares[id])}` })),
      table: { heads, full: full(found, ids), rows: ids.map((id) => ({ cells: row(id), share: shares[id], before: before?.[id] })), keys: ids,
        last: [`${(logits.length - ids.length).toLocaleString("en")} others`, ...heads.slice(3).map(() => ""), number(rest), chance(rest / sum)] },
      card({ key = ids[0] }) {
        const one = scored(found, key);
        return {
          title: `“${token(key)}”: last vector · its vector`, bars: one.products, chosen: key, keys: [],
          rows: [[one.bias ? `sum ${number(one.sum)} + bias` : "sum of the products: score", "", number(one.score)], [`exp(${number(heat[key])} − ${number(top)})`, "", chance(powers[key])],
            [`sum of exp, all ${logits.length.toLocaleString("en")}`, "", number(sum)], ["probability", "", chance(shares[key])]],
          said: `“${token(key)}”: ${made(one)}${draws ? `, ÷ T = ${number(heat[key])}` : ""}; exp(${number(heat[key])} − ${number(top)}) = ${chance(powers[key])}; ÷ ${number(sum)} = ${chance(shares[key])}.`,
        };
      },
    };
  }
  return { embed, joined, ffn, norm, scores };
})();
