// What a search shows: results while the reader types, on the page of the search and in the box that Ctrl-K opens.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const root = document.documentElement.dataset.content_root || "./";
  // Sections shown below a page's best one, and pages shown at once.
  const MORE = 2, MOST = { page: 20, box: 6 };
  let loaded = false;

  const element = (tag, name, ...children) => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...children);
    return made;
  };
  const link = (page, anchor, said) => {
    const made = element("a", "", said);
    made.href = `${root}${page}.html${anchor ? `#${anchor}` : ""}`;
    return made;
  };
  const marked = (text, query) => CourseSearch.excerpt(text, query).map(([said, hit]) => (hit ? element("mark", "", said) : said));

  // The page, and of which kind it is where its title does not say so.
  const where = ({ kind, title }, { anchor }) => (kind === "lesson" ? `Lesson ${title}`
    : kind === "set" ? title : `${CourseSearch.names[kind]}${anchor ? ` · ${title}` : ""}`);

  function found(hit, query) {
    const [best, ...others] = hit.sections;
    const item = element("li", "search-hit",
      element("p", "search-title", link(hit.page, best.anchor, best.heading || hit.title)),
      element("p", "search-where", where(hit, best)),
      element("p", "search-text", ...marked(best.text, query)));
    const near = others.filter(({ score, anchor }) => anchor && score > 0.5 * best.score).slice(0, MORE);
    if (near.length) item.append(element("p", "search-more", "Also there: ", ...near.flatMap(({ anchor, heading }, i) => [i ? " · " : "", link(hit.page, anchor, heading)])));
    return item;
  }

  function show(place, status, query, most) {
    if (!query.trim()) {
      place.replaceChildren();
      status.textContent = "";
      return;
    }
    const pages = CourseSearch.search(query, { typing: true }), term = CourseSearch.term(query);
    const parts = [];
    if (term) {
      parts.push(element("p", "search-term", link(term.page, term.anchor, term.heading), ": ", term.text));
    }
    if (pages.length) parts.push(element("ul", "search-hits", ...pages.slice(0, most).map((hit) => found(hit, query))));
    place.replaceChildren(...parts);
    const number = pages.length + (term ? 1 : 0);
    status.textContent = number ? `${number === 1 ? "1 page" : `${number} pages`}${number > most ? `, the best ${most} shown` : ""}` : `No page says “${query.trim()}”. Try another word, or look it up in the glossary.`;
  }

  function attach(form, box) {
    const input = form.querySelector("input");
    const place = document.querySelector("#search-results") && !box ? document.querySelector("#search-results") : element("div", "search-box-results");
    const status = element("p", "search-status");
    status.setAttribute("role", "status");
    if (box) form.after(status, place);
    else place.before(status);
    const now = () => {
      if (!loaded) {
        loaded = true;
        const script = element("script");
        script.src = `${root}_static/data-search.js`;
        script.onerror = () => { status.textContent = "The search could not be loaded."; };
        document.head.append(script);
      }
      CourseSearch.whenReady(() => show(place, status, input.value, box ? MOST.box : MOST.page));
      if (!box) history.replaceState(null, "", `?q=${encodeURIComponent(input.value)}`);
    };
    input.setAttribute("autocomplete", "off");
    input.addEventListener("input", now);
    if (box) return;
    form.addEventListener("submit", (event) => { event.preventDefault(); now(); });
    const asked = new URLSearchParams(location.search).get("q");
    if (asked) {
      input.value = asked;
      now();
    }
  }

  for (const form of document.querySelectorAll("form.bd-search")) {
    attach(form, !form.closest(".bd-search-container"));
  }
});
