import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import Pusher from 'pusher';

const pusher = new Pusher({
  appId: 'app-id',
  key: 'app-key',
  secret: 'app-secret', // stays on your server
  host: '127.0.0.1',
  port: '6001',
  useTLS: false,
});

const pages = {
  '/': ['text/html', readFileSync('index.html')],
  '/pusher.js': ['text/javascript', readFileSync('node_modules/pusher-js/dist/web/pusher.min.js')],
};

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/pusher/auth') void authorize(request, response);
  else if (pathname === '/say') void say(searchParams, response);
  else show(pathname, searchParams.get('user'), response);
}).listen(3000, '127.0.0.1');

async function authorize(request, response) {
  let body = '';
  for await (const part of request) body += part;
  const { socket_id, channel_name } = Object.fromEntries(new URLSearchParams(body));
  const user = /user=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
  // The rule: each user may listen on their own channel only.
  if (user && channel_name === `private-user-${user}`)
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(pusher.authorizeChannel(socket_id, channel_name)));
  else response.writeHead(403).end('Not your channel');
}

async function say(parameters, response) {
  await pusher.trigger(`private-user-${parameters.get('to')}`, 'said', { text: parameters.get('text') });
  response.end('sent\n');
}

function show(path, user, response) {
  const [type, body] = pages[path] ?? ['text/plain', 'There is no such page'];
  // Your login sets a session cookie. Here, /?user=ann signs in as ann.
  if (user) response.setHeader('set-cookie', `user=${encodeURIComponent(user)}; HttpOnly; SameSite=Lax`);
  response.setHeader('content-type', type).end(body);
}
