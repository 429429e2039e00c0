// The page's part of acting: where to point, whether the pointer is there, what it was that was pressed, and what a
// field holds. Each act looks its element up again; what it finds out is told, never guessed.
const frames = (n) => new Promise((done) => {
  // A page that is not shown has no frames.
  const later = setTimeout(done, 60 * n);
  const step = (left) => requestAnimationFrame(() => (left > 1 ? step(left - 1) : (clearTimeout(later), done())));
  step(n);
});

const within = (seconds, check) => new Promise((done) => {
  const limit = performance.now() + seconds * 1000;
  const look = () => {
    const found = check();
    if (found || performance.now() > limit) done(found);
    else setTimeout(look, 8);
  };
  look();
});

const describe = (el) => {
  let node = el;
  for (let i = 0; node && i < 6; i++, node = above(node)) {
    if (nodeType(node) !== ELEMENT) continue;
    const role = roleAttribute(node) || localName(node);
    const name = nameOf(node) || wordsOf(node, 60);
    if (name) return `${tidy(role, 30)} "${tidy(name, 60)}"`;
  }
  return el ? localName(el).slice(0, 30) : "nothing";
};

// Pixels of the screen for each of the page's, and its place in the viewport's own pixels. With pinch zoom only a
// part of the layout is shown.
const toDevice = (x, y) => ({ x: (x - visualViewport.offsetLeft) * visualViewport.scale * devicePixelRatio,
  y: (y - visualViewport.offsetTop) * visualViewport.scale * devicePixelRatio });
const toClient = (x, y) => ({ x: x / visualViewport.scale / devicePixelRatio + visualViewport.offsetLeft,
  y: y / visualViewport.scale / devicePixelRatio + visualViewport.offsetTop });

// The pixels that a box takes, as a hit test counts them: those whose corner lies in it.
const pixelsOf = (box) => {
  const from = toDevice(box.x0, box.y0);
  const to = toDevice(box.x1, box.y1);
  const x0 = Math.ceil(from.x - 1e-3);
  const y0 = Math.ceil(from.y - 1e-3);
  return { x0, y0, x1: Math.max(x0, Math.ceil(to.x - 1e-3) - 1), y1: Math.max(y0, Math.ceil(to.y - 1e-3) - 1) };
};

const shownBoxes = (el) => {
  const place = placeOf(el);
  const rects = Array.from(clientRects.call(el)).filter((rect) => rect.width > 0 && rect.height > 0).slice(0, 4);
  const boxes = rects.length > 0 ? rects.map(boxOf) : [extentOf(el)].filter(Boolean);
  const view = { x0: visualViewport.offsetLeft, y0: visualViewport.offsetTop,
    x1: visualViewport.offsetLeft + visualViewport.width, y1: visualViewport.offsetTop + visualViewport.height };
  return boxes.map((box) => meet(outward(box, place), view)).filter((box) => box.x1 > box.x0 && box.y1 > box.y0);
};

// A pixel of the viewport where a press goes to the element: the middle where possible. Else what is there.
const findPixel = (entry) => {
  let cover = null;
  let any = false;
  for (const box of shownBoxes(entry.shown)) {
    const pixels = pixelsOf(box);
    for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.1],
      [0.1, 0.9], [0.9, 0.9], [0, 0], [1, 1]]) {
      const x = Math.round(pixels.x0 + (pixels.x1 - pixels.x0) * fx);
      const y = Math.round(pixels.y0 + (pixels.y1 - pixels.y0) * fy);
      const client = toClient(x, y);
      const hit = hitAt(client.x, client.y);
      any = true;
      if (hit && related(hit, entry)) return { x, y };
      cover = cover || hit;
    }
  }
  return any ? { covered: describe(cover) } : { hidden: true };
};

const placeNow = (el) => {
  const rect = rectOf(el);
  const place = placeOf(el);
  return [rect.left + place.x, rect.top + place.y, rect.width, rect.height].map(round).join(" ");
};

const settlePlace = async (el) => {
  let last = placeNow(el);
  const limit = performance.now() + 2000;
  for (;;) {
    await frames(2);
    const now = placeNow(el);
    if (now === last) return true;
    if (performance.now() > limit) return false;
    last = now;
  }
};

const scrollTo = (el) => {
  const boxes = shownBoxes(el);
  if (boxes.length > 0 && findPixel({ el, shown: el }).x !== undefined) {
    const rect = rectOf(el);
    const all = outward(boxOf(rect), placeOf(el));
    if (all.x0 >= 0 && all.y0 >= 0 && all.x1 <= innerWidth && all.y1 <= innerHeight) return;
  }
  el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
};

// --- the watch: what the page's windows hear of pointers and keys -------------------------------------------------
let watch = null;
const HEARD = ["pointermove", "mousedown", "click", "auxclick", "contextmenu", "dblclick"];

const hear = (event) => {
  if (!watch || !event.isTrusted) return;
  const path = event.composedPath();
  const target = path.length > 0 ? path[0] : event.target;
  const on = nodeType(target) === ELEMENT && related(target, watch.entry);
  if (event.type === "pointermove") {
    const place = placeOf(target);
    const at = toDevice(place.x + event.clientX * place.scale, place.y + event.clientY * place.scale);
    watch.moved = { x: Math.round(at.x), y: Math.round(at.y), exact: [round(at.x), round(at.y)], on,
      cover: on ? undefined : describe(target) };
  } else {
    (watch.heard[event.type] ||= []).push(on);
    if (!on) watch.other = describe(target);
  }
};

const stopWatch = () => {
  if (!watch) return;
  for (const window of watch.windows) {
    for (const type of HEARD) window.removeEventListener(type, hear, true);
  }
  watch = null;
};

const startWatch = (entry) => {
  stopWatch();
  const windows = new Set([window]);
  for (let node = entry.el, i = 0; node && i < 20; i++) {
    const inner = windowOf(ownerOf(node) || node);
    if (!inner) break;
    windows.add(inner);
    node = inner === window ? null : inner.frameElement;
  }
  watch = { entry, windows, moved: null, heard: {}, other: null };
  for (const each of windows) {
    for (const type of HEARD) each.addEventListener(type, hear, { capture: true, passive: true });
  }
};

const told = ({ stale, unknown, role, name }) => ({ stale, unknown, role, name });

// Brings the element into view, waits until it rests and says which pixel to press.
const aim = async ({ ref, watched }) => {
  let it = resolve(ref);
  if (!it.el) return told(it);
  scrollTo(it.shown);
  const rests = await settlePlace(it.shown);
  it = resolve(ref);
  if (!it.el) return told(it);
  let pixel = findPixel(it);
  if (pixel.covered) {
    // What sticks to an edge of the window covers what was scrolled just behind it.
    it.shown.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    await frames(2);
    pixel = findPixel(it);
  }
  const states = statesOf(it.el, it.role);
  if (watched) startWatch(it);
  held = { el: it.el };
  return { role: it.role, name: it.name, type: localName(it.el) === "input" ? it.el.type : undefined,
    states, many: localName(it.el) === "textarea" || editingHost(it.el), rests, focused: isFocused(it.el), metrics: metrics(), ...pixel };
};

// Whether the pointer was seen over the element, and where. Waits for it.
const over = async ({ seconds }) => {
  if (!watch) return { lost: true };
  const moved = await within(seconds, () => watch && watch.moved);
  return moved ? { ...moved, rests: true } : { missing: true };
};

// Forgets where the pointer was: it is about to move again.
const again = () => {
  if (watch) watch.moved = null;
  return { ok: true };
};

// The last look before a press: the same element, and the pointer on it.
const ready = ({ ref }) => {
  const it = resolve(ref);
  if (!it.el) return told(it);
  if (!watch || !watch.moved) return { missing: true };
  const at = toClient(watch.moved.x, watch.moved.y);
  const hit = hitAt(at.x, at.y);
  return hit && related(hit, it) ? { ok: true } : { covered: describe(hit) };
};

// What became of a press: { on } when the element had it, { other } when something else did.
const pressed = async ({ event, times, seconds }) => {
  if (!watch) return { lost: true };
  const { heard } = watch;
  const done = () => heard[event] && heard[event].length >= times;
  // What opens a list of the system's, or goes away when it is pressed, hears no more than that.
  if (await within(seconds, () => heard.mousedown || done())) await within(seconds / 3, done);
  const events = heard.mousedown || heard[event];
  const answer = events ? { on: events.every(Boolean), other: watch && watch.other || undefined }
    : { missing: true };
  stopWatch();
  return answer;
};

// --- fields --------------------------------------------------------------------------------------------------
let held = null; // the element that the act in hand is about, and what it held before

const isFocused = (el) => {
  const focused = focusedElement();
  return Boolean(focused) && (focused === el || editingHost(el) && isInside(focused, el));
};

const plain = (text) => text.replace(/\r\n?/g, "\n").replace(/\u00a0/g, " ").replace(/\n+$/, "");

// Whether the letters and digits of a text are all there in their order, whatever a field puts between them.
const keeps = (content, typed) => {
  const letters = Array.from(typed.toLowerCase()).filter((c) => /[\p{L}\p{N}]/u.test(c));
  let at = 0;
  const lower = content.toLowerCase();
  for (const letter of letters) {
    at = lower.indexOf(letter, at);
    if (at < 0) return false;
    at += letter.length;
  }
  return letters.length > 0;
};

const focused = async ({ seconds }) => ({ focused: Boolean(await within(seconds, () => held && isFocused(held.el))) });

const noteContent = () => {
  if (held) held.before = contentOf(held.el, 1e6) || "";
  return { length: held ? held.before.length : 0 };
};

// Whether all of a field is selected (or, with `at_end`, nothing and the caret is at its end); where a field does not
// tell, it is taken to be. Selects what the keys did not.
const selected = () => {
  if (!held) return { lost: true };
  const { el } = held;
  if (FIELDS.has(localName(el))) {
    let from = null;
    try {
      from = el.selectionStart;
    } catch { /* kinds of fields that tell nothing */ }
    if (from !== null && (from !== 0 || el.selectionEnd !== el.value.length)) el.select();
  }
  return { ok: true };
};

// Waits until the field holds what it should after typing: what it held before and the text, or the text alone.
const holds = async ({ typed, replaced, seconds }) => {
  if (!held) return { lost: true };
  const { el } = held;
  const before = held.before || "";
  const wanted = plain(replaced ? typed : before + typed);
  const now = () => contentOf(el, 1e6) || "";
  let last = null;
  let since = 0;
  // A field that changes what is typed into it is taken as it is when it rests.
  await within(seconds, () => {
    const content = now();
    if (plain(content) === wanted) return true;
    if (content !== last) [last, since] = [content, performance.now()];
    const rests = performance.now() - since;
    return content !== before && rests > (keeps(content, typed) ? 300 : seconds * 250);
  });
  const content = now();
  const same = plain(content) === wanted;
  const secret = isSecret(el);
  await frames(1);
  noticeSuggestions();
  return { same, kept: same || typed === "" || keeps(content, typed), changed: content !== before, secret,
    value: secret ? undefined : tidy(content, VALUE), gone: !isConnected(el), focused: isFocused(el),
    autocomplete: offersSuggestions(el, roleOf(el)) };
};

const tellChange = (el) => {
  for (const type of ["input", "change"]) el.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
};

const nativeValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;

// Dates, colours and the like take a value, not keys.
const setValue = ({ ref, value }) => {
  const it = resolve(ref);
  if (!it.el) return told(it);
  it.el.focus();
  nativeValue.call(it.el, value);
  const accepted = it.el.value === value || it.el.type === "range" && Number(it.el.value) === Number(value);
  if (accepted) tellChange(it.el);
  return { accepted, value: tidy(it.el.value, VALUE), type: it.el.type };
};

// --- choices -------------------------------------------------------------------------------------------------
const fits = (text, wanted) => {
  const a = tidy(text, VALUE);
  return a === wanted ? 2 : a.toLowerCase() === wanted.toLowerCase() ? 1 : 0;
};

// Chooses options of a <select> by their labels or values.
const chooseOption = ({ ref, wanted }) => {
  const it = resolve(ref);
  if (!it.el) return told(it);
  const { el } = it;
  if (localName(el) !== "select") return { other: true, states: statesOf(el, it.role), role: it.role };
  if (is(el, ":disabled")) return { disabled: true, role: it.role, name: it.name };
  const { options } = el;
  const chosen = [];
  for (const want of wanted) {
    let best = null;
    let score = 0;
    for (let i = 0; i < options.length && i < 20000; i++) {
      const fit = Math.max(fits(options[i].label, want), fits(options[i].value, want));
      if (fit > score) [best, score] = [options[i], fit];
      if (score === 2) break;
    }
    if (!best) return { absent: tidy(want, 80), options: optionsOf(el), name: it.name };
    if (is(best, ":disabled")) return { barred: tidy(best.label, 80), name: it.name };
    chosen.push(best);
  }
  if (chosen.length > 1 && !el.multiple) return { single: true, name: it.name };
  el.focus();
  for (let i = 0; i < options.length && el.multiple; i++) options[i].selected = false;
  for (const option of chosen) option.selected = true;
  tellChange(el);
  return { value: contentOf(el, VALUE), same: chosen.every((option) => option.selected) };
};

// The choice with that name in a list that has opened; a handle to act on it.
const findChoice = async ({ wanted, seconds }) => {
  let seen = [];
  const pick = await within(seconds, () => {
    seen = [];
    let best = null;
    let score = 0;
    for (const { el } of freshWalk(0).elements) {
      const role = roleOf(el);
      if (!/^(option|menuitem|menuitemradio|menuitemcheckbox|treeitem)$/.test(role) || localName(el) === "option") continue;
      const name = nameOf(el);
      if (seen.length < OPTIONS) seen.push(tidy(name, 80));
      const fit = fits(name, wanted);
      if (fit > score) [best, score] = [{ el, role, name }, fit];
    }
    return best;
  });
  if (!pick) return { absent: true, options: seen };
  extras.clear();
  extras.set(1, pick);
  return { handle: 1 };
};

// --- scrolling, files ----------------------------------------------------------------------------------------
const bringIntoView = async ({ ref }) => {
  const it = resolve(ref);
  if (!it.el) return told(it);
  it.shown.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  await settlePlace(it.shown);
  return { in_view: shownBoxes(it.shown).length > 0, scroll: scrolling(), role: it.role, name: it.name };
};

// Waits until nothing scrolls any more.
const scrollRests = async () => {
  let last = "";
  for (let i = 0; i < 60; i++) {
    const now = scrollX + " " + scrollY;
    if (now === last && i > 2) break;
    last = now;
    await frames(3);
  }
  return { scroll: scrolling() };
};

// What a file is to be given to: the chooser itself, one that its label opens, or { button } that opens one.
const chooserOf = ({ ref }) => {
  const it = resolve(ref);
  if (!it.el) return told(it);
  let el = it.el;
  if (localName(el) === "label" && el.control) el = el.control;
  if (localName(el) !== "input" || el.type !== "file") return { button: true, role: it.role, name: it.name };
  held = { el };
  return { chooser: true, multiple: el.multiple, disabled: is(el, ":disabled"), name: it.name, role: it.role };
};

const files = () => (held ? { names: Array.from({ length: held.el.files.length }, (_, i) => tidy(held.el.files[i].name, 300)) }
  : { lost: true });

const calls = { observe, aim, over, again, ready, pressed, focused, noteContent, selected, holds, setValue, chooseOption, findChoice,
  bringIntoView, scrollRests, chooserOf, files };

Object.defineProperty(globalThis, "deskpilot", { value: {
  call: async (name, options) => JSON.stringify(await calls[name](options)),
  held: () => held && held.el,
} });
