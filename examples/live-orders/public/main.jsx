import Pusher from 'pusher-js';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ChannelsProvider } from '@rookery/client/react';
import { Orders } from './Orders.jsx';

const users = { alice: 'Alice', bob: 'Bob', bakery: 'The bakery' };

/** The connection of a user. Where this page comes from, there the sockets are too. */
function clientOf(user) {
  const { hostname: wsHost, port, protocol } = location;
  return new Pusher('bakery-key', {
    cluster: 'self',
    wsHost,
    wsPort: Number(port) || 80,
    wssPort: Number(port) || 443,
    forceTLS: protocol === 'https:',
    enabledTransports: ['ws', 'wss'],
    channelAuthorization: {
      endpoint: '/pusher/auth',
      transport: 'ajax',
      headers: { authorization: `Bearer ${user}` },
    },
  });
}

function Page() {
  const [login, setLogin] = useState();
  const become = (user) => {
    login?.client.disconnect();
    setLogin({ user, client: clientOf(user) });
  };

  return (
    <>
      <header>
        <h1>Live orders</h1>
        {Object.entries(users).map(([user, name]) => (
          <button key={user} aria-pressed={user === login?.user} onClick={() => become(user)}>
            {name}
          </button>
        ))}
      </header>
      <main>
        {login ? (
          <ChannelsProvider client={login.client}>
            <Orders key={login.user} user={login.user} />
          </ChannelsProvider>
        ) : (
          <p>Who are you? Be Alice here, and the bakery in a second tab.</p>
        )}
      </main>
    </>
  );
}

createRoot(document.body.appendChild(document.createElement('div'))).render(<Page />);
