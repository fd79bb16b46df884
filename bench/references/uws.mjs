// The same Pusher-like server as ws-naive.mjs, on uWebSockets.js, which soketi uses. It is no package of npm: UWS names a
// folder that has one of its builds.
import { createRequire } from 'node:module';

const { App } = createRequire(import.meta.url)(process.env.UWS);
const channels = new Map();

function publish(channel, text, except) {
  for (const socket of channels.get(channel) ?? []) if (socket !== except) socket.send(text);
}

/** @param called with the text of the whole body */
function readBody(response, called) {
  const chunks = [];
  response.onAborted(() => {});
  response.onData((chunk, isLast) => {
    // The chunk is gone after this call.
    chunks.push(Buffer.from(Buffer.from(chunk)));
    if (isLast) called(Buffer.concat(chunks).toString());
  });
}

const app = App();
app.post('/*', (response) => {
  readBody(response, (text) => {
    const { name, data, channels: names, batch } = JSON.parse(text);
    for (const each of batch ?? names.map((channel) => ({ channel, name, data })))
      publish(each.channel, JSON.stringify({ event: each.name, channel: each.channel, data: each.data }));
    response.cork(() => response.writeHeader('content-type', 'application/json').end('{}'));
  });
});

let count = 0;
app.ws('/*', {
  open(socket) {
    const data = JSON.stringify({ socket_id: `1.${++count}` });
    socket.send(JSON.stringify({ event: 'pusher:connection_established', data }));
  },
  message(socket, bytes) {
    const { event, data, channel } = JSON.parse(Buffer.from(bytes).toString());
    if (event === 'pusher:ping') {
      socket.send('{"event":"pusher:pong","data":"{}"}');
      return;
    }
    if (event.startsWith('client-')) {
      publish(channel, JSON.stringify({ event, channel, data }), socket);
      return;
    }
    if (!channels.has(data.channel)) channels.set(data.channel, new Set());
    channels.get(data.channel).add(socket);
    socket.channel = data.channel;
    socket.send(JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel: data.channel, data: '{}' }));
  },
  close(socket) {
    channels.get(socket.channel)?.delete(socket);
  },
});
app.listen(process.env.HOST, Number(process.env.PORT), (listening) => {
  if (!listening) process.exit(1);
});
