/**
 * Which view is shown, the key, and the colours.
 */

import { hasKey, useKey } from "./api.js";
import { at } from "./dom.js";
import { start as startJobs, shown as jobsShown } from "./jobs.js";
import { openStored, start as startPage } from "./page.js";
import { openSession, start as startSession } from "./session.js";
import { listSessions, start as startSessions } from "./sessions.js";

const VIEWS = ["page", "session", "jobs"];

function route() {
  const [asked, id = ""] = location.hash.slice(1).split("/");
  if (asked === "content") return;
  const view = VIEWS.includes(asked) ? asked : "page";
  if (view === "page" && /^[0-9a-f]{32}$/.test(id)) openStored(id);
  for (const link of document.querySelectorAll("nav [data-view]")) {
    if (link.getAttribute("data-view") === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const name of VIEWS) at(`${name}-view`).hidden = name !== view;
  document.title = `${view[0].toUpperCase()}${view.slice(1)} · Pagefold inspector`;
  if (view === "session") listSessions();
  if (view === "session" && /^[0-9a-f]{32}$/.test(id)) openSession(id);
  if (view === "jobs") jobsShown();
}

function startKey() {
  const dialog = at("key-dialog");
  const tell = () => {
    at("key-open").classList.toggle("has-key", hasKey());
    at("key-open").title = hasKey() ? "A key is in use" : "No key is in use";
  };
  const open = () => { if (!dialog.open) dialog.showModal(); };
  at("key-open").addEventListener("click", open);
  document.addEventListener("key-wanted", open);
  at("key-form").addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    const pressed = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value ?? "use";
    if (pressed === "use" && at("key").value) useKey(at("key").value);
    if (pressed === "forget") useKey("");
    tell();
    if (pressed === "use") route();
  });
  dialog.addEventListener("close", () => { at("key").value = ""; });
  tell();
}

function startTheme() {
  const names = ["auto", "light", "dark"];
  let now = 0;
  at("theme").addEventListener("click", () => {
    now = (now + 1) % names.length;
    at("theme").textContent = `Theme: ${names[now]}`;
    if (now) document.documentElement.dataset.theme = names[now];
    else delete document.documentElement.dataset.theme;
  });
}

startPage();
startSession();
startSessions(openSession);
startJobs();
startKey();
startTheme();
addEventListener("hashchange", route);
route();
document.documentElement.dataset.ready = "1";
