// What the map says in words: of a whole model, of its next guess, of a stage that is pointed at, and of rows without a mask.
"use strict";

Live.mapWords = (() => {
  const { html, number, largest, softmax } = Live, { chance, percent } = Live.mapStrip, size = (row) => Math.sqrt(Live.dot(row, row));
  return {
    // What stands beside the pictures for those who cannot see them.
    all(found, { title, focus: [b, t], head }) {
      const { names, blocks, start } = found.bands[b], all = found.bands.map((one) => one.names.join(" ")).join("; ");
      const lines = blocks.flatMap((one, n) => one.map(([kind, { each, added, after, gone }]) => {
        const columns = kind === "cross" ? found.bands[0].names : names;
        const weights = each && `head ${head + 1}${each[head].gone ? " (off)" : ""}, the weights of ${names[t]}: ${each[head].weights[t].map((weight, j) => `${columns[j]} ${number(weight, 4)}`).join(", ")}; `;
        const end = found.lens?.(after[t]);
        return `Block ${n + 1}, ${Live.stages.KINDS[kind]}${kind === "ffn" && gone ? " (off)" : ""}: ${weights ?? ""}it adds a vector of length ${number(size(added[t]), 4)}.${end ? ` Ended here: ${end.said} ${number(end.share, 4)}.` : ""}`;
      }));
      const order = found.shares.map((_, id) => id).sort((x, y) => found.shares[y] - found.shares[x]).slice(0, found.bars);
      const listed = (shares) => order.map((id) => `${found.token(id)} ${number(shares[id], 4)}`).join(", ");
      return `${title}, the whole model. It reads: ${all}. The vector of ${names[t]} begins with length ${number(size(start[t]), 4)}. ${lines.join(" ")} ${found.asks}: ${listed(found.shares)}.${found.before ? ` The same ${found.whole}: ${listed(found.before)}.` : ""}`;
    },
    // What a tour says of the model that is shown, by the names in its sentences.
    facts({ bands, heads, shares, before, lens, token }, head, story) {
      const { blocks, start, names } = bands.at(-1), [first, then] = bands[0].blocks[0], across = blocks.at(-1).find(([kind]) => kind === "cross"), word = (n) => ["no", "one", "two", "three", "four", "five", "six"][n] ?? n;
      const first_ = first[1].each[head].weights.at(-1);
      return { width: start[0].length, heads: word(heads), blocks: `${word(blocks.length)} block${blocks.length > 1 ? "s" : ""}`, last: blocks.length - 1,
        next: token(largest(shares)), share: chance(Math.max(...shares)), head: head + 1, whole: token(largest(before ?? shares)), guess: lens?.((then ?? first)[1].after.at(-1)).said,
        takes: bands[0].names[largest(first_)], story: story.replace(/[.…]$/, ""), asks: names.at(-1), looks: bands[0].names[across ? largest(across[1].each[head].weights.at(-1)) : 0] };
    },
    // The next guess; if parts are off, beside it what the whole model says: of the same token, or of the one it prefers.
    guess({ before, shares, whole, token }) {
      const best = largest(shares), now = ` ▸ ${token(best)} ${percent(shares[best])}`;
      if (!before) return now;
      const first = largest(before);
      return first === best ? `${now} (${percent(before[best])} ${whole})` : `${now}, ${whole} ${token(first)} ${percent(before[first])} (now ${percent(shares[first])})`;
    },
    // What happens in a column, in one sentence.
    told(found, { focus, head, causal }, { band: b, column, row: at, token }) {
      const t = at ?? (focus[0] === b ? focus[1] : found.bands[b].names.length - 1), { names, writes } = found.bands[b], me = `“${names[t]}”`;
      if (!column) return "";
      const n = column.block + 1;
      const does = Live.stages.DOES[column.kind];
      // Of a decoder: what this vector would lead to if no stage followed.
      const lens = (row) => { const end = found.lens?.(column.after[row]); return end ? ` Guess so far: “${end.said}”${end.said === names[row] ? " again" : ""} (${chance(end.share)}).` : ""; };
      if (column.kind === "embed") return `${does} Here a vector has ${found.bands[b].start[0].length} numbers.${found.places ? "" : " Positions are switched off: none is added."} Two equal tokens differ here by their position only.${lens(t)}`;
      if (Live.stages.off(column, head)) return `${does} In block ${n} ${column.each ? `head ${head + 1}` : "it"} is switched off, and adds nothing to any row.`;
      if (column.kind === "ffn") return `${does} In block ${n} it adds a vector of length ${number(size(column.added[t]), 1)} to that of ${me}.${lens(t)}`;
      if (column.kind === "norm") return does;
      if (column.kind === "scores") {
        const id = token ?? largest(found.shares), its = `a score of ${number(found.logits[id])} and a probability of ${chance(found.shares[id])}`;
        return `${does} “${found.token(id)}” has ${its}. ${token === undefined ? "Press a bar to write its token." : "Press to write it."}`;
      }
      const row = column.each[head].weights[t], best = largest(row), columns = column.kind === "cross" ? found.bands[0].names : names;
      const idle = column.kind === "self" && !best && t && causal ? " Heads that find nothing rest there." : "";
      const most_ = `“${columns[best]}” (weight ${number(row[best])}).`;
      if (writes) return `${does} For the word after ${me}, head ${head + 1} of block ${n} looks most at ${most_}`;
      return `${does} Here ${me} attends most to ${most_}${idle}${lens(t)}`;
    },
    // A decoder without its mask or its positions: what changes, counted, and row by row. `rows` are those without and with both;
    // `striking` is a text that shows it well, if it is not there, and `take` reads it.
    leaks({ token, places, bands: [{ names }] }, temperature, rows, { causal, open, striking, take }) {
      const [without, whole] = rows.map((all) => all.slice(0, -1).map(({ logits, next }) => {
        const shares = softmax(logits.map((one) => one / temperature)), best = largest(shares);
        return { next, best, most: shares[best], right: shares[next], guess: `${token(best)} ${number(shares[best])}` };
      }));
      const n = without.length, mean = (all) => number(all.reduce((sum, { right }) => sum + right, 0) / n), part = causal ? "positions" : places ? "mask" : "both";
      const changed = without.filter(({ best }, t) => best !== whole[t].best).length, first = largest(without.map(({ right }, t) => Math.abs(whole[t].right - right)));
      const row = (cells, tag, kind = "") => html("tr", { class: kind }, cells.map((one) => html(tag, {}, one)));
      const body = without.map(({ next, guess, right }, t) => row([names[t], token(next), guess, number(right, 3), number(whole[t].right, 3)], "td", t === first ? "most" : ""));
      const said = [causal ? "" : "The causal mask is off: each row now sees the tokens after it.", places ? "" : "The positions are off: a row knows which tokens stand before it, but not where.",
        n ? `The first guess changes in ${changed} of ${n} rows. The true next token has probability ${mean(without)} on average, and ${mean(whole)} with ${part === "both" ? "both" : `the ${part}`} on. The largest change is at “${names[first]}”: it guessed ${whole[first].guess}, and now ${without[first].guess}.` : "Type a second token to compare.",
        causal ? "" : "In training the mask was on. A model trained without it would learn to copy the next token."];
      return [html("p", { class: "live-note" }, said.filter(Boolean).join(" ")),
        striking ? html("button", { type: "button", onclick: () => take(striking) }, `Seen well with “${striking}”`) : "",
        n ? html("details", { open: Boolean(open) }, html("summary", {}, "Row by row"), html("table", {}, html("thead", {}, row(["row", "true next token", `its guess, ${part} off`, `true token, ${part} off`, `${part} on`], "th")), html("tbody", {}, body))) : ""];
    },
  };
})();
