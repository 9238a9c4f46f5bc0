// The addresses of views, after the #.

export function where() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
  const params = Object.fromEntries(new URLSearchParams(search ?? ""));
  if (parts[0] === "run" && parts[1]) return { run: parts[1], name: parts[2] || "overview", params };
  return { run: null, name: parts[0] || "runs", params };
}

export function at(run, name = "", params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const asked = new URLSearchParams(given).toString();
  return `#/run/${encodeURIComponent(run)}${name ? `/${name}` : ""}${asked ? `?${asked}` : ""}`;
}
