// A live figure in a frame: it takes the light or dark of the notebook around it, and its own height.
"use strict";

(() => {
  const outside = (read) => { try { return read(); } catch { return undefined; } };
  // JupyterLab and Notebook say it on the body, Colab on the whole page.
  const dark = () => {
    const light = outside(() => parent.document.body.dataset.jpThemeLight);
    const named = outside(() => parent.document.documentElement.getAttribute("theme"));
    if (light || named) return light === "false" || named === "dark";
    return matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const renew = () => { document.documentElement.dataset.theme = dark() ? "dark" : "light"; };
  renew();
  outside(() => new MutationObserver(renew).observe(parent.document.body, { attributes: true }));
  document.addEventListener("DOMContentLoaded", () => {
    const fit = () => outside(() => { frameElement.style.height = `${document.body.scrollHeight + 2}px`; });
    new ResizeObserver(fit).observe(document.body);
    fit();
  });
})();
