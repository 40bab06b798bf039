// The motion of the map: at first by itself, then with each change; none for those who asked for less.
"use strict";

// `pass` is told where the opening pass is, `over` that the motion was ended, and whether within that pass.
Live.mapMotion = ({ figure, maps, button, film, lap, pass, over }) => {
  let frame = null, moving = false, seen = true, resume = null, passing = false;
  const stop = () => { cancelAnimationFrame(frame); frame = null; maps.forEach((map) => map.still()); };
  function way(ms, done) {
    stop();
    passing = ms === lap;
    figure.classList.toggle("passing", passing);
    resume = () => way(ms, done);
    let begun = null, passed = null;
    const tick = (now) => {
      begun ??= now;
      const share = Math.min((now - begun) / ms, 1), shown = maps.find((map) => map.visible());
      if (shown) {
        const front = shown.front(share, passing);
        // At first the frame goes along; later it stays around what is open.
        if (passing && front.column !== passed) {
          passed = front.column;
          maps.forEach((map) => map.mark({ band: front.band, ...passed }));
          pass(front);
        }
      }
      if (share < 1) { frame = requestAnimationFrame(tick); return; }
      stop();
      resume = null;
      done();
    };
    if (seen) frame = requestAnimationFrame(tick);
  }
  function halt() {
    const passed = passing;
    [moving, resume, passing] = [false, null, false];
    figure.classList.remove("passing");
    button.textContent = "Let it run";
    film.hidden = true;
    stop();
    over(passed);
  }
  return {
    way, halt, moving: () => moving, passing: () => passing, waits: () => resume !== null,
    // It moves on until it comes to the answer, or is stopped.
    begin(opening = false) {
      moving = true;
      if (opening) film.hidden = false;
      else button.textContent = "Stop";
    },
    // Nothing moves out of sight.
    watch: () => new IntersectionObserver(([{ isIntersecting }]) => {
      seen = isIntersecting;
      if (!seen) stop();
      else if (resume && frame === null) resume();
    }).observe(figure),
  };
};
