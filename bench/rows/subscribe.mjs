import { subscriptions } from './hot-paths.mjs';

export const title = 'Subscribe storm: connect and join, milliseconds until the last has joined';
export const isLong = true;
export const measures = ['ms'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/subscribe.mjs', ...subscriptions];

export async function* run({ quick, beside, withServer }) {
  const count = quick ? 1000 : 10_000;
  const cases = [
    { case: `${count} onto one public channel`, channel: 'bench' },
    { case: `${count} onto one private channel`, channel: 'private-bench' },
    { case: `${count} onto ${count / 100} presence channels`, channel: 'presence-bench', channels: count / 100 },
    {
      case: `${count} onto ${count / 100} presence channels as one user, who is announced once`,
      channel: 'presence-bench',
      channels: count / 100,
      user: 'user',
    },
  ];
  for (const { case: name, ...where } of cases)
    for (const server of ['rookery', ...beside('ws')])
      yield* withServer(server, async function* (started, client) {
        const from = started.sample();
        const { ms } = await client.ask('connect', { ...started.target, count, ...where });
        yield { case: name, ms, ...started.between(from, started.sample()) };
      });
}
