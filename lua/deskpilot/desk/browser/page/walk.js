// The walk through the document that numbers the page's elements in display order and collects its text. Observing and
// acting both use it, so an index means the same in both.
const MAX_NODES = 400000;
const MAX_DEPTH = 900;
const MAX_FRAMES = 60;
const MAX_FRAME_DEPTH = 8;
const MAX_SECONDS = 5;

const SKIPPED = new Set("script style template noscript head title meta link base datalist".split(" "));
const CLOSED = new Set("select textarea video audio canvas object embed iframe frame img input math".split(" "));
const EVERYWHERE = { x0: -Infinity, y0: -Infinity, x1: Infinity, y1: Infinity };

const meet = (a, b) => ({ x0: Math.max(a.x0, b.x0), y0: Math.max(a.y0, b.y0), x1: Math.min(a.x1, b.x1),
  y1: Math.min(a.y1, b.y1) });
const meets = (a, b) => Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0) >= 0.5
  && Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0) >= 0.5;
const boxOf = (rect) => ({ x0: rect.left, y0: rect.top, x1: rect.right, y1: rect.bottom });

const USED = new Set(["input", "button", "select", "textarea", "summary"]);

// How certain it is that an element can be used: 2: it is made for it; 1: it seems so; 0: no.
const strength = (el, tag, bare) => {
  if (bare) return USED.has(tag) ? 2 : 0;
  switch (tag) {
    case "a": case "area": if (has(el, "href")) return 2; break;
    case "input": return el.type === "hidden" ? 0 : 2;
    case "button": case "select": case "textarea": case "summary": return 2;
  }
  const role = roleAttribute(el);
  if (role && ROLES.has(role)) return 2;
  if (editingHost(el)) return 2;
  if (has(el, "onclick")) return 1;
  const tabindex = attribute(el, "tabindex", 10);
  return tabindex !== null && parseInt(tabindex, 10) >= 0 ? 1 : 0;
};

// An element's box in its own frame. A link around a floating picture has no size of its own, so its content counts.
const extentOf = (el) => {
  const rect = rectOf(el);
  if (rect.width >= 0.5 && rect.height >= 0.5) return boxOf(rect);
  let box = null;
  let count = 0;
  for (let child = firstElement(el); child && count < 8; child = nextElement(child), count++) {
    const inner = rectOf(child);
    if (inner.width < 0.5 || inner.height < 0.5) continue;
    const next = boxOf(inner);
    box = box ? { x0: Math.min(box.x0, next.x0), y0: Math.min(box.y0, next.y0), x1: Math.max(box.x1, next.x1),
      y1: Math.max(box.y1, next.y1) } : next;
  }
  return box;
};

// The label of a hidden check box, radio button or file input: pages often show only the label.
const standIn = (el) => {
  if (localName(el) !== "input" || !/^(checkbox|radio|file)$/.test(el.type)) return null;
  return labelsOf(el).find((label) => isVisible(label) && extentOf(label)) || null;
};

// The relevant part of an element's style. Computing styles takes most of the time, so elements of the same kind below
// the same kind of parents (`family`) share a cached one; it is computed again only where it would leave out an
// element.
const styleOf = (el, tag, family, strong, bare) => {
  let key = tag;
  let common = true;
  if (!bare) {
    const classes = attribute(el, "class", 500);
    if (classes !== null) key = tag + "." + classes;
    common = strong ? !has(el, "style") && !has(el, "id")
      : attributeNames.call(el).length === (classes === null ? 0 : 1);
  }
  const known = common ? family.get(key) : undefined;
  if (known) return known;
  const style = getComputedStyle(el);
  const { display, position, overflowX, overflowY } = style;
  const made = { display, position, inline: /^(inline$|contents|ruby)/.test(display),
    gap: /^(inline|table-cell)/.test(display) ? " " : "\n", pointer: style.cursor === "pointer",
    clips: overflowX !== "visible" || overflowY !== "visible", scrolls: /auto|scroll/.test(overflowX + overflowY),
    places: position !== "static" || style.transform !== "none", verbatim: style.whiteSpace.startsWith("pre"),
    closed: style.contentVisibility === "hidden", family: null };
  if (common) {
    family.set(key, made);
  } else {
    const long = [key, display, position, made.pointer, made.clips, made.scrolls, made.places, made.verbatim].join(" ");
    const same = family.get(long);
    if (same) return same;
    family.set(long, made);
  }
  made.family = new Map();
  return made;
};

// Text with its lines, up to a number of characters.
const newText = (most) => {
  let text = "";
  let gap = "";
  return {
    full: most <= 0,
    gap(what) {
      if (gap !== "\n") gap = what;
    },
    add(words, verbatim) {
      const plain = verbatim ? words.replace(/[^\S\n]+/g, " ") : words.replace(/\s+/g, " ");
      if (plain === "") return;
      if (plain === " ") return void (gap = gap || " ");
      text += (text === "" ? "" : gap) + (gap === "" ? plain : plain.trimStart());
      gap = "";
      if (text.endsWith(" ")) {
        text = text.trimEnd();
        gap = " ";
      }
      if (text.length >= most) {
        this.full = true;
        text = text.slice(0, most);
      }
    },
    get all() {
      return text.trim().replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, " ").toWellFormed();
    },
  };
};

// Numbers everything. `most` is how much text is wanted.
const walk = (most) => {
  const found = [];
  const text = newText(most);
  const roots = [];
  const limit = performance.now() + MAX_SECONDS * 1000;
  let nodes = 0;
  let frames = 0;
  let cut = false;

  const spent = () => {
    if (++nodes > MAX_NODES || (nodes & 511) === 0 && performance.now() > limit) cut = true;
    return cut;
  };

  const record = (el, at, kind, clip) => {
    let shown = el;
    let box = null;
    if (isVisible(el)) box = extentOf(el);
    if (!box || box.x1 - box.x0 <= 1 && box.y1 - box.y0 <= 1) {
      const label = standIn(el);
      if (label) {
        shown = label;
        box = extentOf(label);
      } else if (!box && localName(el) === "input" && isRendered(el) && Number(getComputedStyle(el).opacity) === 0) {
        box = extentOf(el); // a transparent input on top of what represents it
      }
    }
    if (!box || !meets(box, clip.hard)) return null;
    const frame = at.frame;
    const entry = { el, shown, kind, box, frame, dropped: false, inView: meets(box, clip.seen) };
    found.push(entry);
    return entry;
  };

  // An element that only seems usable is left out if it merely contains others: one, or several in a container (by role
  // or by size); and so are the body and the label of a control.
  const dropContainer = (entry, index) => {
    const inner = found.length - index - 1;
    const role = roleAttribute(entry.el);
    const window = entry.frame.window;
    const size = (entry.box.x1 - entry.box.x0) * (entry.box.y1 - entry.box.y0);
    const large = size > window.innerWidth * window.innerHeight / 2;
    if (inner === 1 || inner > 0 && (large || HOLDERS.has(role) || localName(entry.el) === "label")
      || localName(entry.el) === "label" && entry.el.control || localName(entry.el) === "body") {
      entry.dropped = true;
    }
  };

  const readText = (node, el, at) => {
    if (at.reads === undefined) {
      const rect = rectOf(el);
      at.reads = isVisible(el) && (rect.width > 1 || rect.height > 1)
        && (at.clip.hard === EVERYWHERE || meets(boxOf(rect), at.clip.hard)) || at.style.display === "contents";
    }
    if (at.reads) text.add(substringData.call(node, 0, most * 2 + 100), at.style.verbatim);
  };

  // The clip box for the content of an element that clips or positions it.
  const clipBelow = (el, style, clip) => {
    if (!style.clips) return clip;
    const box = boxOf(rectOf(el));
    const hard = !style.scrolls ? meet(clip.hard, box) : meets(clip.hard, box) ? EVERYWHERE : clip.hard;
    return { seen: meet(clip.seen, box), hard };
  };

  const visit = (el, at) => {
    if (spent() || at.depth > MAX_DEPTH) return;
    const tag = localName(el);
    const bare = !hasAttributes.call(el);
    if (SKIPPED.has(tag) || !bare && has(el, "inert")) return;
    let kind = strength(el, tag, bare);
    const style = styleOf(el, tag, at.family, kind === 2, bare);
    const { position } = style;
    const clip = position === "fixed" ? at.frame.clip : position === "absolute" ? at.placed : at.clip;
    if (style.display === "none" && !isRendered(el)) {
      if (tag === "input" && standIn(el)) record(el, at, 2, clip);
      return;
    }
    if (tag === "br") return text.gap("\n");
    if (kind === 0 && style.pointer && !at.points && tag !== "html") kind = 1;
    if (at.inside && kind < 2) kind = 0;
    const index = found.length;
    const entry = kind > 0 && style.display !== "contents" ? record(el, at, kind, clip) : null;
    const inner = at.root ? clip : clipBelow(el, style, clip);
    descend(el, tag, style, { frame: at.frame, depth: at.depth + 1, points: style.pointer, family: style.family,
      inside: at.inside || entry !== null && kind === 2, clip: inner, placed: style.places ? inner : at.placed, style,
      reads: undefined, root: tag === "html" });
    if (entry && kind === 1) dropContainer(entry, index);
  };

  const descend = (el, tag, style, at) => {
    if (tag === "iframe" || tag === "frame") return enterFrame(el, at);
    if (CLOSED.has(tag) || style.closed) return;
    const shadow = shadowOf(el);
    if (shadow) {
      roots.push(shadow);
      at.family = new Map();
    }
    const shut = tag === "details" && !el.open;
    if (!style.inline) text.gap(style.gap);
    eachChild(el, !text.full, (node) => {
      const type = nodeType(node);
      if (type === ELEMENT) {
        if (!shut || localName(node) === "summary") visit(node, at);
      } else if (spent()) {
        return false;
      } else if (type === TEXT && !text.full && !shut) {
        readText(node, el, at);
      }
      return !cut;
    });
    if (!style.inline) text.gap(style.gap);
  };

  const enterFrame = (el, at) => {
    const inside = frameDocument(el);
    if (!inside || !windowOf(inside)) {
      // A frame of another site: its content cannot be read, but the frame can be clicked.
      if (isVisible(el)) record(el, at, 2, at.clip);
      return;
    }
    if (++frames > MAX_FRAMES || at.frame.depth >= MAX_FRAME_DEPTH || !isVisible(el)) return;
    const place = placeOfFrame(el, at.frame.place);
    const local = boxOf(rectOf(el));
    const seen = meet(meet(at.clip.seen, local), EVERYWHERE);
    const back = (value, of, origin) => (of + value * at.frame.place.scale - origin) / place.scale;
    text.gap("\n");
    enter(inside, { place, depth: at.frame.depth + 1, element: el, seen: {
      x0: back(seen.x0, at.frame.place.x, place.x), y0: back(seen.y0, at.frame.place.y, place.y),
      x1: back(seen.x1, at.frame.place.x, place.x), y1: back(seen.y1, at.frame.place.y, place.y) } }, at.depth);
    text.gap("\n");
  };

  const enter = (doc, outer, depth) => {
    const window = windowOf(doc);
    const root = rootElement(doc);
    if (!window || !root) return;
    roots.push(doc);
    const seen = meet(outer.seen, { x0: 0, y0: 0, x1: window.innerWidth, y1: window.innerHeight });
    // Content above or to the left of the document's origin cannot be scrolled to.
    const ltr = getComputedStyle(root).direction === "ltr";
    const hard = { x0: ltr ? -window.scrollX : -Infinity, y0: -window.scrollY, x1: Infinity, y1: Infinity };
    const clip = { seen, hard };
    const frame = { window, place: outer.place, depth: outer.depth, clip, element: outer.element };
    visit(root, { frame, depth, points: false, inside: false, clip, placed: clip, root: true, family: new Map() });
  };

  enter(document, { place: TOP, depth: 0, element: null, seen: EVERYWHERE }, 0);
  const elements = found.filter((entry) => !entry.dropped);
  return { elements, text: text.all, textCut: text.full || cut, roots, cut };
};

// Converts a box from a frame to the outermost viewport.
const outward = (box, place) => ({ x0: place.x + box.x0 * place.scale, y0: place.y + box.y0 * place.scale,
  x1: place.x + box.x1 * place.scale, y1: place.y + box.y1 * place.scale });
