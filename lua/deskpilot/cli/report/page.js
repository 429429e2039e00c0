"use strict";
// The report's page: keys, search, filters, dark and light, and the picture after an act. All words are in the page
// already; nothing is made of text here but text.
const byId = id => document.getElementById(id);
const report = {
  sections: [], at: -1,

  collect() {
    const here = this.sections[this.at];
    this.sections = [...document.querySelectorAll("main section")];
    this.at = this.sections.indexOf(here && here.isConnected ? here : here && byId(here.id));
    const select = byId("persona");
    if (!select) return;
    const names = new Set();
    for (const event of document.querySelectorAll("[data-persona]")) names.add(event.dataset.persona);
    for (const option of select.options) names.delete(option.value);
    for (const name of [...names].sort()) select.append(new Option(name, name));
  },

  shown() { return this.sections.filter(section => !section.hidden); },

  // The turn that is read: the one whose top was passed last.
  nearest() {
    const list = this.shown();
    let found = list[0];
    for (const section of list) {
      if (section.getBoundingClientRect().top > 80) break;
      found = section;
    }
    return found;
  },

  go(section, instant) {
    if (!section) return;
    for (const one of document.querySelectorAll(".here")) one.classList.remove("here");
    section.classList.add("here");
    this.at = this.sections.indexOf(section);
    section.scrollIntoView({ block: "start", behavior: instant ? "instant" : "auto" });
    const picture = document.querySelector(`#strip a[href="#${CSS.escape(section.id)}"]`);
    if (!picture) return;
    picture.classList.add("here");
    const strip = byId("strip");
    strip.scrollLeft = picture.offsetLeft - strip.offsetLeft - strip.clientWidth / 2 + picture.offsetWidth / 2;
  },

  step(by) {
    const list = this.shown();
    const here = list.indexOf(this.sections[this.at] || null);
    this.go(here < 0 ? this.nearest() : list[Math.max(0, Math.min(list.length - 1, here + by))]);
  },

  trouble() {
    const list = this.shown(), here = list.indexOf(this.sections[this.at]);
    this.go(list.slice(here + 1).find(section => section.querySelector("[data-kind=trouble], .bad")));
  },

  view(figure, how) {
    let after = figure.querySelector("img.after");
    if (how !== "before" && !after) {
      after = new Image();
      after.className = "after";
      after.alt = "the screen afterwards";
      after.src = figure.dataset.after;
      figure.querySelector("img").after(after);
    }
    if (after) after.hidden = how === "before";
    figure.classList.toggle("after", how === "after");
    figure.classList.toggle("difference", how === "difference");
    for (const button of figure.querySelectorAll("button")) button.classList.toggle("on", button.dataset.view === how);
  },

  turnPicture() {
    const section = this.sections[this.at] || this.nearest();
    const figures = section ? section.querySelectorAll("figure.pair") : [];
    for (const figure of figures) {
      const next = figure.classList.contains("after") ? "difference"
        : figure.classList.contains("difference") ? "before" : "after";
      this.view(figure, next);
    }
  },

  unfold(root) {
    const all = [...root.querySelectorAll("details")];
    const open = all.some(one => !one.open);
    for (const one of all) one.open = open;
  },

  filter() {
    const wanted = byId("search").value.trim().toLowerCase();
    const persona = byId("persona").value, kind = byId("kind").value;
    let turns = 0, lines = 0;
    for (const section of this.sections) {
      let any = false;
      for (const event of section.querySelectorAll(".event")) {
        const show = (!persona || event.dataset.persona === persona) && (!kind || event.dataset.kind === kind)
          && (!wanted || event.textContent.toLowerCase().includes(wanted));
        event.hidden = !show;
        if (show) lines++;
        any = any || show;
      }
      const title = wanted && section.querySelector("h2").textContent.toLowerCase().includes(wanted);
      section.hidden = Boolean(wanted || persona || kind) && !any && !title;
      if (!section.hidden) turns++;
    }
    byId("found").textContent = wanted || persona || kind ? `${lines} in ${turns} turns` : "";
  },

  theme() {
    const root = document.documentElement.classList;
    const dark = root.contains("dark")
      || !root.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches;
    root.toggle("dark", !dark);
    root.toggle("light", dark);
    try { localStorage.setItem("deskpilot.theme", dark ? "light" : "dark"); } catch { /* a page without storage */ }
  },

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const help = byId("help");
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") {
      if (typing) event.target.blur();
      if (help.open) help.close();
      return;
    }
    if (typing) return;
    const list = this.shown();
    const keys = { j: () => this.step(1), ArrowRight: () => this.step(1), k: () => this.step(-1),
      ArrowLeft: () => this.step(-1), g: () => this.go(list[0]), G: () => this.go(list[list.length - 1]),
      b: () => this.turnPicture(), o: () => this.unfold(this.sections[this.at] || this.nearest()),
      t: () => this.trouble(), d: () => this.theme(), "/": () => byId("search").focus(),
      "?": () => help.open ? help.close() : help.showModal() };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  },

  begin() {
    let theme = null;
    try { theme = localStorage.getItem("deskpilot.theme"); } catch { /* a page without storage */ }
    if (theme === "dark" || theme === "light") document.documentElement.classList.add(theme);
    this.collect();
    document.addEventListener("click", event => {
      const button = event.target.closest("[data-view]");
      if (button) this.view(button.closest("figure"), button.dataset.view);
      const link = event.target.closest("a[href^='#']");
      const target = link && byId((link.getAttribute("href") || "").slice(1));
      if (target) {
        event.preventDefault();
        this.go(target, true);
      }
    });
    document.addEventListener("keydown", event => this.key(event));
    if (!byId("bar")) return;
    for (const id of ["search", "persona", "kind"]) byId(id).addEventListener("input", () => this.filter());
    byId("theme").addEventListener("click", () => this.theme());
    byId("unfold").addEventListener("click", () => this.unfold(byId("turns")));
    byId("keys").addEventListener("click", () => byId("help").showModal());
    if (location.hash) this.go(byId(location.hash.slice(1)), true);
  },
};
report.begin();
