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

  function ffn({ bands, activation }, { band: b, column: { block, from, read, inner, hidden, gone, added, after }, t }) {
    const { names, norms } = bands[b], [x, wide] = [read[t], hidden[t]], units = highest(wide, 5), labels = ["row before", "FFN adds", norms === "after" ? "LN of the sum" : "row after"];
    const stream = [from[t], added[t], after[t]];
    const all = [[norms === "before" ? "x: norm of the row" : "x: the row", x], [`inside: ${activation}(x W_1 + b)`, wide], ["inside × W_2: FFN adds", added[t]], ...(norms === "before" ? [["row before", from[t]]] : []), [norms === "after" ? "LN of row + added" : "row after = before + added", after[t]]];
    return {
      title: `Block ${block + 1}, feed-forward${gone ? " is off" : ""}: “${names[t]}”`, off: gone,
      alt: `the strongest units: ${units.map((unit) => `${unit + 1}: ${number(inner[t][unit], 4)} becomes ${number(wide[unit], 4)}`).join("; ")}. It adds a vector of length ${number(size(added[t]), 4)}`,
      lines: all.map(([said, vector], n) => ({ said, vector, group: vector === wide ? "unit" : "", note: n === 1 ? `${x.length} → ${wide.length} numbers` : vector === added[t] && gone ? "switched off: adds 0" : sized(vector) })),
      most: most([x, wide, ...stream]), keys: units.map((unit) => ({ key: unit, said: `unit ${unit + 1}: ${number(inner[t][unit])} becomes ${number(wide[unit])}` })),
      card({ i, group = "", key: kept }) {
        const key = group === "unit" && i !== undefined ? i : kept;
        if (i !== undefined && group === "") return { ...column(stream, labels, i), i };
        const listed = key === undefined || units.includes(key) ? units : [key, ...units.slice(0, 4)], top = wide[units[0]] || 1;
        return {
          title: `The strongest of ${wide.length} units`, heads: ["unit", "x·w + b", activation], group: "unit", i: key, chosen: key,
          rows: listed.map((unit) => [String(unit + 1), number(inner[t][unit]), number(wide[unit]), wide[unit] / top]), keys: listed,
          said: key === undefined ? `Each unit multiplies the row x by weights w of its own (its column of the matrix W_1), adds a number b, and puts the sum through ${activation}. Point at a unit, or at a number of a vector, to read it.`
            : `Unit ${key + 1} of ${wide.length}: x · w + b = ${number(inner[t][key])}, and ${activation} makes ${number(wide[key])} of it. Its weights w are column ${key + 1} of W_1.`,
        };
      },
    };
  }

  const scored = ({ scoring: { last }, vector, bias = () => 0, logits }, id) => {
    const products = last.map((value, i) => value * vector(id)[i]), sum = products.reduce((a, b) => a + b, 0);
    return { products, sum, bias: bias(id), score: logits[id] };
  };
  const made = ({ sum, bias, score }) => (bias ? `sum ${number(sum)} + bias ${number(bias)} = score ${number(score)}` : `sum = score ${number(score)}`);

  function norm(found) {
    const { scoring: { from, last }, logits, token, vector, normed } = found, ids = highest(logits, 5), top = Math.max(...ids.map((id) => Math.abs(logits[id])));
    const at = (id) => scored(found, id), band = found.bands.find(({ scored: row }) => row !== undefined);
    return {
      title: `${band.head[0].toUpperCase()}${band.head.slice(1)}, and scores`, alt: `scores of the likeliest: ${ids.map((id) => `${token(id)} ${number(logits[id], 4)}`).join(", ")}`,
      lines: ({ key = ids[0] }) => [
        { said: `“${band.names[band.scored]}” after the last block`, vector: from, note: spread(from) }, { said: `${normed}: the last vector`, vector: last, note: spread(last) },
        { said: `× token vector of “${token(key)}”`, vector: vector(key), most: most([vector(key)]), note: `${sized(vector(key))}, ${own(vector(key))}` }, { said: `= ${last.length} products`, vector: at(key).products, most: most([at(key).products]), note: `${made(at(key))}, ${own(at(key).products)}` }],
      most: most([from, last]), keys: ids.map((id) => ({ key: id, said: `${token(id)}: score ${number(logits[id])}` })),
      card({ i, key = ids[0] }) {
        const numbers = i === undefined ? null : column([last, vector(key), at(key).products], ["last vector", `“${token(key)}”`, "product"], i);
        return {
          title: "last vector · token vector", heads: ["token", "", "score"], chosen: key, keys: ids, i,
          rows: ids.map((id) => [token(id), "", number(logits[id]), logits[id] / top]),
          said: i === undefined ? `The last vector times the vector of “${token(key)}”: ${made(at(key))}.` : numbers.said, exact: numbers?.exact,
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
  return { embed, ffn, norm, scores };
})();
