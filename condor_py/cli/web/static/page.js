// Keeps the shown page fresh: the server names what has changed, and the page is fetched again and morphed in place.
"use strict";

const main = document.getElementById("main");
const live = document.getElementById("live");
const LEAST_PAUSE = 500; // milliseconds between two fetches
const SLOW_REFRESH = 30000; // times that pass are shown, too
let fetching = false, wanted = false, last = 0;

function state(name, title) {
  if (live) { live.className = "live " + name; live.title = title; }
}

function subjects() {
  return (main.dataset.subjects || "").split(" ").filter(Boolean);
}

async function refresh() {
  if (fetching || document.hidden) { wanted = true; return; }
  const wait = last + LEAST_PAUSE - Date.now();
  if (wait > 0) { wanted = true; setTimeout(() => wanted && refresh(), wait); return; }
  fetching = true; wanted = false; last = Date.now();
  try {
    const answer = await fetch(location.href, { headers: { "Accept": "text/html", "X-Fragment": "1" } });
    if (answer.status === 401) { location.reload(); return; }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
    const followed = ends().filter(isAtEnd);
    if (fresh) morph(main, fresh);
    followed.forEach(showEnd);
    document.dispatchEvent(new CustomEvent("refreshed"));
  } catch (error) {
    state("lost", "The server does not answer");
  } finally {
    fetching = false;
    if (wanted) refresh();
  }
}

// Makes one element like another, and leaves alone what is alike: focus, selections and scrolled places stay.
function morph(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !keeps(old, name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !keeps(old, name)) old.setAttribute(name, value);
  }
  const keyed = new Map();
  for (const child of old.children) if (child.id) keyed.set(child.id, child);
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    let match = next.id && keyed.get(next.id);
    if (match && match !== at) old.insertBefore(match, at);
    else if (!match && at && alike(at, next)) match = at;
    if (!match) { old.insertBefore(document.importNode(next, true), at); continue; }
    at = match.nextSibling;
    if (match.nodeType === Node.ELEMENT_NODE) morph(match, next);
    else if (match.data !== next.data) match.data = next.data;
  }
  while (at) { const gone = at; at = at.nextSibling; gone.remove(); }
}

function alike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && (one.id || "") === (other.id || "");
}

// The end of a file stays in sight, unless a person has scrolled away from it.
function ends() { return [...main.querySelectorAll("pre.tail")]; }
function isAtEnd(box) { return box.scrollHeight - box.scrollTop - box.clientHeight < 40; }
function showEnd(box) { box.scrollTop = box.scrollHeight; }
ends().forEach(showEnd);

// What a person has done to an element stays as it is.
function keeps(element, name) {
  return (name === "open" && element.localName === "details") || (name === "value" && element.localName === "input");
}

document.addEventListener("visibilitychange", () => { if (!document.hidden && wanted) refresh(); });

if (subjects().length) {
  const source = new EventSource("/events");
  source.addEventListener("open", () => { state("on", "The page is live"); refresh(); });
  source.addEventListener("error", () => state("lost", "The server does not answer"));
  source.addEventListener("changed", (event) => {
    const changed = event.data.split(" ");
    if (subjects().some((subject) => changed.includes(subject))) refresh();
  });
  setInterval(refresh, SLOW_REFRESH);
}

// What takes long on the server is asked for again when it may be there.
let again = 0;
function askAgain() {
  clearTimeout(again);
  const seconds = Number(main.dataset.again || 0);
  if (seconds > 0) again = setTimeout(refresh, 1000 * seconds);
}
document.addEventListener("refreshed", askAgain);
askAgain();

// A form that only asks shows its answer while one moves a slider or chooses; the address stays that of what is shown.
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-at-once]");
  if (!form) return;
  const asked = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...asked]) if (!value) asked.delete(name);
  history.replaceState(null, "", location.pathname + "?" + asked);
  refresh();
});

// Keys: / goes to the filter.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const box = document.querySelector("form.filter input:not([type=hidden])");
  if (box) { event.preventDefault(); box.focus(); box.select(); }
});
