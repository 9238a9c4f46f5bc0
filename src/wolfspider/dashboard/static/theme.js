// Light or dark, decided before anything is drawn: what the person chose, or else what their system says.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  const apply = () => {
    const chosen = kept();
    document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
    window.dispatchEvent(new Event("themechange"));
  };
  dark.addEventListener("change", apply);
  window.turnTheme = () => {
    try {
      localStorage.setItem("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    } catch { /* storage is closed: the system decides */ }
    apply();
  };
  apply();
})();
