// The claims ledger: show only some verdicts, one lecture's claims, one lesson's, or those with a
// serious limit. What is chosen is in the address, "#verdict-unsettled_lecture-KA", so that a view
// can be linked to; the theme looks links up as selectors, which have no "=". Without this script
// all claims are shown.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const tables = [...document.querySelectorAll("table.claims-ledger")];
  if (!tables.length) return;
  const rows = tables.flatMap((table) => [...table.querySelectorAll("tbody tr")]);

  // A row says in its classes what it can be chosen by: "by-lecture-UBC", "by-lesson-05-self-attention".
  const values = (row, kind) =>
    [...row.classList].filter((c) => c.startsWith(`by-${kind}-`)).map((c) => c.slice(kind.length + 4));
  const words = {
    verdict: (value, row) => row.querySelector(".verdict").textContent,
    lecture: (value) => value,
    lesson: (value, row) => row.cells[2].textContent.trim(),
    limit: (value) => value,
  };

  const bar = document.createElement("div");
  bar.className = "ledger-filter";
  const chosen = {};
  for (const kind of Object.keys(words)) {
    const options = new Map();
    for (const row of rows) {
      for (const value of values(row, kind)) options.set(value, words[kind](value, row));
    }
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.append(kind[0].toUpperCase() + kind.slice(1), " ", select);
    select.add(new Option("all", ""));
    for (const [value, text] of [...options].sort()) select.add(new Option(text, value));
    select.addEventListener("change", () => {
      show();
      const view = Object.entries(chosen).filter(([, { value }]) => value);
      const hash = view.map(([name, { value }]) => `${name}-${value}`).join("_");
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    });
    chosen[kind] = select;
    bar.append(label);
  }
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  bar.append(status);
  const first = tables[0].closest("section") || tables[0];
  first.before(bar);

  function show() {
    let shown = 0;
    for (const row of rows) {
      row.hidden = !Object.entries(chosen).every(
        ([kind, select]) => !select.value || values(row, kind).includes(select.value));
      shown += !row.hidden;
    }
    // A part without a claim that fits goes with its heading.
    for (const table of tables) {
      const part = table.closest("section") || table;
      part.hidden = [...table.querySelectorAll("tbody tr")].every((row) => row.hidden);
    }
    status.textContent = `${shown} of ${rows.length} claims`;
  }

  // A link to a view chooses it; a link to a claim shows it, whatever was chosen.
  function showLinked() {
    const parts = decodeURIComponent(location.hash.slice(1)).split("_").map((part) => /^([^-]+)-(.+)$/.exec(part) || []);
    const view = new Map(parts.map(([, kind, value]) => [kind, value]));
    if (Object.keys(chosen).some((kind) => view.has(kind))) {
      for (const [kind, select] of Object.entries(chosen)) {
        const wanted = view.get(kind) || "";
        select.value = [...select.options].some(({ value }) => value === wanted) ? wanted : "";
      }
      show();
      bar.scrollIntoView();
      return;
    }
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row || !rows.includes(row) || !row.hidden) return;
    for (const select of Object.values(chosen)) select.value = "";
    show();
    row.scrollIntoView();
  }
  addEventListener("hashchange", showLinked);
  show();
  showLinked();
});
