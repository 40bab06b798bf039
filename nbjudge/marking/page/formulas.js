// MathJax's settings, read when it loads. Only commands that typeset: none that load, define or link.
window.MathJax = {
  tex: {
    inlineMath: [["$", "$"]],
    displayMath: [["$$", "$$"]],
    processEscapes: true,
    packages: { "[-]": ["require", "autoload", "newcommand", "configmacros"] },
    maxBuffer: 20000,
  },
  loader: { load: ["ui/safe"] },
  options: { enableMenu: false },
  startup: { typeset: false },
};
