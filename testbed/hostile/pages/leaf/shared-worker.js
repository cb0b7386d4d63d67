onconnect = (event) => {
  event.ports[0].onmessage = (message) => {
    for (const u of message.data) fetch(u, { mode: "no-cors" }).catch(() => 0);
  };
};
