// What a connection costs Node itself: a TCP socket that was upgraded and greeted, and nothing else.
import net from 'node:net';

const greeting = Buffer.from('{"event":"pusher:connection_established","data":"{\\"socket_id\\":\\"1.1\\"}"}');
const answer = Buffer.concat([
  Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
  Buffer.from([0x81, greeting.length]),
  greeting,
]);
net
  .createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.write(answer));
  })
  .listen(Number(process.env.PORT), process.env.HOST);
