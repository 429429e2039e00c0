// The role, name, value and states of an element.
const NAME = 200;
const VALUE = 500;
const OPTIONS = 50;

const ROLES = new Set(("button link checkbox radio switch menuitem menuitemcheckbox menuitemradio tab option " +
  "combobox textbox searchbox slider spinbutton treeitem").split(" "));
// Roles of containers.
const HOLDERS = new Set(("listbox menu menubar tablist tree grid treegrid radiogroup toolbar group list table region " +
  "dialog alertdialog main navigation application document presentation none").split(" "));
const INPUT_ROLES = { button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox",
  radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", text: "textbox", email: "textbox",
  tel: "textbox", url: "textbox", password: "textbox" };
const TYPED = new Set(("text search email tel url password number date time month week datetime-local").split(" "));
const SECRETS = /\b(current-password|new-password|one-time-code|cc-number|cc-csc)\b/;

const roleAttribute = (el) => {
  const value = attribute(el, "role", 100);
  return value ? value.trim().split(/\s+/)[0].toLowerCase() : null;
};

const editingHost = (el) => {
  const value = attribute(el, "contenteditable", 20);
  return value !== null && value.toLowerCase() !== "false";
};

const roleOf = (el) => {
  const explicit = roleAttribute(el);
  if (explicit && explicit !== "none" && explicit !== "presentation") return tidy(explicit, 30);
  const tag = localName(el);
  switch (tag) {
    case "a": case "area": return has(el, "href") ? "link" : "clickable";
    case "button": case "summary": return "button";
    case "textarea": return "textbox";
    case "select": return el.multiple || el.size > 1 ? "listbox" : "combobox";
    case "option": return "option";
    case "iframe": case "frame": return "iframe";
    case "input": {
      if (has(el, "list") && TYPED.has(el.type) && el.list) return "combobox";
      return INPUT_ROLES[el.type] || el.type;
    }
  }
  return editingHost(el) ? "textbox" : "clickable";
};

// The text that an element shows, at most `most` characters.
const wordsOf = (el, most, except) => {
  const parts = [];
  let length = 0;
  let nodes = 0;
  const add = (text) => {
    if (!text) return;
    parts.push(text);
    length += text.length;
  };
  const visit = (node, depth) => {
    if (length > most * 2 || ++nodes > 500 || depth > 40) return false;
    if (nodeType(node) === TEXT) {
      add(substringData.call(node, 0, most * 2));
      return true;
    }
    if (nodeType(node) !== ELEMENT || node === except) return true;
    const tag = localName(node);
    if (SKIPPED.has(tag) || tag === "select" || tag === "textarea") return true;
    if (tag === "slot") eachChild(node, true, (child) => visit(child, depth + 1));
    if (tag === "slot" || !isRendered(node) || attribute(node, "aria-hidden", 10) === "true") return true;
    const label = attribute(node, "aria-label", most) || (tag === "img" ? attribute(node, "alt", most) : null);
    const space = label || !getComputedStyle(node).display.startsWith("inline") ? " " : "";
    parts.push(space);
    if (label) add(label);
    else if (tag === "svg") add(svgTitle(node, most));
    else eachChild(node, true, (child) => visit(child, depth + 1));
    parts.push(space);
    return true;
  };
  eachChild(el, true, (child) => visit(child, 0));
  return tidy(parts.join(""), most);
};

const svgTitle = (svg, most) => {
  for (let node = firstElement(svg); node; node = nextElement(node)) {
    if (localName(node) === "title") {
      const text = firstChild(node);
      return text && nodeType(text) === TEXT ? substringData.call(text, 0, most) : "";
    }
  }
  return "";
};

const labelledBy = (el) => {
  const ids = attribute(el, "aria-labelledby", 400);
  if (!ids) return "";
  const root = rootNode.call(el);
  const words = [];
  for (const id of ids.trim().split(/\s+/).slice(0, 8)) {
    const other = root.querySelector && DocumentFragment.prototype.isPrototypeOf(root)
      ? root.querySelector("#" + CSS.escape(id)) : Document.prototype.getElementById.call(ownerOf(el), id);
    if (other) words.push(attribute(other, "aria-label", NAME) || wordsOf(other, NAME, el));
  }
  return tidy(words.join(" "), NAME);
};

const labelsOf = (el) => {
  const labels = el.labels;
  return labels && labels.length > 0 ? Array.from({ length: Math.min(labels.length, 4) }, (_, i) => labels[i]) : [];
};

const ofItsOwn = (el, tag) => {
  if (tag === "input") {
    const type = el.type;
    if (type === "submit" || type === "button" || type === "reset") {
      const value = tidy(el.value, NAME);
      return value || (type === "submit" ? "Submit" : type === "reset" ? "Reset" : "");
    }
    if (type === "image") return tidy(attribute(el, "alt", NAME) || "", NAME);
    return "";
  }
  if (tag === "select" || tag === "textarea" || editingHost(el) || tag === "iframe" || tag === "frame") return "";
  if (tag === "area" || tag === "img") return tidy(attribute(el, "alt", NAME) || "", NAME);
  if (tag === "svg") return tidy(svgTitle(el, NAME), NAME);
  const role = roleAttribute(el);
  return role === "textbox" || role === "searchbox" ? "" : wordsOf(el, NAME);
};

// The accessible name, by the main rules of the W3C's name computation; without such a name, what a person would use
// instead.
const nameOf = (el) => {
  const tag = localName(el);
  let name = labelledBy(el) || tidy(attribute(el, "aria-label", NAME) || "", NAME);
  if (name) return name;
  const own = ofItsOwn(el, tag);
  if (own) return own;
  name = tidy(labelsOf(el).map((label) => wordsOf(label, NAME, el)).join(" "), NAME);
  if (name) return name;
  for (const from of ["title", "placeholder", "aria-placeholder", "aria-description", "name", "id"]) {
    if ((from === "name" || from === "id") && !FIELDS.has(tag)) break;
    name = tidy(attribute(el, from, NAME) || "", NAME);
    if (name) return name;
  }
  const from = { iframe: "src", a: "href", area: "href" }[tag];
  const address = from ? attribute(el, from, 80) : "";
  return tidy((address || "").replace(/^(data|javascript):[^]*/, "$1:"), 80);
};

const FIELDS = new Set(["input", "textarea", "select"]);

const isSecret = (el) => {
  const tag = localName(el);
  if (tag !== "input" && tag !== "textarea") return false;
  return el.type === "password" || SECRETS.test(attribute(el, "autocomplete", 100) || "")
    || getComputedStyle(el).webkitTextSecurity !== "none";
};

// The content of a field, at most `most` characters; null for an element without a value.
const contentOf = (el, most) => {
  const tag = localName(el);
  if (tag === "textarea" || tag === "input" && (TYPED.has(el.type) || el.type === "range" || el.type === "color")) {
    return String(el.value).slice(0, most);
  }
  if (tag === "select") {
    const chosen = [];
    for (let i = 0; i < el.options.length && i < 2000 && chosen.length < 20; i++) {
      if (el.options[i].selected) chosen.push(tidy(el.options[i].label, NAME));
    }
    return chosen.join(", ");
  }
  if (tag === "input" && el.type === "file") {
    return Array.from({ length: Math.min(el.files.length, 10) }, (_, i) => tidy(el.files[i].name, NAME)).join(", ");
  }
  if (editingHost(el)) return editedText(el, most);
  return attribute(el, "aria-valuetext", most) || attribute(el, "aria-valuenow", most);
};

// The text of a contenteditable element, with line breaks.
const editedText = (el, most) => {
  const parts = [];
  let length = 0;
  const visit = (node, depth) => {
    if (length > most || depth > 60) return false;
    if (nodeType(node) === TEXT) {
      const text = substringData.call(node, 0, most);
      parts.push(text.replace(/\u00a0/g, " "));
      length += text.length;
    } else if (nodeType(node) === ELEMENT) {
      const tag = localName(node);
      if (tag === "br") parts.push("\n");
      if (/^(div|p|li)$/.test(tag) && parts.length > 0 && !parts[parts.length - 1].endsWith("\n")) parts.push("\n");
      eachChild(node, true, (child) => visit(child, depth + 1));
    }
    return true;
  };
  eachChild(el, true, (child) => visit(child, 0));
  return parts.join("").slice(0, most).replace(/\n$/, "");
};

const isEditable = (el) => {
  const tag = localName(el);
  if (tag === "textarea" || tag === "input" && TYPED.has(el.type)) return !el.readOnly && !is(el, ":disabled");
  return editingHost(el);
};

const suggesting = new WeakSet(); // fields that have shown suggestions

const offersSuggestions = (el, role) => {
  if (!isEditable(el)) return false;
  if (suggesting.has(el) || role === "combobox") return true;
  const complete = attribute(el, "aria-autocomplete", 10);
  if (complete && complete !== "none") return true;
  if (attribute(el, "aria-haspopup", 10) === "listbox") return true;
  for (const name of ["aria-controls", "aria-owns"]) {
    const id = attribute(el, name, 200);
    const other = id && Document.prototype.getElementById.call(ownerOf(el), id.trim().split(/\s+/)[0]);
    if (other && roleAttribute(other) === "listbox") return true;
  }
  return false;
};

const truth = (el, name) => {
  const value = attribute(el, name, 10);
  return value === "true" || value === "mixed";
};

// Only states that are true are in the result.
const statesOf = (el, role) => {
  const tag = localName(el);
  const states = {};
  const box = tag === "input" && (el.type === "checkbox" || el.type === "radio");
  if (box ? el.checked : truth(el, "aria-checked")) states.checked = true;
  if (truth(el, "aria-pressed")) states.pressed = true;
  if (is(el, ":disabled") || truth(el, "aria-disabled")) states.disabled = true;
  const parent = tag === "summary" ? parentOf(el) : null;
  if (truth(el, "aria-expanded") || parent && localName(parent) === "details" && parent.open) states.expanded = true;
  if (truth(el, "aria-selected") || tag === "option" && el.selected) states.selected = true;
  if (FIELDS.has(tag) && el.required || truth(el, "aria-required")) states.required = true;
  if (isEditable(el)) states.editable = true;
  if (offersSuggestions(el, role)) states.autocomplete = true;
  if (isSecret(el)) {
    states.protected = true;
    if (el.value !== "") states.filled = true;
  }
  return states;
};

const optionsOf = (el) => {
  if (localName(el) !== "select") return undefined;
  const names = [];
  for (let i = 0; i < el.options.length && i < OPTIONS; i++) names.push(tidy(el.options[i].label, 80));
  return names;
};
