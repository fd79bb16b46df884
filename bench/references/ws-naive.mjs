// A Pusher-like server as one would write it in an afternoon with `ws`: a set of sockets per channel, a send for each.
import http from 'node:http';
import { WebSocketServer } from 'ws';

const channels = new Map();
const server = http.createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const { name, data, channels: names, batch } = JSON.parse(text);
    for (const each of batch ?? names.map((channel) => ({ channel, name, data })))
      publish(each.channel, JSON.stringify({ event: each.name, channel: each.channel, data: each.data }));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
  });
});

function publish(channel, text, except) {
  for (const socket of channels.get(channel) ?? []) if (socket !== except) socket.send(text);
}

let count = 0;
new WebSocketServer({ server }).on('connection', (socket) => {
  const id = `1.${++count}`;
  socket.send(JSON.stringify({ event: 'pusher:connection_established', data: JSON.stringify({ socket_id: id }) }));
  socket.on('message', (/** @type {Buffer} */ bytes) => {
    const { event, data, channel } = JSON.parse(bytes.toString('utf8'));
    if (event === 'pusher:ping') return socket.send('{"event":"pusher:pong","data":"{}"}');
    if (event.startsWith('client-')) return publish(channel, JSON.stringify({ event, channel, data }), socket);
    if (!channels.has(data.channel)) channels.set(data.channel, new Set());
    channels.get(data.channel).add(socket);
    const name = data.channel;
    socket.send(JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel: name, data: '{}' }));
    socket.on('close', () => channels.get(name).delete(socket));
  });
});
server.listen(Number(process.env.PORT), process.env.HOST);
