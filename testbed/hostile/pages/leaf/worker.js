onmessage = (event) => {
  for (const u of event.data) {
    fetch(u, { mode: "no-cors" }).catch(() => 0);
    try { importScripts(u); } catch { /* not reached */ }
  }
};
