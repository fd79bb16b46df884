// The same with socket.io's rooms.
import http from 'node:http';
import { Server } from 'socket.io';

const server = http.createServer((request, response) => {
  if (request.url.startsWith('/socket.io/')) return;
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const { name, data, channels, batch } = JSON.parse(text);
    for (const each of batch ?? channels.map((channel) => ({ channel, name, data })))
      io.to(each.channel).emit(each.name, each.channel, each.data);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
  });
});
const io = new Server(server, { transports: ['websocket'], serveClient: false });
io.on('connection', (socket) => {
  socket.on('subscribe', async (channel, joined) => {
    await socket.join(channel);
    joined();
  });
  socket.on('client-bench', (channel, data) => socket.to(channel).emit('client-bench', channel, data));
});
server.listen(Number(process.env.PORT), process.env.HOST);
