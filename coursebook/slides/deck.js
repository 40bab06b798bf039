// A deck: keys move it, the window scales it, and live figures are as large as their slide has room.
"use strict";

(() => {
  const stage = document.querySelector("main");
  const all = [...document.querySelectorAll(".slide")];
  let at = 0;

  function show(number) {
    at = Math.min(Math.max(number, 0), all.length - 1);
    all.forEach((slide, i) => slide.classList.toggle("is-shown", i === at));
    history.replaceState(null, "", `#${at + 1}`); // a reload stays here
  }
  const asked = () => show(Number(location.hash.slice(1)) - 1 || 0);

  const moves = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };
  function press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const used = event.target.closest?.("input, select, textarea, button, summary, [tabindex]"); // in a live figure
    if (used && !event.key.startsWith("Page")) return;
    if (event.key === "n") document.body.classList.toggle("with-notes");
    else if (event.key in moves) {
      show(at + moves[event.key]);
      window.focus();
      event.preventDefault();
    }
  }

  const scale = () => {
    const size = Math.min(innerWidth / 1280, innerHeight / 720);
    stage.style.transform = `scale(${size}) translate(-50%, -50%)`;
  };

  // How large a figure's smallest picture is drawn.
  const drawn = (inside) => Math.min(4, ...[...inside.querySelectorAll("svg.live-picture")].map((one) => {
    const { width, height } = one.getBoundingClientRect(), { width: w, height: h } = one.viewBox.baseVal;
    return Math.min(width / w, height / h) || 4;
  }));

  // All of a figure in its slide's room: with its controls below or at the side, and as large as can be.
  function fit(frame) {
    const room = frame.parentElement, inside = frame.contentDocument.body;
    const set = ({ side, zoom, tall }) => {
      frame.style.width = `${room.clientWidth / zoom}px`;
      frame.style.transform = `scale(${zoom}) translateX(-50%)`;
      inside.classList.toggle("is-side", side);
      inside.style.setProperty("--tall", `${tall}px`);
      return (inside.scrollHeight + 2) * zoom <= room.clientHeight && inside.scrollWidth <= frame.clientWidth;
    };
    let best = { side: true, zoom: 0.7, tall: 200, score: 0 };
    for (const side of [true, false]) {
      for (const zoom of [1.6, 1.4, 1.2, 1]) {
        let low = 0, high = room.clientHeight / zoom; // the tallest pictures with which it fits
        for (let step = 0; step < 7; step += 1) {
          const tall = (low + high) / 2;
          if (set({ side, zoom, tall })) low = tall;
          else high = tall;
        }
        if (!low) continue;
        set({ side, zoom, tall: low });
        const score = 2 * Math.min(drawn(inside) * zoom, 1.6) + zoom;
        if (score > best.score) best = { side, zoom, tall: low, score };
      }
    }
    set(best);
  }

  // A formula wider than its slide is made smaller.
  function narrow(formula) {
    const room = formula.closest(".said").clientWidth, wide = formula.firstElementChild.getBoundingClientRect().width;
    if (wide > room) formula.style.fontSize = `${Math.floor((100 * room) / wide)}%`;
  }

  function enliven(frame) {
    const follow = () => {
      fit(frame);
      frame.contentWindow.addEventListener("keydown", press);
      // It may grow as it is used: then it is made smaller, and never larger again.
      new ResizeObserver(() => {
        if (frame.getBoundingClientRect().bottom > frame.parentElement.getBoundingClientRect().bottom + 1) fit(frame);
      }).observe(frame);
    };
    if (frame.contentDocument?.readyState === "complete" && frame.contentDocument.querySelector(".live")) follow();
    else frame.addEventListener("load", follow);
  }

  addEventListener("keydown", press);
  addEventListener("resize", scale);
  addEventListener("hashchange", asked);
  scale();
  asked();
  const typeset = window.MathJax?.startup.promise ?? Promise.resolve();
  addEventListener("load", () => typeset.then(() => {
    document.querySelectorAll("mjx-container[display]").forEach(narrow);
    document.querySelectorAll("iframe").forEach(enliven);
    requestAnimationFrame(() => document.body.classList.add("ready"));
  }));
})();
