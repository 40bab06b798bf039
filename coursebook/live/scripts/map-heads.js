// All heads of an attention as small pictures beside the choice of one: a row for each query, a column for each key. Whoever
// does not use a mouse has the same choice in the list.
"use strict";

Live.mapHeads = (to, count, choose) => {
  const { html, svg, box } = Live, SIZE = 30;
  // A button stays while it is drawn anew, so that a click on it counts.
  const buttons = Array.from({ length: count }, (_, h) => html("button", { type: "button", tabindex: -1, onclick: () => choose(h) }, html("span", { class: "live-picture" })));
  to.prepend(html("span", { class: "map-heads", "aria-hidden": "true" }, buttons));
  const picture = (rows, kind) => {
    const [wide, high] = [SIZE / rows[0].length, SIZE / rows.length];
    return svg("svg", { width: SIZE, height: SIZE }, box(0, 0, SIZE, SIZE, "track"),
      rows.map((row, t) => row.map((weight, j) => (weight < 0.005 ? null : box(j * wide, t * high, wide, high, `cell ${kind}`, { "fill-opacity": weight })))));
  };
  return {
    // The heads of one attention, of which `head` is shown in numbers.
    draw(each, head, kind) {
      buttons.forEach((button, h) => {
        const { weights, gone } = each[h];
        button.title = `Head ${h + 1}${gone ? ", off" : ""}`;
        button.classList.toggle("chosen", h === head);
        button.classList.toggle("gone", Boolean(gone));
        button.firstChild.replaceChildren(picture(weights, kind));
      });
    },
  };
};

// A button that shows what all heads together add to the row, or again one head; a function that presses it.
Live.mapHeads.join = (to, on, change) => {
  const button = Live.html("button", { type: "button", class: "map-joins", title: "All heads side by side, W_O, and the sum into the row", onclick: () => change(press(button.getAttribute("aria-pressed") === "false")) }, "All heads");
  const press = (pressed) => { button.setAttribute("aria-pressed", pressed); return pressed; };
  press(on);
  to.append(button);
  return press;
};
