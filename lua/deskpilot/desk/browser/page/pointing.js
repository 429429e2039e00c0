// The page's part of clicking: where to press, whether the pointer is there, and which element got the press. Each step
// looks the element up again.
const looks = new Set(); // those that wait, which look again when an event is heard

const lookAll = () => { for (const look of [...looks]) look(); };

const within = (seconds, check) => new Promise((done) => {
  const limit = performance.now() + seconds * 1000;
  let cancel = () => {};
  const look = () => {
    cancel();
    const found = check();
    if (!found && performance.now() <= limit) {
      cancel = later(8, look);
      looks.add(look);
    } else {
      looks.delete(look);
      done(found);
    }
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

// Converts a point from CSS pixels to device pixels, both counted from the visible corner. Pinch zoom shows only a part
// of the layout, at its own offset and scale.
const toDevice = (x, y) => ({ x: (x - visualViewport.offsetLeft) * visualViewport.scale * devicePixelRatio,
  y: (y - visualViewport.offsetTop) * visualViewport.scale * devicePixelRatio });
const toClient = (x, y) => ({ x: x / visualViewport.scale / devicePixelRatio + visualViewport.offsetLeft,
  y: y / visualViewport.scale / devicePixelRatio + visualViewport.offsetTop });

// The device pixels of a box as a hit test counts them: those whose upper left corner is inside.
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

// A pixel of the viewport where a press would reach the element, the middle if possible, and clear of another pixel if
// that is possible; else what covers it.
const findPixel = (entry, clearOf) => {
  let cover = null;
  let any = false;
  let near = null;
  for (const box of shownBoxes(entry.shown)) {
    const pixels = pixelsOf(box);
    for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.1],
      [0.1, 0.9], [0.9, 0.9], [0, 0], [1, 1]]) {
      const x = Math.round(pixels.x0 + (pixels.x1 - pixels.x0) * fx);
      const y = Math.round(pixels.y0 + (pixels.y1 - pixels.y0) * fy);
      const client = toClient(x, y);
      const hit = hitAt(client.x, client.y);
      any = true;
      if (!hit || !related(hit, entry)) {
        cover = cover || hit;
      } else if (clearOf && Math.max(Math.abs(x - clearOf.x), Math.abs(y - clearOf.y)) <= clearOf.by) {
        near = near || { x, y };
      } else {
        return { x, y };
      }
    }
  }
  if (near) return near;
  return any ? { covered: describe(cover) } : { hidden: true };
};

const placeNow = (el) => {
  const rect = rectOf(el);
  const place = placeOf(el);
  return [rect.left + place.x, rect.top + place.y, rect.width, rect.height].map(round).join(" ");
};

const REST = 20; // milliseconds: some frames

// Whether an element is where it was when it was observed, some frames ago: so it does not move.
const hasRested = async ({ el, shown, was }) => {
  const isThere = () => shown === el && was.box !== undefined
    && String(roundedBox(outward(boxOf(rectOf(el)), placeOf(el)))) === was.box;
  if (!isThere()) return false;
  const left = was.at + REST - performance.now();
  if (left > 0) await new Promise((done) => later(left, done));
  return left <= 0 || isThere();
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

// --- the watch: records pointer and mouse events in the page and its frames --------------------------------------
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
  // What a move does is seen once the page's own listeners have been called. After a press a task would wait for a frame.
  if (event.type === "pointermove") later(0, lookAll); else lookAll();
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

let held = null; // the element of the current action, and its content before

const isFocused = (el) => {
  const focused = focusedElement();
  return Boolean(focused) && (focused === el || editingHost(el) && isInside(focused, el));
};

const withoutElement = ({ stale, unknown, role, name }) => ({ stale, unknown, role, name });

// Whether a click on the element sends a form: by its button, or by what is inside it.
const submits = (el) => {
  for (let node = el, i = 0; node && i < 6; i++, node = above(node)) {
    if (nodeType(node) !== ELEMENT) continue;
    const tag = localName(node);
    if (tag === "button" || tag === "input") return Boolean(node.form) && (node.type === "submit" || node.type === "image");
  }
  return false;
};

const NAMED = /^(button|link|menuitem|menuitemcheckbox|menuitemradio|tab|option|checkbox|radio|switch)$/;

// What a press there would be for: the button or the link that is there, or else the innermost element that has a name.
const whatFor = (hit) => {
  let named = null;
  for (let node = hit, i = 0; node && i < 8; i++, node = above(node)) {
    if (nodeType(node) !== ELEMENT) continue;
    const role = roleOf(node);
    const name = nameOf(node) || NAMED.test(role) && wordsOf(node, 200) || "";
    if (name && NAMED.test(role)) return { role, name: tidy(name, 200), submits: submits(hit) };
    if (name && !named) named = { role, name: tidy(name, 200) };
  }
  return { role: named ? named.role : "", name: named ? named.name : "", submits: hit ? submits(hit) : false };
};

// What a click at a pixel of the visible page would be for, or a key that presses what has the focus; and where the
// page is, by which the pixel is told.
const at = ({ x, y, focused: byKeys }) => {
  if (byKeys) return whatFor(focusedElement());
  if (x === undefined) return { metrics: metrics() };
  const client = toClient(x, y);
  return { ...whatFor(hitAt(client.x, client.y)), metrics: metrics() };
};

// Scrolls the element into view, waits until it stops moving and returns the pixel to press: where any place of the
// element does, one that is clear of a pixel that was pressed before. With in_front only where the page has the keyboard
// focus: one that is hidden draws no frames, which are waited for here.
const aim = async ({ ref, watched, clear_of: before, in_front: inFront }) => {
  if (inFront && !document.hasFocus()) return { behind: true };
  let it = resolve(ref);
  if (!it.el) return withoutElement(it);
  scrollTo(it.shown);
  const rests = await hasRested(it) || await settlePlace(it.shown);
  it = resolve(ref);
  if (!it.el) return withoutElement(it);
  const clearOf = NAMED.test(it.role) ? before : null; // of these any place does
  let pixel = findPixel(it, clearOf);
  if (pixel.covered) {
    // A bar that sticks to an edge may cover an element that was scrolled only just into view: use the centre.
    it.shown.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    await frames(2);
    pixel = findPixel(it, clearOf);
  }
  const states = statesOf(it.el, it.role);
  if (watched) startWatch(it);
  held = { el: it.el };
  return { role: it.role, name: it.name, type: localName(it.el) === "input" ? it.el.type : undefined,
    submits: submits(it.el), url: location.href, states, many: localName(it.el) === "textarea" || editingHost(it.el), rests, metrics: metrics(), ...pixel };
};

// Forgets the latest pointer event, before the pointer moves again.
const again = () => {
  if (watch) watch.moved = null;
  return { ok: true };
};

// Waits for a pointer event, and returns where the pointer is, and whether a press there would reach the element: it is
// still the same, the pointer is over it and nothing covers it. Then also what the press would be for, on which page.
const over = async ({ ref, seconds }) => {
  if (!watch) return { lost: true };
  await within(seconds, () => !watch || watch.moved || !isConnected(watch.entry.el));
  if (!watch || !watch.moved) return { missing: true };
  const { moved } = watch;
  if (!moved.on) return moved;
  const it = resolve(ref);
  if (!it.el) return withoutElement(it);
  const at = toClient(moved.x, moved.y);
  const hit = hitAt(at.x, at.y);
  if (!hit || !related(hit, it)) return { ...moved, on: false, cover: describe(hit) };
  return { ...moved, ...whatFor(hit), url: location.href };
};

// Which element got the press: { on } if it was the target, else { other }. With `focus`, so many seconds, also waits
// until it has the keyboard focus (acts.js).
const pressed = async ({ event, times, seconds, focus }) => {
  if (!watch) return { lost: true };
  const { heard } = watch;
  const done = () => heard[event] && heard[event].length >= times;
  // An element that opens a native list, or that disappears when it is pressed, gets mousedown and no further event.
  if (await within(seconds, () => heard.mousedown || done())) await within(seconds / 3, done);
  const events = heard.mousedown || heard[event];
  const answer = events ? { on: events.every(Boolean), other: watch && watch.other || undefined }
    : { missing: true };
  stopWatch();
  return answer.on && focus ? { ...answer, ...await focused({ seconds: focus }) } : answer;
};
