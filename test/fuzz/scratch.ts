import { bodies } from './targets/bodies.js';
import { Logger } from '@nestjs/common';
import { Fuzzer } from './fuzzer.js';
import { Random } from '../support/random.js';
import { keptInputs } from './corpora.js';
Logger.overrideLogger(false);
const t = await bodies();
for (const s of t.seeds) {
  const r = await (t as any).debug(Buffer.from(s as string));
  console.log(r.said.slice(0, 190));
}
Error.stackTraceLimit = 0;
const f = new Fuzzer(t, new Random(5));
let n = +process.argv[2]!;
const a = process.cpuUsage();
await f.run(keptInputs('bodies'), { inputs: n, isOver: () => false });
const u = process.cpuUsage(a);
console.log('per CPU s', Math.round(f.inputs / ((u.user + u.system) / 1e6)), 'rss', process.memoryUsage().rss / 1e6);
process.exit(0);
