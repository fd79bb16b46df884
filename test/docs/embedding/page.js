/* global Pusher */

// Where the page comes from, there the sockets are too.
const { hostname: wsHost, port, protocol } = location;
const pusher = new Pusher('app-key', {
  cluster: 'self', // any text: the SDK wants one
  wsHost,
  wsPort: Number(port) || 80,
  wssPort: Number(port) || 443,
  forceTLS: protocol === 'https:',
  enabledTransports: ['ws', 'wss'],
});
pusher.subscribe('news').bind('headline', ({ headline }) => console.log(headline));
