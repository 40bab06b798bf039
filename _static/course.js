// What the theme leaves to be mended in the page.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  // A label must say what the button shows, or a screen reader says something else.
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.removeAttribute("aria-label");
  }
  for (const button of document.querySelectorAll(".theme-switch-button")) {
    button.setAttribute("aria-label", "Colour mode: light, dark, system settings");
  }
});
