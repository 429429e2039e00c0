// Finds the popup that has to be dealt with first: a modal dialog, or a layer that covers the page and takes its
// clicks. Lists that a field has opened do not count.
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

// The layers over the page at a point, the outermost first: elements that are fixed, or absolute with a z-index.
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

const COVERED = 120; // the most elements that are tested

// The elements in view that are covered by the layer, or by its backdrop (a layer as large as the window).
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

// Whether a click on the hit element also reaches the entry's element.
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

// The popup as { el, layer, covers }, where covers is the set of entries behind it, or null for all that are not in it;
// null without a popup.
const findPopup = (elements) => {
  const modal = topmost(modalDialogs());
  if (modal) {
    // A dialog in the top layer blocks everything else. Other modal dialogs (aria-modal) only claim to, so it is
    // tested.
    const covers = is(modal, "dialog:modal") ? null : coveredBy(modal, elements);
    return { el: modal, layer: modal, covers };
  }
  for (const { el, fixed } of layersAt(innerWidth / 2, innerHeight / 2)) {
    if (isOpenedList(el)) return null;
    const covers = coveredBy(el, elements);
    // Absolute layers are also used for ordinary layout: one that covers a single link is not a popup.
    if (covers.size < (fixed || fills(el) ? 1 : 2)) continue;
    const dialog = el.querySelector("dialog[open], [role=dialog], [role=alertdialog]");
    return { el: dialog && isVisible(dialog) ? dialog : el, layer: el, covers };
  }
  return null;
};
