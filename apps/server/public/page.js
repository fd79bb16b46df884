/* global Pusher */
import { canPush, pushToMe } from './push.js';

const byId = (id) => document.getElementById(id);
const { hostname, port, protocol, origin } = location;
const forceTLS = protocol === 'https:';
const serverPort = Number(port) || (forceTLS ? 443 : 80);

const connection = `{
  cluster: 'self', // any text: pusher-js wants one
  wsHost: '${hostname}', ${forceTLS ? 'wssPort' : 'wsPort'}: ${serverPort}, forceTLS: ${forceTLS},
  enabledTransports: ['ws', 'wss'],
}`;
byId('browser').textContent = `const pusher = new Pusher('app-key', ${connection});
pusher.subscribe('my-channel').bind('my-event', (data) => console.log(data));`;
byId('terminal').textContent =
  `npx rookery trigger my-channel my-event '{"hello":"world"}'` +
  (origin === 'http://127.0.0.1:6001' ? '' : ` --url ${origin}`);
byId('server').textContent = `const pusher = new Pusher({
  appId: 'app-id', key: 'app-key', secret: 'app-secret',
  host: '${hostname}', port: '${serverPort}', useTLS: ${forceTLS},
});
await pusher.trigger('my-channel', 'my-event', { hello: 'world' });`;

async function copy(button) {
  const code = byId(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  } catch {
    // Browsers keep the clipboard from pages without TLS on other machines, and where the user has refused.
    getSelection().selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}
for (const button of document.querySelectorAll('[data-copies]'))
  button.addEventListener('click', () => void copy(button));

const pusher = new Pusher('app-key', {
  cluster: 'self',
  wsHost: hostname,
  wsPort: serverPort,
  wssPort: serverPort,
  forceTLS,
  enabledTransports: ['ws', 'wss'],
  channelAuthorization: { endpoint: '/demo/auth', transport: 'ajax' },
});
const tabs = pusher.subscribe('presence-demo');
const events = pusher.subscribe('my-channel');

function showStatus() {
  const isLive = tabs.subscribed;
  const { count } = tabs.members;
  byId('status').textContent = isLive ? `Connected: ${count === 1 ? '1 tab' : `${count} tabs`}` : 'Connecting …';
  byId('status').classList.toggle('live', isLive);
  byId('say').querySelector('button').disabled = !isLive;
}
for (const event of ['pusher:subscription_succeeded', 'pusher:member_added', 'pusher:member_removed'])
  tabs.bind(event, showStatus);
pusher.connection.bind('state_change', () => setTimeout(showStatus));

/** Who listens to my-channel, the terminals included. */
async function showListening() {
  if (document.visibilityState !== 'visible') return;
  const answer = await fetch('/demo/listening');
  const { count } = await answer.json();
  const tabsHere = tabs.subscribed ? tabs.members.count : 1;
  const others = count - tabsHere;
  const parts = [tabsHere === 1 ? 'this tab' : `${tabsHere} tabs`];
  if (others > 0) parts.push(others === 1 ? '1 other client' : `${others} other clients`);
  byId('listening').textContent = `Listening: ${parts.join(' and ')}.`;
}
setInterval(() => void showListening().catch(() => {}), 2000);

async function preparePush() {
  byId('push').hidden = !(await canPush());
  const button = byId('push-me');
  const say = (text) => (byId('push-said').textContent = text);
  const send = async () => {
    button.disabled = true;
    await pushToMe(say).catch((error) => say(error.message));
    button.disabled = false;
  };
  button.addEventListener('click', () => void send());
}
void preparePush();

/** What is kept on the page: it may stay open for days. */
const maxLines = 200;

function show(text, className) {
  const lines = byId('lines');
  lines.querySelector('.hint')?.remove();
  lines.append(Object.assign(document.createElement('li'), { textContent: text, className }));
  while (lines.childElementCount > maxLines) lines.firstElementChild.remove();
  lines.scrollTop = lines.scrollHeight;
}

tabs.bind('client-said', ({ text }) => show(String(text), 'theirs'));
events.bind_global((event, data) => {
  if (!event.startsWith('pusher:')) show(`my-channel ${event} ${JSON.stringify(data)}`, 'event');
});

byId('say').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = event.target.elements.text;
  const text = input.value.trim();
  if (text === '' || !tabs.trigger('client-said', { text })) return;
  show(text, 'mine');
  input.value = '';
});
