// A style sheet of a view that is not always there, loaded once, when the view is opened.

export function sheet(name) {
  if (document.querySelector(`link[data-sheet="${name}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = `/static/${name}`;
  link.dataset.sheet = name;
  document.head.append(link);
}
