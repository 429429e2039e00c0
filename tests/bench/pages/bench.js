// What every page of the suite shares. A page says of each change that an act has begun when it begins and when it is
// there to be seen; whatever the user does meanwhile came too early, and is recorded as such. So is a press of the
// mouse that hits nothing that can be pressed: what was there has moved. When the page is left, its record goes to the
// server, with its own verdict on what has been reached. Times are milliseconds since 1970.
"use strict";
const bench = (() => {
  const controls = "a, button, input, select, textarea, label, canvas, [role], [data-place], [data-area]";
  const now = () => performance.timeOrigin + performance.now();
  const query = new URLSearchParams(location.search);
  const record = { page: location.pathname.slice(1, -5), visit: Number(query.get("visit")),
    part: Number(query.get("part") || 1), changes: [], acts: [], early: [], missed: [], wrong: "" };
  const open = new Set();
  let verdict = () => "";
  let places;
  let offset = JSON.parse(sessionStorage.getItem("offset")); // of the page on the screen, once the mouse has told it

  // fn() in a task of its own, as soon as may be. No timer: those of the page would be the only ones that it has set.
  const tasks = new MessageChannel();
  const waiting = [];
  tasks.port1.onmessage = () => waiting.shift()();
  const soon = (fn) => { waiting.push(fn); tasks.port2.postMessage(null); };

  // After a frame that was drawn with what has been changed by now. A second call before a frame would tell that as well,
  // and be waited for like an animation's.
  const painted = (fn) => requestAnimationFrame(() => scheduler.postTask(fn, { delay: 20 }));

  // A change begins. Returns the function that says that it is done. `own(event)`: what belongs to the act that has
  // begun it, such as further keys of a text.
  function begin(what, { since = now(), own = () => false } = {}) {
    const change = { what, since, own };
    open.add(change);
    const done = () => {
      const made = now();
      painted(() => {
        if (!open.delete(change)) return;
        record.changes.push([what, change.since, made, now()]);
        tellPlaces();
      });
    };
    done.change = change;
    return done;
  }

  // In so many milliseconds fn() changes something; the change lasts `more` milliseconds (an animation).
  function later(milliseconds, what, fn, more = 0) {
    const done = begin(what);
    setTimeout(() => {
      fn();
      if (more) setTimeout(done, more); else done();
    }, milliseconds);
  }

  // fn() once nothing has been typed into the field for so long.
  function debounced(field, milliseconds, what, fn) {
    let timer, done;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      done = done || begin(what, { own: (event) => event.type === "keydown" && event.target === field });
      done.change.since = now();
      timer = setTimeout(async () => {
        await fn(field.value);
        done();
        done = null;
      }, milliseconds);
    });
  }

  // What the server answers after so many milliseconds, given to fn.
  async function fetched(milliseconds, what, fn) {
    const done = begin(what);
    const answer = await fetch(`/answer?after=${milliseconds}&number=${Math.round(now())}`);
    fn(await answer.json());
    done();
  }

  // Where the things with data-place are, in thousandths of the screen: what a model would see in the picture.
  function tellPlaces() {
    if (!places || !offset) return;
    const list = [...document.querySelectorAll("[data-place]")].map((element) => {
      const box = element.getBoundingClientRect();
      const x = (box.x + box.width / 2 + offset[0]) * 1000 / screen.width;
      const y = (box.y + box.height / 2 + offset[1]) * 1000 / screen.height;
      return `${element.dataset.place} at ${x.toFixed(1)},${y.toFixed(1)}`;
    });
    const words = "PLACES: " + list.join("; ") + ";";
    if (places.textContent !== words) places.textContent = words;
  }

  function see(event) {
    if (!event.isTrusted) return;
    record.acts.push([event.type, now()]);
    for (const change of open) {
      if (!change.own(event)) record.early.push([event.type, change.what, now() - change.since]);
    }
    if (event.type === "pointerdown" && !event.target.closest(controls)) {
      record.missed.push([event.target.tagName, Math.round(event.clientX), Math.round(event.clientY)]);
    }
  }

  // Whatever handlers do at once is there with the next frame.
  function atOnce(event) {
    if (event.isTrusted) begin("what it did at once", { own: (next) => next.target === event.target })();
  }

  const everywhere = { capture: true, passive: true };
  for (const type of ["pointerdown", "keydown", "wheel"]) addEventListener(type, see, everywhere);
  for (const type of ["pointerup", "keydown"]) addEventListener(type, atOnce, everywhere);

  // Until three frames without a move: what the browser says of the end (scrollend) comes late, the wheel might turn again.
  let scrolling, latest;
  addEventListener("scroll", (event) => {
    scrolling = scrolling || begin("scrolling", { own: (each) => each.type === "wheel" });
    latest = event;
    scheduler.postTask(() => {
      if (latest !== event) return;
      scrolling();
      scrolling = null;
    }, { delay: 50 });
  }, everywhere);

  addEventListener("pointermove", (event) => {
    if (!event.isTrusted) return;
    offset = [event.screenX - event.clientX, event.screenY - event.clientY];
    sessionStorage.setItem("offset", JSON.stringify(offset));
    tellPlaces();
  }, everywhere);

  addEventListener("pagehide", () => {
    try {
      record.wrong = verdict() || "";
    } catch (error) {
      record.wrong = String(error);
    }
    for (const change of open) record.changes.push([change.what, change.since, now(), now()]);
    navigator.sendBeacon("/record", JSON.stringify(record));
  });

  // The address of the same visit's page of that name.
  const address = (page, part, more = "") => `${page}.html?visit=${record.visit}&part=${part}${more}`;

  const loaded = begin("the page loads", { since: performance.timeOrigin });
  addEventListener("load", loaded);
  addEventListener("DOMContentLoaded", () => {
    const link = document.createElement("a");
    link.href = "/next?visit=" + record.visit;
    link.textContent = "Next page";
    link.addEventListener("click", () => begin("the next page"));
    const head = document.createElement("p");
    head.append(link);
    document.body.prepend(head);
    if (!document.querySelector("[data-place]")) return;
    places = document.createElement("p");
    document.body.append(places);
    tellPlaces();
  });

  return { begin, later, debounced, fetched, address, part: record.part,
    verdict: (fn) => { verdict = fn; } };
})();
