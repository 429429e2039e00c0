// The page's part of filling in forms: fields and their contents, choices, scrolling, file inputs. At the end is the
// list of functions that deskpilot may call.

// --- fields --------------------------------------------------------------------------------------------------
const plain = (text) => text.replace(/\r\n?/g, "\n").replace(/\u00a0/g, " ").replace(/\n+$/, "");

// Whether the content has all letters and digits of the typed text in their order; a field may format them with other
// characters between.
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

// Waits until the element has the focus, and notes its content.
const focused = async ({ seconds }) => {
  const has = await within(seconds, () => held && isFocused(held.el));
  if (held) held.before = contentOf(held.el, 1e6) || "";
  return { focused: Boolean(has), length: held ? held.before.length : 0 };
};

// Makes sure that the whole content of a field is selected: selects it if the key press has not. A field that does not
// reveal its selection is taken to be selected.
const selected = () => {
  if (!held) return { lost: true };
  const { el } = held;
  if (FIELDS.has(localName(el))) {
    let from = null;
    try {
      from = el.selectionStart;
    } catch { /* kinds of fields that reveal no selection */ }
    if (from !== null && (from !== 0 || el.selectionEnd !== el.value.length)) el.select();
  }
  return { ok: true };
};

// Waits until the field holds what typing should result in: its former content and the text, or the text alone.
const holds = async ({ typed, replaced, seconds }) => {
  if (!held) return { lost: true };
  const { el } = held;
  const before = held.before || "";
  const wanted = plain(replaced ? typed : before + typed);
  const now = () => contentOf(el, 1e6) || "";
  let last = null;
  let since = 0;
  const view = windowOf(ownerOf(el) || el) || window;
  view.addEventListener("input", lookAll); // when the page's own listeners have been called
  // A field may reformat what is typed: its content counts once it has stopped changing.
  await within(seconds, () => {
    const content = now();
    if (plain(content) === wanted) return true;
    if (content !== last) [last, since] = [content, performance.now()];
    const rests = performance.now() - since;
    return content !== before && rests > (keeps(content, typed) ? 300 : seconds * 250);
  });
  view.removeEventListener("input", lookAll);
  const content = now();
  const same = plain(content) === wanted;
  const secret = isSecret(el);
  noticeSuggestions();
  return { same, kept: same || typed === "" || keeps(content, typed), changed: content !== before, secret,
    value: secret ? undefined : tidy(content, VALUE), gone: !isConnected(el), focused: isFocused(el),
    autocomplete: offersSuggestions(el, roleOf(el)) };
};

const tellChange = (el) => {
  for (const type of ["input", "change"]) el.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
};

const nativeValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;

// Fields for dates, colours and the like are set by value, not by key presses.
const setValue = ({ ref, value }) => {
  const it = resolve(ref);
  if (!it.el) return withoutElement(it);
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
  if (!it.el) return withoutElement(it);
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

const CHOICES = /^(option|menuitem|menuitemradio|menuitemcheckbox|treeitem)$/;

// Finds the choice with that name in a list that has opened. Returns a handle for clicking on it.
const findChoice = async ({ wanted, seconds }) => {
  let seen = [];
  const pick = await within(seconds, () => {
    seen = [];
    let best = null;
    let score = 0;
    for (const { el } of freshWalk(0).elements) {
      const role = roleOf(el);
      if (!CHOICES.test(role) || localName(el) === "option") continue;
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
  if (!it.el) return withoutElement(it);
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

// Finds the file input for an upload: the element itself, the input that its label belongs to, or { button } for an
// element that opens a chooser when clicked.
const chooserOf = ({ ref }) => {
  const it = resolve(ref);
  if (!it.el) return withoutElement(it);
  let el = it.el;
  if (localName(el) === "label" && el.control) el = el.control;
  if (localName(el) !== "input" || el.type !== "file") return { button: true, role: it.role, name: it.name };
  held = { el };
  return { chooser: true, multiple: el.multiple, disabled: is(el, ":disabled"), name: it.name, role: it.role };
};

// What an element holds and is now.
const contents = ({ ref }) => {
  const it = resolve(ref);
  if (!it.el) return withoutElement(it);
  return { role: it.role, name: it.name, ...contentsOf(it.el, it.role, focusedElement()) };
};

const calls = { observe, contents, at, aim, over, again, pressed, selected, holds, setValue,
  chooseOption, findChoice, bringIntoView, scrollRests, chooserOf };

Object.defineProperty(globalThis, "deskpilot", { value: {
  call: async (name, options) => JSON.stringify(await calls[name](options)),
  held: () => held && held.el,
} });
