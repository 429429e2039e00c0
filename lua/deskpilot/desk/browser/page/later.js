// Calls fn() in so many milliseconds, and returns what cancels that. Our timers would take numbers of those of the page,
// by which it is told whether the page has set any (page_work.lua); such a task takes none.
const later = (milliseconds, fn) => {
  if (typeof scheduler === "undefined" || !scheduler.postTask) { // Chromium before 94
    const timer = setTimeout(fn, milliseconds);
    return () => clearTimeout(timer);
  }
  const control = new AbortController();
  scheduler.postTask(fn, { delay: milliseconds, signal: control.signal }).catch(() => {});
  return () => control.abort();
};
