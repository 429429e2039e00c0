// What lies on top of the page and has to be dealt with first: a modal dialog, or a layer that takes the clicks of
// what is behind it. Lists that a field has opened are none of these.
const OPENED = /^(listbox|menu|tree|grid|tooltip|combobox)$/;

const topmost = (list) => {
  for (const el of list) {
    const rect = rectOf(el);
    const hit = hitAt(rect.left + rect.width / 2, rect.top + rect.height / 2);
    if (hit && isInside(hit, el)) return el;
  }
  return null;
};

const modalDialogs = () => {
  const all = [];
  for (const selector of ["dialog:modal", "[role=dialog][aria-modal=true]", "[role=alertdialog][aria-modal=true]"]) {
    for (const el of Document.prototype.querySelectorAll.call(document, selector)) {
      if (all.length < 50 && isVisible(el) && extentOf(el)) all.push(el);
    }
  }
  return all.reverse();
};

// The layers above the page at its middle, the outermost first: fixed, or absolute with an order of their own.
const layersAt = (x, y) => {
  const layers = [];
  let node = hitAt(x, y);
  for (let i = 0; node && i < 2000; i++, node = above(node)) {
    if (nodeType(node) !== ELEMENT || node === rootElement(document) || node === bodyOf(document)) continue;
    const style = getComputedStyle(node);
    const fixed = style.position === "fixed";
    if (fixed || style.position === "absolute" && Number(style.zIndex) > 0) layers.unshift({ el: node, fixed });
  }
  return layers.slice(0, 10);
};

const isOpenedList = (layer) => {
  if (OPENED.test(roleAttribute(layer) || "")) return true;
  const first = layer.querySelector("[role]");
  return first !== null && OPENED.test(roleAttribute(first) || "");
};

const middleOf = (entry) => {
  const box = outward(entry.box, entry.frame.place);
  const x = Math.min(Math.max((box.x0 + box.x1) / 2, 0), innerWidth - 1);
  const y = Math.min(Math.max((box.y0 + box.y1) / 2, 0), innerHeight - 1);
  return [x, y];
};

const COVERED = 120; // elements that are looked at

// Which of those in view are covered by the layer, or by one as large as the window that comes with it.
const coveredBy = (layer, elements) => {
  const covered = new Set();
  let looked = 0;
  for (const entry of elements) {
    if (!entry.inView || isInside(entry.el, layer)) continue;
    if (++looked > COVERED) break;
    const hit = hitAt(...middleOf(entry));
    if (!hit || related(hit, entry)) continue;
    const backdrop = layerOf(hit);
    if (isInside(hit, layer) || backdrop && fills(backdrop)) covered.add(entry);
  }
  return covered;
};

const layerOf = (node) => {
  for (let i = 0; node && i < 2000; i++, node = above(node)) {
    if (nodeType(node) === ELEMENT && /fixed|absolute/.test(getComputedStyle(node).position)) return node;
  }
  return null;
};

const fills = (el) => {
  const rect = rectOf(el);
  return rect.width >= innerWidth * 0.9 && rect.height >= innerHeight * 0.9;
};

// Whether a click on what was hit is one on the element.
const related = (hit, entry) => {
  if (isInside(hit, entry.el) || isInside(hit, entry.shown)) return true;
  for (let node = hit, i = 0; node && i < 50; i++, node = above(node)) {
    if (nodeType(node) === ELEMENT && localName(node) === "label" && node.control === entry.el) return true;
  }
  return false;
};

const headingOf = (el) => {
  const name = labelledBy(el) || tidy(attribute(el, "aria-label", NAME) || "", NAME);
  if (name) return name;
  const heading = el.querySelector("h1, h2, h3, h4, [role=heading], legend");
  return heading && isVisible(heading) && wordsOf(heading, NAME) || wordsOf(el, 120);
};

// { el, layer, covers: the entries behind it, or null for all that are not in it }, or null where there is none.
const findPopup = (elements) => {
  const modal = topmost(modalDialogs());
  if (modal) {
    // In the top layer a page cannot be reached; elsewhere that is the page's promise, which it may break.
    const covers = is(modal, "dialog:modal") ? null : coveredBy(modal, elements);
    return { el: modal, layer: modal, covers };
  }
  for (const { el, fixed } of layersAt(innerWidth / 2, innerHeight / 2)) {
    if (isOpenedList(el)) return null;
    const covers = coveredBy(el, elements);
    // Pages are also laid out with absolute layers: one that lies over a single link is no popup.
    if (covers.size < (fixed || fills(el) ? 1 : 2)) continue;
    const dialog = el.querySelector("dialog[open], [role=dialog], [role=alertdialog]");
    return { el: dialog && isVisible(dialog) ? dialog : el, layer: el, covers };
  }
  return null;
};
