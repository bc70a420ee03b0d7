"use strict";
// What the page can do beyond plain links and forms: it works without this file, too.

const say = (text) => { document.getElementById("said").textContent = text; };

// A place inside a box that scrolls comes into its middle, and the page itself stays where it is.
const centre = (box, place) => {
  if (!box || !place) return;
  const offset = place.getBoundingClientRect().top - box.getBoundingClientRect().top;
  box.scrollTop += offset - box.clientHeight / 3;
};

const bringIntoView = () => {
  centre(document.getElementById("own"), document.getElementById("here"));
  centre(document.getElementById("other"), document.getElementById("there"));
  for (const box of document.querySelectorAll("[data-scroll]")) {
    centre(box, box.querySelector(box.dataset.scroll));
  }
};

// Passages: the other page comes beside the first.

const choose = async (patch, address) => {
  const panes = document.querySelector("[data-evidence]");
  const beside = document.getElementById("beside");
  beside.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`${panes.dataset.evidence}/beside?patch=${patch}`);
    const text = await answer.text();
    if (!answer.ok) {
      say(new DOMParser().parseFromString(text, "text/html").querySelector("#error")?.textContent ?? text);
      return;
    }
    const found = new DOMParser().parseFromString(text, "text/html");
    beside.replaceChildren(...found.body.childNodes);
    for (const mark of document.querySelectorAll("#own .patch")) {
      mark.classList.toggle("chosen", mark.dataset.patch === String(patch));
      mark.removeAttribute("id");
    }
    const own = document.querySelector(`#own .patch[data-patch="${patch}"]`);
    const source = beside.querySelector(".chip")?.textContent;
    for (const line of document.querySelectorAll(".legend a[data-source]")) {
      if (line.dataset.source === source) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
    if (own) own.id = "here";
    else if (address) { location.assign(address); return; }
    history.replaceState(null, "", address);
    centre(document.getElementById("other"), document.getElementById("there"));
    const box = document.getElementById("own").getBoundingClientRect();
    const place = own.getBoundingClientRect();
    if (place.top < box.top || place.bottom > box.bottom) centre(document.getElementById("own"), own);
    say("");
  } catch {
    say("The server does not answer. Is it still running?");
  } finally {
    beside.removeAttribute("aria-busy");
  }
};

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const link = event.target.closest?.("#own a.patch, [data-evidence] svg.bar a, .legend a[data-source]");
  if (!link) return;
  event.preventDefault();
  const address = link.href.baseVal ?? link.href;
  choose(new URL(address, location.href).searchParams.get("patch"), address);
});

const stepChanges = (by) => {
  const changes = [...document.querySelectorAll("#difference .change")];
  const at = changes.indexOf(document.activeElement);
  const next = changes[at < 0 ? (by > 0 ? 0 : changes.length - 1) : (at + by + changes.length) % changes.length];
  next.focus({ preventScroll: true });
  centre(document.getElementById("difference"), next);
};

const step = (by) => {
  if (document.querySelector("#difference .change")) { stepChanges(by); return; }
  const marks = [...document.querySelectorAll("#own a.patch, .pair .pane:first-child a.patch")];
  if (!marks.length) return;
  const at = marks.findIndex((mark) => mark.classList.contains("chosen"));
  const next = marks[(at + by + marks.length) % marks.length] ?? marks[0];
  next.focus({ preventScroll: true });
  next.click();
};

// Branches of a tree are fetched when they are opened.

document.addEventListener("toggle", async (event) => {
  const branch = event.target;
  if (!branch.open || !branch.dataset?.branch) return;
  const address = branch.dataset.branch;
  delete branch.dataset.branch;
  try {
    const answer = await fetch(address);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    branch.querySelector(".loading").replaceWith(...found.body.childNodes);
  } catch {
    branch.dataset.branch = address;
    say("The server does not answer. Is it still running?");
  }
}, true);

// Filters propose values that have what was written.

let proposing = 0;
document.addEventListener("input", (event) => {
  const field = event.target.closest?.("[data-values]");
  if (!field) return;
  clearTimeout(proposing);
  proposing = setTimeout(async () => {
    try {
      const answer = await fetch(`${field.dataset.values}&part=${encodeURIComponent(field.value)}`);
      if (!answer.ok) return;
      field.list.replaceChildren(...(await answer.json()).map((value) => new Option("", value)));
    } catch { /* a proposal is not worth a message */ }
  }, 150);
});

// A menu closes when somebody goes elsewhere, and with Escape.

for (const kind of ["click", "focusin", "keydown"]) {
  document.addEventListener(kind, (event) => {
    const menu = document.querySelector("details.menu[open]");
    if (!menu || (kind === "keydown" ? event.key !== "Escape" : menu.contains(event.target))) return;
    menu.open = false;
    if (kind === "keydown") menu.querySelector("summary").focus();
  });
}

// Judging: a label counts when the server says that it is on disk.

// A key that is pressed twice in haste must not label the next item, which nobody has seen: for a moment after a label,
// labels are not taken.
const HASTE = 400;
const labelled = Number(sessionStorage.getItem("labelled") ?? 0);
const verdict = document.querySelector("form[data-keys]");
if (verdict) setTimeout(() => { verdict.dataset.ready = "true"; }, Math.max(0, labelled + HASTE - Date.now()));

const submit = async (form, button) => {
  if (form.dataset.busy || (button.name !== "undo" && !form.dataset.ready)) return;
  form.dataset.busy = "true";
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("token");
  fields.set(button.name, button.value);
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      body: fields,
      headers: { "x-unquilt-token": document.querySelector("meta[name=token]").content, accept: "application/json" },
    });
    if (answer.status === 403) {
      say("The server was started again: the label is not saved. Open the address that it printed, then label again.");
    } else {
      const told = await answer.json();
      if (answer.ok) { sessionStorage.setItem("labelled", Date.now()); location.assign(told.next); return; }  // still busy: a second key must not change this label
      say(told.error);
    }
  } catch {
    say("The server does not answer: the label is not saved. Start it again, then press the key again.");
  }
  delete form.dataset.busy;
};

window.addEventListener("pageshow", () => { delete document.querySelector("form[data-keys]")?.dataset.busy; });

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-keys]");
  if (!form || !event.submitter) return;
  event.preventDefault();
  submit(form, event.submitter);
});

// Keys

const typing = (element) => element?.matches?.("input:not([type=checkbox]), textarea, select") ?? false;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && event.target.id === "note") { event.preventDefault(); event.target.blur(); }
    return;
  }
  const form = document.querySelector("form[data-keys]");
  const control = form?.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  const pressed = event.key === "Enter" && event.target.matches("a, button, summary");  // Enter is meant for that
  if (control && !event.repeat && !pressed) { event.preventDefault(); control.click(); return; }
  if (form && event.key === "m") { event.preventDefault(); document.getElementById("note")?.focus(); return; }
  if (event.key === "/") { event.preventDefault(); (document.getElementById("find") ?? document.getElementById("f-q"))?.focus(); return; }
  const other = document.querySelector(`a[data-step="${CSS.escape(event.key)}"]`);
  if (other) { event.preventDefault(); other.click(); return; }
  if (event.key === "n") step(1);
  else if (event.key === "p") step(-1);
  else if (event.key === "j" || event.key === "k") {
    const rows = [...document.querySelectorAll("table.rows tbody tr")].map((row) => row.querySelector("a")).filter(Boolean);
    const at = rows.indexOf(document.activeElement);
    rows[Math.max(0, Math.min(rows.length - 1, at + (event.key === "j" ? 1 : -1)))]?.focus();
  }
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const text = document.getElementById(button.dataset.copy).textContent;
  try {
    await navigator.clipboard.writeText(text);
    say("The query is copied.");
  } catch {
    const place = document.getElementById(button.dataset.copy);
    place.closest("details").open = true;
    getSelection().selectAllChildren(place);
    say("The query is marked: copy it with the keyboard.");
  }
});

bringIntoView();
// Whoever chose a passage of a pair goes on from there by keyboard.
if (new URLSearchParams(location.search).has("patch")) document.getElementById("here-a")?.focus({ preventScroll: true });
