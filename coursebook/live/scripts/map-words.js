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
      const lens = (row) => { const end = found.lens?.(column.after[row]); return end ? ` If the model ended here, ${me} would be followed by “${end.said}” (${chance(end.share)}).` : ""; };
      if (column.kind === "embed") return `${does} Here a vector has ${found.bands[b].start[0].length} numbers.${found.places ? "" : " Positions are switched off: none is added."} Two equal tokens differ here by their position only.${lens(t)}`;
      if (Live.stages.off(column, head)) return `${does} In block ${n} ${column.each ? `head ${head + 1}` : "it"} is switched off, and adds nothing to any row.`;
      if (column.kind === "ffn") return `${does} In block ${n} it adds a vector of length ${number(size(column.added[t]), 1)} to that of ${me}.${lens(t)}`;
      if (column.kind === "norm") return does;
      if (column.kind === "scores") {
        const id = token ?? largest(found.shares), its = `a score of ${number(found.logits[id])} and a probability of ${chance(found.shares[id])}`;
        return `${does} “${found.token(id)}” has ${its}. ${token === undefined ? "Press a bar to write its token." : "Press to write it."}`;
      }
      const row = column.each[head].weights[t], best = largest(row), columns = column.kind === "cross" ? found.bands[0].names : names;
      const idle = column.kind === "self" && !best && t && causal ? " Many heads rest there when they find nothing." : "";
      const most_ = `“${columns[best]}” (weight ${number(row[best])}).`;
      if (writes) return `${does} For the word after ${me}, head ${head + 1} of block ${n} looks most at ${most_}`;
      return `${does} In block ${n}, head ${head + 1}, ${me} attends most to ${most_}${idle}${lens(t)}`;
    },
    // A decoder without its mask: what each row guesses, beside the token that it can then see. `rows` are those without and with it.
    leaks({ token, bands: [{ names }] }, temperature, rows) {
      const [open, masked] = rows.map((all) => all.map(({ logits, next }) => ({ next, shares: softmax(logits.map((one) => one / temperature)) })));
      const row = (cells, tag) => html("tr", {}, cells.map((one) => html(tag, {}, one)));
      const body = names.slice(0, -1).map((one, t) => {
        const { shares, next } = open[t], best = largest(shares);
        return row([one, token(next), `${token(best)} ${number(shares[best])}`, number(shares[next], 3), number(masked[t].shares[next], 3)], "td");
      });
      return [
        html("p", { class: "live-note" }, "Why does the last token's guess hardly change? None comes after it: it learns more only through the rows above. Look at those: each can now see the token that it has to guess. In training that is a leak: a model would learn to copy it. This one learned with the mask, and so does not know how."),
        html("table", {}, html("thead", {}, row(["row", "true next token", "its guess, mask off", "true token, mask off", "mask on"], "th")), html("tbody", {}, body))];
    },
  };
})();
