// What the theme leaves undone: labels, print, and what you have read.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  // A label must say what the button shows, or a screen reader says something else.
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.removeAttribute("aria-label");
  }
  for (const button of document.querySelectorAll(".theme-switch-button")) {
    button.setAttribute("aria-label", "Colour mode: light, dark, system settings");
  }
  // The arrows of the table of contents are buttons without a text.
  for (const summary of document.querySelectorAll(".bd-sidebar-primary li > details > summary")) {
    const link = summary.closest("li").querySelector(":scope > a");
    summary.setAttribute("aria-label", `Pages that belong to ${link ? link.textContent.trim() : "this"}`);
  }
});

// Printed, a page has all its pictures, and is dark on white whatever the screen shows.
let shownTheme = null;
addEventListener("beforeprint", () => {
  for (const picture of document.querySelectorAll("img[loading=lazy]")) picture.loading = "eager";
  const page = document.documentElement.dataset;
  shownTheme ??= page.theme;
  page.theme = "light";
});
addEventListener("afterprint", () => {
  if (shownTheme) document.documentElement.dataset.theme = shownTheme;
  shownTheme = null;
});

// ---- what you have read, kept in this browser ------------------------------------------------

const READ = "course-read";

function readPages() {
  try { return new Set(JSON.parse(localStorage.getItem(READ)) || []); } catch { return new Set(); }
}

function keepRead(pages) {
  try { localStorage.setItem(READ, JSON.stringify([...pages])); } catch { /* nothing can be kept */ }
}

function showRead() {
  const pages = readPages();
  const root = new URL(document.documentElement.dataset.content_root || ".", location.href);
  for (const link of document.querySelectorAll(".bd-sidebar-primary a.internal, .card-title a")) {
    const page = new URL(link.getAttribute("href"), location.href).pathname;
    const name = page.replace(root.pathname, "").replace(/\.html$/, "");
    const own = link.getAttribute("href") === "#" ? DOCUMENTATION_OPTIONS.pagename : name;
    link.classList.toggle("is-read", pages.has(own));
    const said = link.querySelector(".read-mark");
    if (pages.has(own) && !said) {
      const mark = document.createElement("span");
      mark.className = "read-mark";
      mark.textContent = " ✓";
      mark.title = "You have read this page to its end.";
      link.append(mark);
    } else if (!pages.has(own) && said) {
      said.remove();
    }
  }
  for (const list of document.querySelectorAll(".course-facts")) {
    let button = document.querySelector(".forget-read");
    if (pages.size && !button) {
      button = document.createElement("button");
      button.type = "button";
      button.className = "forget-read";
      button.textContent = "Forget what I have read";
      button.addEventListener("click", () => { keepRead(new Set()); showRead(); });
      list.after(button);
    } else if (!pages.size && button) {
      button.remove();
    }
  }
}

document.addEventListener("DOMContentLoaded", () => {
  showRead();
  const end = document.querySelector(".prev-next-footer, .prev-next-area, footer.bd-footer-article");
  const page = typeof DOCUMENTATION_OPTIONS === "undefined" ? "" : DOCUMENTATION_OPTIONS.pagename;
  if (!end || !/^notebooks\//.test(page || "")) return;
  new IntersectionObserver((seen, observer) => {
    if (!seen.some((entry) => entry.isIntersecting) || scrollY === 0) return;
    keepRead(readPages().add(page));
    showRead();
    observer.disconnect();
  }).observe(end);
});
