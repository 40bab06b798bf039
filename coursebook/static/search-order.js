// The order of what a search finds: whole words before parts of words, lessons before the reference.
// Sphinx puts this file into its own search; the names in it are Sphinx's.
"use strict";

var Scorer = {
  score: ([page, title, , , score]) => {
    const asked = (new URLSearchParams(location.search).get("q") || "").toLowerCase().trim();
    const words = title.toLowerCase().split(/[^a-z0-9-]+/);
    let total = score;
    if (asked && asked.split(/\s+/).every((word) => words.includes(word))) total += 12;
    else if (page.startsWith("book/api/")) total -= 10;
    if (/^notebooks\/\d/.test(page)) total += 6;
    if (page === "book/glossary") total += 4;
    if (page.startsWith("notebooks/assignments/")) total -= 2;
    return total;
  },
  objNameMatch: 11,
  objPartialMatch: 1,
  objPrio: { 0: 6, 1: 2, 2: -5 },
  objPrioDefault: 0,
  title: 16,
  partialTitle: 3,
  term: 6,
  partialTerm: 1,
};
