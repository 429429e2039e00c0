// Reads a document that may be hostile. The script runs in an isolated world, so the page's scripts cannot replace the
// functions called here. But named elements of forms and documents hide built-in properties (<input name=parentNode>),
// so properties are read by getters from the prototypes. Every loop and every text has a limit.
const getter = (type, name) => {
  const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
  return (node) => get.call(node);
};
const parentOf = getter(Node, "parentNode");
const ownerOf = getter(Node, "ownerDocument");
const firstChild = getter(Node, "firstChild");
const nextSibling = getter(Node, "nextSibling");
const nodeType = getter(Node, "nodeType");
const isConnected = getter(Node, "isConnected");
const firstElement = getter(Element, "firstElementChild");
const nextElement = getter(Element, "nextElementSibling");
const localName = getter(Element, "localName");
const shadowOf = getter(Element, "shadowRoot");
const rootElement = getter(Document, "documentElement");
const bodyOf = getter(Document, "body");
const windowOf = getter(Document, "defaultView");
const readyState = getter(Document, "readyState");
const titleOf = getter(Document, "title");
const attributeNames = Element.prototype.getAttributeNames;
const getAttribute = Element.prototype.getAttribute;
const hasAttributes = Element.prototype.hasAttributes;
const hasAttribute = Element.prototype.hasAttribute;
const checkVisibility = Element.prototype.checkVisibility;
const boundingRect = Element.prototype.getBoundingClientRect;
const clientRects = Element.prototype.getClientRects;
const substringData = CharacterData.prototype.substringData;
const matches = Element.prototype.matches;
const rootNode = Node.prototype.getRootNode;

const ELEMENT = 1;
const TEXT = 3;

// At most that many characters of an attribute, or null.
const attribute = (el, name, most = 1000) => {
  const value = getAttribute.call(el, name);
  return value === null || value.length <= most ? value : value.slice(0, most);
};
const has = (el, name) => hasAttribute.call(el, name);
const rectOf = (el) => boundingRect.call(el);
const is = (el, selector) => matches.call(el, selector);

const UNSEEN = /[\s\u0000-\u001f\u007f-\u009f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/g;

// The text as one line, without control characters, and without unpaired surrogates, which JSON parsers refuse.
const tidy = (value, most) => {
  const text = String(value).slice(0, most * 4).replace(UNSEEN, " ").trim();
  return (text.length > most ? text.slice(0, most - 1) + "…" : text).toWellFormed();
};

const isRendered = (el) => checkVisibility.call(el);
const isVisible = (el) => checkVisibility.call(el, { opacityProperty: true, visibilityProperty: true });

// The document of a frame of the same origin, or null.
const frameDocument = (el) => {
  try {
    return el.contentDocument;
  } catch {
    return null;
  }
};

// The parent node; of a shadow tree's or a frame's root, the host element.
const above = (node) => {
  const parent = parentOf(node);
  if (parent) return nodeType(parent) === 11 && parent instanceof ShadowRoot ? parent.host : parent;
  if (nodeType(node) !== 9) return node.host || null;
  const window = windowOf(node);
  try {
    return window ? window.frameElement : null;
  } catch {
    return null;
  }
};

const isInside = (node, ancestor) => {
  for (let i = 0; node && i < 5000; i++) {
    if (node === ancestor) return true;
    node = above(node);
  }
  return false;
};

// Calls each(child) for the children as they are displayed: those of the shadow tree instead of the host's own, and a
// slot's assigned nodes instead of its default ones. A result of false ends the loop.
const eachChild = (el, withText, each) => {
  const shadow = shadowOf(el);
  if (!shadow && localName(el) === "slot" && el.assignedNodes) {
    const assigned = el.assignedNodes();
    if (assigned.length > 0) {
      for (const node of assigned) if (each(node) === false) return;
      return;
    }
  }
  const from = shadow || el;
  if (withText) {
    for (let node = firstChild(from); node; node = nextSibling(node)) if (each(node) === false) return;
  } else {
    let node = shadow ? shadow.firstElementChild : firstElement(el);
    for (; node; node = nextElement(node)) if (each(node) === false) return;
  }
};

// The place of a frame's content in the outermost viewport: x and y of its corner, rounded to a pixel of the screen,
// and the scale of its CSS pixels.
const onPixel = (value) => Math.round(value * devicePixelRatio) / devicePixelRatio;
const placeOfFrame = (el, outer) => {
  const rect = rectOf(el);
  const style = getComputedStyle(el);
  const scale = el.offsetWidth > 0 ? rect.width / el.offsetWidth : 1;
  const left = rect.left + (el.clientLeft + parseFloat(style.paddingLeft)) * scale;
  const top = rect.top + (el.clientTop + parseFloat(style.paddingTop)) * scale;
  const [x, y] = scale === 1 && outer.scale === 1 ? [onPixel(left), onPixel(top)] : [left, top];
  return { x: outer.x + x * outer.scale, y: outer.y + y * outer.scale, scale: outer.scale * scale };
};

const TOP = { x: 0, y: 0, scale: 1 };

// The place of the frame that a node is in.
const placeOf = (node) => {
  const window = windowOf(ownerOf(node) || node);
  if (!window || window === globalThis.window || window === top) return TOP;
  const el = window.frameElement;
  return el ? placeOfFrame(el, placeOf(el)) : TOP;
};

// The innermost element at a point of the outermost viewport, in open shadow trees and frames too.
const fromPoint = Document.prototype.elementFromPoint;
const hitAt = (x, y) => {
  let hit = fromPoint.call(document, x, y);
  let place = TOP;
  for (let i = 0; hit && i < 100; i++) {
    const shadow = shadowOf(hit);
    const tag = localName(hit);
    let inner = null;
    if (shadow) {
      inner = shadow.elementFromPoint((x - place.x) / place.scale, (y - place.y) / place.scale);
    } else if (tag === "iframe" || tag === "frame") {
      const inside = frameDocument(hit);
      if (inside) {
        place = placeOfFrame(hit, place);
        inner = fromPoint.call(inside, (x - place.x) / place.scale, (y - place.y) / place.scale);
      }
    }
    if (!inner || inner === hit) return hit;
    hit = inner;
  }
  return hit;
};

// The element that has the keyboard focus, in shadow trees and frames too.
const activeOf = getter(Document, "activeElement");
const focusedElement = () => {
  let el = activeOf(document);
  for (let i = 0; el && i < 100; i++) {
    const shadow = shadowOf(el);
    const tag = localName(el);
    let inner = shadow ? shadow.activeElement : null;
    if (tag === "iframe" || tag === "frame") {
      const inside = frameDocument(el);
      inner = inside ? activeOf(inside) : null;
    }
    if (!inner) return el;
    el = inner;
  }
  return el;
};
