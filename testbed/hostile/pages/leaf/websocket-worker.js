onmessage = (event) => {
  for (const u of event.data) {
    try { new WebSocket(u.replace(/^http/, "ws")); } catch { /* no address */ }
  }
};
