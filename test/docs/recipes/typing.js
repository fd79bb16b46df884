const room = pusher.subscribe('presence-room.7');

let last = 0;
input.addEventListener('input', () => {
  if (Date.now() - last < 2000) return; // One event in two seconds is enough.
  last = Date.now();
  room.trigger('client-typing', {});
});

const timers = new Map();
room.bind('client-typing', (_, { user_id }) => {
  show(`${user_id} is typing…`);
  clearTimeout(timers.get(user_id));
  timers.set(
    user_id,
    setTimeout(() => hide(user_id), 3000),
  );
});
room.bind('message', ({ from }) => hide(from));
