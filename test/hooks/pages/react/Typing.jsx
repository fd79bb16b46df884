import { useRef, useState } from 'react';
import { useChannel, useEvent } from '@rookery/client/react';

export function Typing({ channel }) {
  const { trigger } = useChannel(channel);
  const [typing, setTyping] = useState([]);
  const timers = useRef({});
  const told = useRef(0);

  const end = (id) => setTyping((ids) => ids.filter((each) => each !== id));
  useEvent(channel, 'client-typing', (_, { user_id: id }) => {
    setTyping((ids) => [...new Set(ids).add(id)]);
    clearTimeout(timers.current[id]);
    timers.current[id] = setTimeout(() => end(id), 3000);
  });
  useEvent(channel, 'message', ({ from }) => end(from));

  function tell() {
    if (Date.now() - told.current < 2000) return; // One event in two seconds is enough.
    told.current = Date.now();
    trigger('client-typing', {});
  }

  return (
    <>
      <input aria-label="Message" onInput={tell} />
      <small>{typing.length > 0 && `${typing.join(', ')} typing …`}</small>
    </>
  );
}
