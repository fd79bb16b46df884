import Pusher from 'pusher-js';
import { createRoot } from 'react-dom/client';
import { ChannelsProvider } from '@rookery/client/react';
import { Room } from './Room.jsx';
import { Typing } from './Typing.jsx';

const pusher = new Pusher(key, options);

createRoot(document.querySelector('#app')).render(
  <ChannelsProvider client={pusher}>
    <Room name="kitchen" />
    <Typing channel="presence-room.kitchen" />
  </ChannelsProvider>,
);
