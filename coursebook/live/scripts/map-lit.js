// What a stop of a guided tour lights: the named parts of the map, or of the view of a stage. All other parts are dimmed.
"use strict";

Live.mapLit = () => {
  let names = null;
  return {
    // Lights these parts; nothing is dimmed if there are none.
    set(to) { names = to ? new Set(to) : null; },
    // A part with all its names, drawn as always while nothing is dimmed.
    part(own, ...drawn) {
      const all = drawn.flat(Infinity).filter(Boolean);
      return names ? Live.svg("g", { class: own.some((name) => names.has(name)) ? "lit" : "dim", "data-parts": own.join(" ") }, all) : all;
    },
  };
};
