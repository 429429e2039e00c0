// Observations: the description of the elements, and the lookup of the element that an observation's index means now.
const KEPT = 12; // observations whose indices are still known

const token = Math.random().toString(36).slice(2, 10);
const observations = new Map(); // number -> Map of index -> { el, role, name }
let count = 0;
let changed = true; // since the last walk
let lastWalk = null;

const observer = new MutationObserver(() => noteChange());
const noteChange = () => {
  changed = true;
  observer.disconnect(); // one change is enough to invalidate the walk; the next walk observes again
};

const freshWalk = (most) => {
  const result = walk(most);
  observer.disconnect();
  for (const root of result.roots) {
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  }
  changed = false;
  lastWalk = result.elements.map((entry) => entry.el);
  return result;
};

// The elements by their current indices.
const currentElements = () => {
  if (observer.takeRecords().length > 0) noteChange();
  if (changed) freshWalk(0);
  return lastWalk;
};

// Marks the focused field as offering suggestions if a list has opened for it.
const noticeSuggestions = () => {
  const field = focusedElement();
  if (!field || !isEditable(field) || suggesting.has(field)) return;
  const place = placeOf(field);
  const box = outward(boxOf(rectOf(field)), place);
  const height = box.y1 - box.y0;
  const x = box.x0 + Math.min(20, (box.x1 - box.x0) / 2);
  for (const y of [box.y1 + 6, box.y1 + 18, box.y0 - 6]) {
    let node = hitAt(x, y);
    for (let i = 0; node && i < 100; i++, node = above(node)) {
      if (nodeType(node) !== ELEMENT) continue;
      if (isInside(field, node)) break;
      const role = roleAttribute(node);
      if (role === "listbox" || role === "option") return void suggesting.add(field);
      if (!/absolute|fixed/.test(getComputedStyle(node).position)) continue;
      const top = outward(boxOf(rectOf(node)), place);
      const adjoins = Math.abs(top.y0 - box.y1) <= Math.max(16, height) || Math.abs(top.y1 - box.y0) <= 16;
      if (adjoins && node.querySelector("li, [role=option], a, button, [tabindex], div + div")) {
        return void suggesting.add(field);
      }
    }
  }
};

// Which elements are listed when there are too many: those of the popup, then those in view, then the nearest ones.
const choose = (elements, most, popup) => {
  if (elements.length <= most) return elements.map((_, index) => index);
  const rank = (entry) => {
    if (popup && isInside(entry.el, popup.layer)) return -2;
    if (entry.inView) return -1;
    const y = entry.frame.place.y + entry.box.y0 * entry.frame.place.scale;
    return y < 0 ? -y : Math.max(0, y - innerHeight);
  };
  const ranks = elements.map((entry, index) => [rank(entry), index]);
  ranks.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return ranks.slice(0, most).map((pair) => pair[1]).sort((a, b) => a - b);
};

const round = (value) => Math.round(value * 1000) / 1000;
const roundedBox = (box) => [round(box.x0), round(box.y0), round(box.x1), round(box.y1)];

// The size of the viewport with its scroll bars, in pixels of the screen. innerWidth is rounded to whole CSS pixels, so
// the exact size is found by media queries.
const pixelsAcross = (feature, about) => {
  const most = Math.ceil(about * devicePixelRatio + devicePixelRatio) + 1;
  for (let pixels = most; pixels > most - 8; pixels--) {
    if (matchMedia(`(min-${feature}: ${(pixels - 0.5) / devicePixelRatio}px)`).matches) return pixels;
  }
  return Math.round(about * devicePixelRatio);
};

const metrics = () => ({
  dpr: devicePixelRatio, left: visualViewport.offsetLeft, top: visualViewport.offsetTop, scale: visualViewport.scale,
  pixels: [pixelsAcross("width", innerWidth), pixelsAcross("height", innerHeight)],
});

const scrolling = () => {
  const root = rootElement(document);
  const el = document.scrollingElement || root;
  return { x: round(scrollX), y: round(scrollY), max_x: Math.max(0, el.scrollWidth - el.clientWidth),
    max_y: Math.max(0, el.scrollHeight - el.clientHeight) };
};

const frameName = (frame) => tidy(attribute(frame.element, "name", 80) || attribute(frame.element, "title", 80)
  || attribute(frame.element, "id", 80) || "frame", 80);

// Its states, and its value unless that is secret.
const contentsOf = (el, role, focused) => {
  const states = statesOf(el, role);
  if (focused && isInside(focused, el) && (focused === el || states.editable)) states.focused = true;
  const value = states.protected ? null : contentOf(el, VALUE);
  return value === null || value === "" ? { states } : { states, value: tidy(value, VALUE) };
};

const describeEntry = (entry, index, popup, focused) => {
  const role = roleOf(entry.el);
  const name = nameOf(entry.el);
  const described = { index, role, name, ...contentsOf(entry.el, role, focused), in_view: entry.inView,
    box: roundedBox(outward(entry.box, entry.frame.place)) };
  if (popup && !isInside(entry.el, popup.layer) && (popup.covers === null || popup.covers.has(entry))) {
    described.states.blocked = true;
  }
  described.options = optionsOf(entry.el);
  if (entry.frame.element) described.frame = frameName(entry.frame);
  return described;
};

// Describes the page, with at most `elements` elements and `text` characters of its text.
const observe = ({ elements: most, text: characters, keep }) => {
  const began = performance.now();
  noticeSuggestions();
  const seen = freshWalk(characters);
  const popup = findPopup(seen.elements);
  const focused = focusedElement();
  const listed = choose(seen.elements, most, popup);
  const known = new Map();
  let focus;
  const elements = listed.map((index) => {
    const entry = seen.elements[index];
    const described = describeEntry(entry, index, popup, focused);
    known.set(index, { el: entry.el, role: described.role, name: described.name, box: String(described.box), at: began });
    if (described.states.focused) focus = index;
    return described;
  });
  const kept = keep && most > 0;
  if (kept) {
    observations.set(++count, known);
    observations.delete(count - KEPT);
  }
  const answer = { id: kept ? token + "-" + count : undefined,
    url: String(location.href).slice(0, 4000).toWellFormed(), title: tidy(titleOf(document).slice(0, 4000), 300),
    ready: readyState(document), text: seen.text,
    text_cut: seen.textCut, elements, total: seen.elements.length, incomplete: seen.cut, focus,
    metrics: metrics(), scroll: scrolling() };
  if (popup) {
    const rect = rectOf(popup.el);
    const inside = listed.filter((index) => isInside(seen.elements[index].el, popup.layer));
    answer.popup = { role: roleAttribute(popup.el) === "alertdialog" ? "alertdialog" : "dialog",
      name: headingOf(popup.el), elements: inside, box: [round(rect.left), round(rect.top), round(rect.right), round(rect.bottom)] };
  }
  answer.milliseconds = round(performance.now() - began);
  return answer;
};

const extras = new Map(); // handle -> element that is in no observation

// The element that { id, index } means, as { el, role, name, shown, was }, if the index still means the same one; else
// { stale } with the reason. `was`: what is known of it, with its `box` when it was observed `at` that time.
const resolve = (ref) => {
  let was = null;
  if (ref.handle !== undefined) {
    was = extras.get(ref.handle);
    if (!was) return { stale: "gone" };
  } else {
    const [owner, number] = String(ref.id).split("-");
    const known = owner === token ? observations.get(Number(number)) : null;
    if (!known) return { stale: owner === token ? "old" : "navigated" };
    was = known.get(ref.index);
    if (!was) return { unknown: true };
    if (currentElements()[ref.index] !== was.el) {
      const there = isConnected(was.el) && currentElements().includes(was.el);
      return { stale: there ? "moved" : "gone", role: was.role, name: was.name };
    }
  }
  const { el } = was;
  const role = roleOf(el);
  const name = nameOf(el);
  if (!isConnected(el)) return { stale: "gone", role: was.role, name: was.name };
  if (role !== was.role || name !== was.name) return { stale: "changed", role: was.role, name: was.name };
  const shown = isVisible(el) && extentOf(el) ? el : standIn(el) || el;
  if (!isRendered(shown)) return { stale: "gone", role, name };
  return { el, role, name, shown, was };
};
