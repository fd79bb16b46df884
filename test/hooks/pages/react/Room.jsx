import { useState } from 'react';
import { useChannel, useEvent, usePresence } from '@rookery/client/react';

export function Room({ name }) {
  const channel = `presence-room.${name}`;
  const [lines, setLines] = useState([]);
  const { status, trigger } = useChannel(channel);
  const { members } = usePresence(channel);
  useEvent(channel, 'client-line', (text, { user_id: from }) => setLines((all) => [...all, { from, text }]));

  return (
    <section>
      <h1>{members.map(({ info }) => info.name).join(', ')}</h1>
      {lines.map(({ from, text }, i) => (
        <p key={i}>
          {from}: {text}
        </p>
      ))}
      <button disabled={status !== 'subscribed'} onClick={() => trigger('client-line', 'Hello')}>
        Say hello
      </button>
    </section>
  );
}
