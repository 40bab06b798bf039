// All heads of an attention as small pictures beside the choice of one: a row for each query, a column for each key. Whoever
// does not use a mouse has the same choice in the list.
"use strict";

Live.mapHeads = (to, choose) => {
  const { html, svg, box } = Live, SIZE = 30, all = html("span", { class: "map-heads", "aria-hidden": "true" });
  to.prepend(all);
  const picture = (rows, kind) => {
    const [wide, high] = [SIZE / rows[0].length, SIZE / rows.length];
    return svg("svg", { width: SIZE, height: SIZE }, box(0, 0, SIZE, SIZE, "track"),
      rows.map((row, t) => row.map((weight, j) => (weight < 0.005 ? null : box(j * wide, t * high, wide, high, `cell ${kind}`, { "fill-opacity": weight })))));
  };
  return {
    // The heads of one attention, of which `head` is shown in numbers.
    draw(each, head, kind) {
      all.replaceChildren(...each.map(({ weights, gone }, h) => html("button", {
        type: "button", tabindex: -1, title: `Head ${h + 1}${gone ? ", off" : ""}`, class: `${h === head ? "chosen" : ""}${gone ? " gone" : ""}`, onclick: () => choose(h),
      }, html("span", { class: "live-picture" }, picture(weights, kind)))));
    },
  };
};
