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
  // On a telephone a figure is as wide as the page; touched, it opens alone and can be enlarged.
  for (const picture of document.querySelectorAll(".cell_output > img")) {
    const link = document.createElement("a");
    link.href = picture.src;
    picture.replaceWith(link);
    link.append(picture);
  }
});
