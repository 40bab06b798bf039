// A link to what the map shows: the state as a query in the page's address, and a button that copies it.
"use strict";

Live.mapLink = (() => {
  const { html } = Live, LONGEST = 2000; // characters of a text

  // The page's address with this state; what is null, empty or false is left out. A text keeps its end, which is what is read.
  function address({ text, ...state }) {
    const url = new URL(location.href), said = Object.entries({ ...state, text: text.slice(-LONGEST) }).filter(([, value]) => value || value === 0);
    url.search = new URLSearchParams(said);
    url.hash = "";
    return url.href;
  }

  // What an address asks for. A value that is missing or has not the right form is null: whether the model has it is for
  // the figure to say.
  function read(search) {
    const all = new URLSearchParams(search), get = (key, form) => all.get(key)?.match(form)?.[0] ?? null;
    const whole = (key) => { const found = get(key, /^\d{1,3}$/); return found && Number(found); };
    const temperature = Number(get("temperature", /^\d{1,2}(\.\d+)?$/));
    return {
      model: all.get("model"), text: (all.get("text") ?? "").slice(0, LONGEST), into: all.get("into"), open: all.get("open"), off: all.get("off"),
      written: (get("written", /^\d{1,5}(-\d{1,5})*$/) ?? "").split("-").filter(Boolean).map(Number), hidden: whole("hidden"), head: whole("head"),
      row: get("row", /^[01]\.\d{1,3}$/)?.split(".").map(Number) ?? null, mask: get("mask", /^(on|off)$/), positions: get("positions", /^off$/),
      // On the slider's steps, within its ends.
      power: temperature ? Math.max(-0.7, Math.min(0.7, Math.round(20 * Math.log10(temperature)) / 20)) : 0,
    };
  }

  // The button in `to`. Where the browser does not let the page copy, the address stands in a field, selected.
  function button(to, state) {
    if (!/^(https?|file):/.test(location.protocol)) return; // in a notebook there is no page to open
    const said = html("span", { class: "map-copied", role: "status" });
    const field = html("input", { type: "text", class: "map-address", readonly: true, hidden: true, "aria-label": "Link to what is shown", onblur: () => { field.hidden = true; said.textContent = ""; } });
    const copy = async () => {
      const link = address(state());
      said.textContent = "";
      try {
        await navigator.clipboard.writeText(link);
        said.textContent = "Link copied";
        setTimeout(() => { if (field.hidden) said.textContent = ""; }, 4000);
      } catch {
        field.hidden = false;
        field.value = link;
        field.focus();
        field.select();
        said.textContent = "Copy this link:";
      }
    };
    to.append(html("button", { type: "button", title: "Copies a link to what is shown", onclick: copy }, "Copy link"), said, field);
  }

  // Has a model read and write what a link asks for; what it remarks of that.
  function ask(of, { into, written, hidden }, languages) {
    if (of.language && languages.some(([key]) => key === into)) of.language = into;
    if (of.count) for (const id of written) if (of.token(id) === undefined || !of.next(id)) break;
    if (!of.hide || hidden === null || of.word(hidden) === undefined) return "";
    of.hide(hidden);
    return of.remark();
  }
  // How the map is to be set for a link; what the model does not have is left out.
  const set = (of, { head, mask, off, positions, power }) => ({
    head: head !== null && head < of.heads ? head : undefined, causal: mask ? mask === "on" : undefined, off: of.off.some(([key]) => key === off) ? off : "",
    positions: !positions, power: of.draws ? power : 0,
  });
  return { address, read, button, ask, set };
})();
