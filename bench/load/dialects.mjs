import { createHmac, randomUUID } from 'node:crypto';

// What a client says to get onto a channel, in the two protocols that are measured. `path` is asked for, `greeting`
// is in the text after which `subscribe` is said, `joined` in the text that says that it worked.

/** Pusher Channels; `app` is `{ id, key, secret }`, and `hasSessions` where each client has one of its own. */
export const pusher = (app) => ({
  get path() {
    const session = app.hasSessions ? `/session/${randomUUID()}` : '';
    return `${session}/app/${app.key}?protocol=7&client=bench&version=1.0`;
  },
  greeting: 'pusher:connection_established',
  joined: 'subscription_succeeded',
  ping: '{"event":"pusher:ping","data":{}}',
  pong: '"pusher:pong"',
  keepAlive: { text: '{"event":"pusher:ping"', answer: '{"event":"pusher:pong","data":{}}' },
  hello: undefined,
  subscribe(channel, greeting, index, user = `user-${index}`) {
    const socketId = /socket_id[\\":]+([\d.]+)/.exec(greeting)?.[1];
    const data = { channel };
    if (channel.startsWith('presence-')) data.channel_data = JSON.stringify({ user_id: user });
    if (channel.startsWith('presence-') || channel.startsWith('private-')) {
      const signed = [socketId, channel, ...(data.channel_data ? [data.channel_data] : [])].join(':');
      data.auth = `${app.key}:${createHmac('sha256', app.secret).update(signed).digest('hex')}`;
    }
    return JSON.stringify({ event: 'pusher:subscribe', data });
  },
  clientEvent: (channel, data) => JSON.stringify({ event: 'client-bench', channel, data }),
});

/** socket.io 4 over a WebSocket from the start, as its fastest clients use it. */
export const socketIo = () => ({
  path: '/socket.io/?EIO=4&transport=websocket',
  greeting: '40{',
  joined: '43',
  ping: undefined,
  pong: undefined,
  keepAlive: { text: '2', answer: '3' },
  hello: '40',
  subscribe: (channel) => `420${JSON.stringify(['subscribe', channel])}`,
  clientEvent: (channel, data) => `42${JSON.stringify(['client-bench', channel, data])}`,
});

/** A server that only sends: a word from a client subscribes it. */
export const floor = () => ({
  path: '/',
  greeting: '"no greeting"',
  joined: 'subscription_succeeded',
  keepAlive: { text: '"none"', answer: '' },
  hello: 'subscribe',
});

export const dialects = { pusher, socketIo, floor };
