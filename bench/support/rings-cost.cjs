// Loaded into the server that bench/rings.mjs measures. At SIGIO it calls what keeps recent events, as the code of the
// server does, writes what that takes into the file BENCH_RINGS, and ends.
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

/** The server's observer of events: no program can ask for it, but the inspector finds it. */
function foundObserver() {
  const session = new Session();
  session.connect();
  const answerTo = (method, parameters) => {
    let answer;
    session.post(method, parameters, (error, result) => (answer = error ?? result));
    return answer;
  };
  const { result: prototype } = answerTo('Runtime.evaluate', { expression: 'Object.prototype' });
  const { objects } = answerTo('Runtime.queryObjects', { prototypeObjectId: prototype.objectId });
  answerTo('Runtime.callFunctionOn', {
    objectId: objects.objectId,
    functionDeclaration: `function () {
      globalThis.benchTap = this.find((each) => Object.hasOwn(each, 'observer') && each.observer?.trace);
    }`,
  });
  session.disconnect();
  return globalThis.benchTap.observer;
}

const data = JSON.stringify(JSON.stringify({ t: 1, p: 'x'.repeat(80) }));
const text = `{"event":"m","channel":"bench","data":${data}}`;
const [appId, channel, message] = ['bench', 'bench', 'The connection broke off'];

/** The mean of many calls, collections of garbage included, in microseconds of CPU time. */
function cost(call) {
  const [warmUp, calls] = [20_000, 400_000];
  for (let n = 0; n < warmUp; n++) call(n);
  const from = process.cpuUsage();
  for (let n = 0; n < calls; n++) call(n);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / calls;
}

process.on('SIGIO', () => {
  const observer = foundObserver();
  const { trace } = observer;
  clearInterval(trace.refilling);
  const event = (n) => {
    const passed = { appId, channel, text };
    observer.passed(passed, `p${n}`);
    observer.sent(passed, `p${n}`);
  };
  trace.room = Number.MAX_SAFE_INTEGER;
  const kept = cost(event);
  trace.room = 0;
  const leftOut = cost(event);
  const connection = cost((n) => {
    const socketId = `1.${n}`;
    observer.observed({ appId, kind: 'connected', socketId });
    observer.observed({ appId, kind: 'subscribed', channel, socketId });
    const channels = new Map([[channel, {}]]);
    observer.observed({ appId, kind: 'disconnected', socketId, code: null, message, channels });
  });
  writeFileSync(process.env.BENCH_RINGS, JSON.stringify({ kept, leftOut, connection }));
  process.exit();
});
