import Pusher from 'pusher-js';
import { sharedPusher } from '@rookery/client';

const { hostname: wsHost, port, protocol } = location;
const key = 'shop-key';
const options = {
  cluster: 'self',
  wsHost,
  wsPort: Number(port) || 80,
  wssPort: Number(port) || 443,
  forceTLS: protocol === 'https:',
  enabledTransports: ['ws', 'wss'],
};

const worker = () => new SharedWorker(new URL('./tabs-worker.js', import.meta.url), { type: 'module' });
const pusher = sharedPusher(key, options, { worker, Pusher });

pusher.connection.bind('state_change', ({ current }) => {
  document.querySelector('#connection').textContent = current === 'connected' ? pusher.connection.socket_id : current;
});
pusher.subscribe('orders').bind('placed', ({ number }) => {
  const item = document.createElement('li');
  item.append('Order ', number);
  document.querySelector('ol').append(item);
});
document.querySelector('button').addEventListener('click', () => {
  void fetch('/orders', { method: 'POST' });
});
