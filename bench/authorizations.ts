// What a call costs that asks for many channels at once, and a call for one, of an application on Fastify.
// node --import ./bench/support/typescript.mjs bench/authorizations.ts
import 'reflect-metadata';
import { performance } from 'node:perf_hooks';
import { AppModule } from '../test/support/authorizing-host.js';
import { createHost, listen } from '../test/support/embedding-host.js';

const calls = 30;
const { app } = await createHost({ imports: [AppModule] });
const { url } = await listen(app);

for (const count of [1, 10, 100, 1000]) {
  const channels = Array.from({ length: count }, (_, i) => `private-orders.${i + 1}`);
  const body = JSON.stringify({ socket_id: '1234.1234', channel_name: channels });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer alice' };
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n++) {
    const start = performance.now();
    await (await fetch(`${url}/pusher/auth`, { method: 'POST', headers, body })).text();
    times.push(performance.now() - start);
  }
  const [, median, worst] = [0, calls / 2, calls - 1].map((at) => times.toSorted((a, b) => a - b)[at]!.toFixed(1));
  const { user, system } = process.cpuUsage(before);
  const cpu = ((user + system) / 1000 / calls).toFixed(1);
  console.log(
    `${count} channels: ${median} ms in the median, ${worst} ms at worst, ${cpu} ms of CPU, of ${calls} calls`,
  );
}
await app.close();
