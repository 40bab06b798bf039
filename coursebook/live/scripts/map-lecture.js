// The figure alone on the page, large, for a room to see; Escape brings the page back.
"use strict";

// A button in `to`. The page still scrolls, and all around the figure is not shown.
Live.mapLecture = (figure, to) => {
  const { html } = Live, root = document.documentElement;
  const around = (act) => { for (let one = figure; one !== document.body && one; one = one.parentElement) act(one, [...one.parentElement.children].filter((other) => other !== one)); };
  const set = (on) => {
    around((one, others) => {
      one.classList.toggle("map-alone", on);
      for (const other of others) other.classList.toggle("map-aside", on);
    });
    root.classList.toggle("map-lecture", on);
    button.textContent = on ? "Back to the page" : "Large";
    button.setAttribute("aria-pressed", on);
    scrollTo({ top: 0, behavior: "instant" });
  };
  const button = html("button", { type: "button", "aria-pressed": "false", title: "The picture alone, large, for a lecture; Escape leaves", onclick: () => set(!root.classList.contains("map-lecture")) }, "Large");
  to.append(button);
  addEventListener("keydown", (event) => { if (event.key === "Escape" && !event.defaultPrevented && root.classList.contains("map-lecture")) set(false); });
};
