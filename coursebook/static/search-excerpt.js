// Excerpts of what a search finds show prose: no code, no table of contents, no raw formulas.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined" || !Search.htmlToText) return;
  const plain = Search.htmlToText;
  const left = "nav, .toc, .contents, .cell_input, .cell_output, .highlight, .math, table, .page-facts, h1";
  Search.htmlToText = (text, anchor) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    // A glossary's term is shown with what it means.
    const term = anchor ? page.querySelector(anchor) : null;
    if (term?.matches("dl.glossary dt")) {
      const meaning = term.parentElement.querySelector(`${anchor} ~ dd`).cloneNode(true);
      meaning.querySelectorAll(".math").forEach((formula) => formula.remove());
      const said = meaning.textContent.replace(/^[\s:]+/, "").replace(/\s+/g, " ").trim();
      return `${term.firstChild.textContent}: ${said}`;
    }
    const prose = page.cloneNode(true);
    prose.querySelectorAll(left).forEach((element) => element.remove());
    // The theme's buttons stand beside the article.
    const article = prose.querySelector("article");
    if (article) prose.querySelector("[role=main]")?.replaceChildren(article);
    const shown = plain(prose.documentElement.outerHTML, anchor).replace(/\s+/g, " ").trim();
    // A section that holds nothing else, such as an entry of the reference, is shown whole.
    return shown.length > 60 ? shown : plain(text, anchor);
  };
});
