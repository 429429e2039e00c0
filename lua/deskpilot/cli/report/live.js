// The live page: what is new comes as server-sent events; orders go back as JSON.
const live = {
  root: byId("live"),

  post(body) {
    return fetch("order", { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body) }).then(async reply => {
      this.say(reply.ok ? "" : await reply.text());
    }, () => this.say("the run cannot be reached"));
  },

  say(words) { byId("words").textContent = words.trim(); },

  // The markup was made and escaped by the program, as that of the page itself; scripts in it would not run.
  element(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content.firstElementChild;
  },

  put(parent, html, id, after) {
    const fresh = html && this.element(html);
    const old = byId(id);
    if (!fresh) { if (old) old.remove(); return; }
    if (old) {
      const open = [...old.querySelectorAll("details")].map(one => one.open);
      fresh.querySelectorAll("details").forEach((one, i) => { if (i < open.length) one.open = open[i]; });
      if (old.classList.contains("here")) fresh.classList.add("here");
      old.replaceWith(fresh);
    } else if (after && byId(after)) byId(after).after(fresh);
    else parent.append(fresh);
  },

  turn(turn) {
    this.put(byId("turns"), turn.section, turn.id, turn.after);
    this.put(byId("strip"), turn.frames, "frames-" + turn.id, "frames-" + turn.after);
    report.collect();
    if (byId("search").value || byId("persona").value || byId("kind").value) report.filter();
    const section = byId(turn.id);
    if (section && byId("follow").checked) report.go(section, true);
  },

  show(state) {
    const words = { running: "running", paused: state.waiting ? "paused" : state.stepping ? "one step" : "pausing",
      taken: state.waiting ? "yours" : "taking over", over: "over", watched: "watching" };
    byId("state").textContent = state.question ? "asks" : words[state.state];
    this.root.dataset.state = byId("state").textContent;
    const able = { pause: state.state === "running", step: state.state === "paused" && !state.stepping,
      go: state.state === "paused" || state.state === "taken", take: state.state !== "taken", stop: true };
    for (const button of this.root.querySelectorAll("[data-order]")) {
      button.disabled = state.state === "over" || state.state === "watched" || !able[button.dataset.order];
    }
    this.root.querySelector("[data-order=go]").textContent = state.state === "taken" ? "give back" : "go on";
    this.ask(state.question);
    this.hands(state.hands);
  },

  ask(question) {
    const box = byId("ask");
    if (question && box.dataset.id === String(question.id)) return;
    box.replaceChildren();
    box.hidden = !question;
    if (!question) { delete box.dataset.id; return; }
    box.dataset.id = question.id;
    const words = document.createElement("p");
    words.textContent = question.text;
    box.append(words);
    const answer = said => this.post({ answer: said, id: question.id });
    const button = (name, said) => {
      const one = document.createElement("button");
      one.type = "button";
      one.textContent = name;
      one.dataset.answer = said;
      // A click that was meant for what stood here before allows nothing.
      one.disabled = true;
      setTimeout(() => { one.disabled = false; }, 500);
      one.addEventListener("click", () => answer(said));
      box.append(one);
    };
    if (question.options) {
      for (const option of question.options) {
        button(!question.consent ? option : { yes: "approve", no: "refuse", always: "always" }[option] || option, option);
      }
      return;
    }
    const field = document.createElement("input");
    field.id = "answer";
    field.value = question.default || "";
    field.addEventListener("keydown", event => { if (event.key === "Enter" && field.value) answer(field.value); });
    box.append(field);
    const send = document.createElement("button");
    send.type = "button";
    send.textContent = "answer";
    send.addEventListener("click", () => { if (field.value) answer(field.value); });
    box.append(send);
    field.focus();
  },

  // The desktop itself while it is ours: a click goes where the picture shows it, keys go where the desktop has them.
  hands(on) {
    const view = byId("view");
    if (!on) {
      view.hidden = true;
      view.replaceChildren();
      return;
    }
    if (!view.hidden) return;
    view.hidden = false;
    const picture = new Image();
    picture.tabIndex = 0;
    picture.alt = "the desktop";
    view.append(picture);
    const point = event => {
      const box = picture.getBoundingClientRect();
      return { x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height };
    };
    const act = body => this.post(body).then(fetchOne);
    for (const [name, button] of [["click", "left"], ["contextmenu", "right"]]) {
      picture.addEventListener(name, event => {
        event.preventDefault();
        picture.focus({ preventScroll: true });
        act({ act: "click", button, ...point(event) });
      });
    }
    picture.addEventListener("wheel", event => {
      event.preventDefault();
      act({ act: "scroll", by: Math.sign(event.deltaY), ...point(event) });
    }, { passive: false });
    picture.addEventListener("keydown", event => {
      event.preventDefault();
      event.stopPropagation();
      if (/^(Control|Shift|Alt|Meta|AltGraph)$/.test(event.key)) return;
      if (event.key.length === 1 && !event.ctrlKey && !event.altKey) act({ act: "type", text: event.key });
      else act({ act: "key", key: event.key, ctrl: event.ctrlKey, alt: event.altKey, shift: event.shiftKey });
    });
    let last = "", busy = false;
    const fetchOne = () => {
      if (busy || !picture.isConnected) return;
      busy = true;
      fetch("screen").then(reply => reply.ok ? reply.blob() : null).then(blob => {
        if (!blob) return;
        if (last) URL.revokeObjectURL(last);
        picture.src = last = URL.createObjectURL(blob);
      }).catch(() => {}).finally(() => { busy = false; });
    };
    const again = () => { if (picture.isConnected) { fetchOne(); setTimeout(again, 700); } };
    again();
  },

  begin() {
    for (const button of this.root.querySelectorAll("[data-order]")) {
      button.addEventListener("click", () => this.post({ order: button.dataset.order }));
    }
    document.body.prepend(this.root);
    const source = new EventSource(`events?from=${this.root.dataset.from}&run=${this.root.dataset.run}`);
    source.addEventListener("turn", event => this.turn(JSON.parse(event.data)));
    source.addEventListener("head", event => { byId("head").innerHTML = JSON.parse(event.data).html; });
    source.addEventListener("state", event => {
      const state = JSON.parse(event.data);
      this.show(state);
      this.say("");
    });
    source.addEventListener("reload", () => { source.close(); location.reload(); });
    source.onerror = () => {
      if (this.root.dataset.state !== "over") this.say("the run cannot be reached; trying again");
    };
    for (const button of this.root.querySelectorAll("[data-order]")) button.disabled = true;
  },
};
live.begin();
