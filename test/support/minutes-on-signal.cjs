// `--require`d by a server: at each SIGUSR2 a minute passes for it, with all that it does every ten seconds and every
// minute. It begins with a full minute, AHEAD_MINUTES ahead of the clock.
const now = Date.now.bind(Date);
let ahead = Number(process.env.AHEAD_MINUTES) * 60_000 - (now() % 60_000);
Date.now = () => now() + ahead;

const calls = { 10_000: new Set(), 60_000: new Set() };
const start = globalThis.setInterval;
globalThis.setInterval = (call, ms, ...args) => {
  calls[ms]?.add(() => call(...args));
  return start(call, ms, ...args);
};

process.on('SIGUSR2', () => {
  for (let passed = 0; passed < 60_000; passed += 10_000) {
    ahead += 10_000;
    for (const call of calls[10_000]) call();
  }
  for (const call of calls[60_000]) call();
});
