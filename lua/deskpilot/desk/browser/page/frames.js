// Our scripts' part of the numbers that a document gives out one after the other, to timers and to calls before a frame:
// how many it has given to the page is told by them (page_work.lua).
const numbersOf = (view) => (view.deskpilotNumbers ||= { timers: 0, calls: 0 });

// Resolves when so many frames have begun. A page that is not shown has none, so the wait has an end.
const frames = (n) => new Promise((done) => {
  const cancel = later(60 * n, done);
  const step = (left) => {
    numbersOf(window).calls++;
    requestAnimationFrame(() => (left > 1 ? step(left - 1) : (cancel(), done())));
  };
  step(n);
});
