// What the map's page does with its own parts: folds them, scrolls to them, and draws the view that goes aside.
"use strict";

Live.mapFrame = (() => {
  const { html } = Live;

  // What a button shows or hides, with the button, a function that does so, and the button alone. (A <details> whose parts stand in the
  // row of its neighbours is not known to every browser.)
  function fold(kind, said, ...behind) {
    const held = html("div", { class: "map-folded", hidden: true }, behind), button = html("button", { type: "button", class: "map-fold", "aria-expanded": "false", onclick: () => set(held.hidden) }, said);
    const element = html("div", { class: kind }, button, held), set = (open) => {
      held.hidden = !open;
      button.setAttribute("aria-expanded", open);
      element.classList.toggle("open", open);
    };
    return [element, set, button];
  }

  // Scrolls so that `part` stands below the words of a tour, `around`, and nothing of it behind them. If `more` is to be seen too
  // and there is no room for both, that counts, unless it is `less` than the part.
  function reveal(around, part, more = part, less = false) {
    // The words stand below the page's bar at each stop, and their buttons with them.
    const stuck = parseFloat(getComputedStyle(around).top), low = around.getBoundingClientRect().top - stuck;
    if (low > 0) scrollBy({ top: low, behavior: "instant" });
    const top = (one) => one.getBoundingClientRect().top - stuck - around.offsetHeight - 8;
    const up = top(part), down = more === part ? up : more.getBoundingClientRect().bottom - innerHeight + 8;
    const both = down <= up || less, by = more === part || (both && up < 0) ? up : both ? Math.max(Math.min(up, down), 0) : top(more);
    if (by) scrollBy({ top: by, behavior: "instant" });
  }
  // Whether all from `first` to `last` has room below the words of a tour.
  const fits = (around, first, last) => last.getBoundingClientRect().bottom - first.getBoundingClientRect().top < innerHeight - parseFloat(getComputedStyle(around).top) - around.offsetHeight - 16;
  // Scrolls on if the words of a tour cover half of `line`.
  function whole(around, line) {
    const edge = around.getBoundingClientRect().bottom, { top, bottom } = line.getBoundingClientRect();
    if (top < edge && bottom > edge) scrollBy({ top: bottom - edge + 1, behavior: "instant" });
  }

  // After a tap: scrolls down to a view that stands below the window, until all of it is seen or its heading is at the top.
  function bringUp(view) {
    const { top, bottom } = view.getBoundingClientRect(), bar = 72; // the page's own bar, and some air
    const by = Math.min(top - bar, bottom - innerHeight + 8);
    if (by > 0) scrollBy({ top: by, behavior: Live.calm() ? "instant" : "smooth" });
  }

  // The view of before stays upon the new one and is drawn aside, so that there is one to see all the time.
  let leaving = null;
  function uncover(rowBox, views) {
    leaving?.remove();
    const old = views.find((one) => one.getClientRects().length);
    if (!old) return;
    const { x, y, width, height } = old.getBoundingClientRect(), { x: left, y: top } = rowBox.getBoundingClientRect(), copy = old.cloneNode(true);
    copy.querySelector(".places").remove();
    for (const one of ["role", "aria-label"]) copy.removeAttribute(one);
    for (const [attribute, value] of [["class", "live-picture map-leaving"], ["aria-hidden", "true"], ["style", `left:${x - left}px;top:${y - top}px;width:${width}px;height:${height}px`]]) copy.setAttribute(attribute, value);
    leaving = copy;
    rowBox.append(copy);
    copy.animate([{ clipPath: "inset(0)" }, { clipPath: "inset(0 0 0 100%)" }], { duration: 350, easing: "ease-out" }).onfinish = () => copy.remove();
  }

  // A function that lends a control to another place, `to`, or brings it back to where it stood.
  function lender(to) {
    const homes = new WeakMap();
    return (control, lent) => {
      if (!homes.get(control)?.isConnected) {
        homes.set(control, document.createComment(""));
        control.before(homes.get(control));
      }
      if (lent) to.append(control);
      else homes.get(control).after(control);
    };
  }

  // What a mouse or a finger does on a map: what lies there is told to `over`, or is chosen. `shows` says if a stage is shown.
  function listen({ element, point }, { over, choose, shows, tapped }) {
    let crossing = null, finger = false;
    element.addEventListener("pointermove", (event) => {
      const there = point(event), { movementX: across, movementY: down } = event;
      clearTimeout(crossing);
      if (!there) return;
      // On the way down to the view, other stages are crossed: they are shown if the pointer rests there.
      if (shows() && down > 0 && down < 60 && 3 * down > Math.abs(across)) crossing = setTimeout(() => over(there), 120);
      else over(there);
    });
    element.addEventListener("pointerleave", () => clearTimeout(crossing));
    element.addEventListener("pointerdown", ({ pointerType }) => { finger = pointerType === "touch"; });
    element.addEventListener("click", (event) => {
      const there = point(event);
      choose(there);
      if (finger) tapped(there);
    });
  }
  // Writes below a picture what lies under the mouse.
  function readOut(element, to, read) {
    element.addEventListener("pointermove", ({ clientX, clientY }) => {
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(element.getScreenCTM().inverse());
      to.textContent = read(x, y);
    });
    element.addEventListener("pointerleave", () => { to.textContent = ""; });
  }

  // What the mouse shows in the map goes on being shown below it, in `panel`, and is chosen there with the first press or key;
  // anywhere else it ends.
  function stays(panel, { over, keep }) {
    const screen = panel.parentElement;
    screen.addEventListener("pointerleave", () => over(null));
    screen.addEventListener("pointerover", ({ target }) => { if (target.closest(".map-top, .map-key, .map-bench")) over(null); });
    for (const kind of ["click", "change", "keydown"]) panel.addEventListener(kind, keep, true);
  }
  return { fold, reveal, fits, whole, uncover, bringUp, lender, listen, readOut, stays };
})();
