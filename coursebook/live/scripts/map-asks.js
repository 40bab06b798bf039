// What a stop of a guided tour asks before it shows its answer: the choices, which of them is right, and what the answer
// says. All of it is computed by the model that is shown, for the text that it has read.
"use strict";

Live.mapAsks = (() => {
  const { number, largest, softmax } = Live, { chance } = Live.mapStrip, size = (row) => Math.sqrt(Live.dot(row, row));
  const LEAST = 0.01; // a change of a probability that counts
  const quoted = (said) => `“${said}”`;

  // The right one and two others at most, the first in `all`, each name once, in the order of their rows.
  function picked(all, right) {
    const others = all.filter(({ said }, n) => said !== right.said && all.findIndex((one) => one.said === said) === n).slice(0, 2);
    const shown = [right, ...others].sort((a, b) => a.at - b.at);
    return { choices: shown.map(({ said }) => quoted(said)), right: shown.indexOf(right), shown };
  }
  // By name, so that the order does not give the answer away.
  const byName = (names, right) => picked([...new Set(names)].sort().map((said, at) => ({ said, at })), { said: right, at: [...new Set(names)].sort().indexOf(right) });
  // The one with the largest weight.
  function most(names, weights) {
    const all = weights.map((weight, at) => ({ said: names[at], at, weight })).sort((a, b) => b.weight - a.weight);
    return { ...picked(all, all[0]), weight: number(all[0].weight) };
  }
  const either = (choices, right) => ({ choices, right });
  // What the model says with something taken away, beside what it says now.
  function outcome({ token, best, share }, shares) {
    const other = largest(shares);
    return other === best ? `It still says ${quoted(token(best))}, with probability ${chance(shares[best])} instead of ${chance(share)}.`
      : `It says ${quoted(token(other))}, with probability ${chance(shares[other])}, and ${quoted(token(best))} has ${chance(shares[best])} instead of ${chance(share)}.`;
  }

  const KINDS = {
    // Without which token is the likeliest one least likely?
    without({ names, ask, best, last }) {
      const all = names.slice(0, last).map((said, at) => ({ said, at, share: ask((ids) => ids.filter((_, t) => t !== at))[best] }));
      if (!all.length) return either([], 0);
      const right = all.reduce((a, b) => (b.share < a.share ? b : a)), found = picked([...all].reverse(), right);
      return { ...found, least: right.said, now: chance(right.share), others: found.shown.filter((one) => one !== right).map(({ said, share }) => `without ${quoted(said)} ${chance(share)}`).join(", ") };
    },
    positions(at) {
      const shares = at.ask((ids) => ids, { places: false });
      return { ...either(["Yes", "No"], Number(largest(shares) !== at.best)), outcome: outcome(at, shares) };
    },
    // From which row does the last one take most, in this head?
    takes: ({ names, weights }) => most(names, weights),
    // Is it the same in another head?
    same({ names, weights, asked }) {
      const other = largest(asked);
      return { ...either(names.length > 1 ? ["Yes", "No"] : [], Number(other !== largest(weights))), other: names[other], weight: number(asked[other]) };
    },
    // What becomes of the largest weight if all scores are twice as large?
    sharper({ names, weights, scores }) {
      const most = Math.max(...weights);
      return { ...either(names.length > 1 ? ["rise", "fall", "stay the same"] : [], 0), weight: number(most), now: number(Math.max(...softmax(scores.map((score) => 2 * score)))) };
    },
    longer({ first: { from, added, after }, last }) {
      const [row, one, sum] = [from, added, after].map((rows) => size(rows[last]));
      return { ...either(["longer", "shorter"], Number(one < row)), added: number(one), row: number(row), sum: number(sum) };
    },
    // What would be written after the first block?
    guess({ block, lens, last, next, names, token, order }) {
      const end = lens(block.at(-1)[1].after[last]);
      return { ...byName([end.said, ...[next, names[last], ...order.map(token)].filter((said) => said !== end.said).slice(0, 2)], end.said), now: chance(end.share) };
    },
    off(at) {
      const shares = at.ask((ids) => ids, { gone: new Set([at.off]) }), change = shares[at.best] - at.share;
      return { ...either(["rise", "fall", "hardly change"], Math.abs(change) < LEAST ? 2 : Number(change < 0)), outcome: outcome(at, shares) };
    },
    // Is it the same with a causal mask?
    masked(at) {
      const shares = at.ask((ids) => ids, { causal: true });
      return { ...either(["Yes", "No"], Number(largest(shares) !== at.best)), outcome: outcome(at, shares) };
    },
    // From which row of the encoder does the decoder's last row take most?
    looks: ({ sources, cross }) => most(sources, cross),
    // What comes after the token that is written next?
    after({ ask, best, token }) {
      const shares = ask((ids) => [...ids, best]), top = shares.map((_, id) => id).sort((a, b) => shares[b] - shares[a]).slice(0, 3);
      return { ...byName(top.map(token), token(top[0])), after: token(top[0]), now: chance(shares[top[0]]) };
    },
  };

  // `ask` gives the probabilities for other ids, or with other parts; `head` is the one that is shown, `asked` that of the stop.
  return (kind, found, { head, asked, off, ask }) => {
    const { names, blocks, scored: last } = found.bands.at(-1), { shares, token, lens } = found, [block] = blocks, first = block[0][1], best = largest(shares);
    const across = blocks.at(-1).find(([part]) => part === "cross")?.[1];
    const order = shares.map((_, id) => id).sort((a, b) => shares[b] - shares[a]).slice(0, 5), seen = (row) => row.slice(0, last + 1);
    return KINDS[kind]({ names, block, first, last, best, token, lens, order, off, ask, next: token(best), share: shares[best], sources: found.bands[0].names, cross: across?.each[asked].weights[last],
      weights: seen(first.each[head].weights[last]), scores: seen(first.each[head].scores[last]), asked: seen(first.each[asked].weights[last]) });
  };
})();
