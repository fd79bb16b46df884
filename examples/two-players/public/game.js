import Pusher from 'pusher-js';
import { newSessionId, request, state } from '@rookery/client';

const byId = (id) => document.getElementById(id);
const fields = [...byId('board').children];
const marks = ['✕', '◯'];

byId('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  play(event.target.name.value.trim());
  event.target.hidden = true;
  byId('game').hidden = false;
});

function play(me) {
  // Where this page comes from, there the sockets are too.
  const { hostname: wsHost, port, protocol, hash } = location;
  const pusher = new Pusher('games-key', {
    cluster: 'self',
    wsHost,
    wsPort: Number(port) || 80,
    wssPort: Number(port) || 443,
    wsPath: `/session/${newSessionId()}`,
    forceTLS: protocol === 'https:',
    enabledTransports: ['ws', 'wss'],
    channelAuthorization: { endpoint: '/pusher/auth', transport: 'ajax', params: { name: me } },
  });
  // Pages whose address ends alike play the same game.
  const game = pusher.subscribe(`presence-game.${hash.slice(1) || 'first'}`);

  /** The reply is for this page alone; the new board comes to all. */
  async function ask(name, data) {
    byId('refusal').textContent = '';
    document.body.ariaBusy = true;
    try {
      await request(game, name, data);
    } catch (error) {
      byId('refusal').textContent = error.message;
    }
    document.body.ariaBusy = false;
  }

  for (const [field, button] of fields.entries()) button.addEventListener('click', () => void ask('move', { field }));
  byId('again').addEventListener('click', () => void ask('again'));

  const live = state(game, { board: (shown, board) => (board.version > shown.version ? board : shown) });
  live.subscribe((board) => show(board, me));
  const showMembers = () => {
    const names = Object.keys(game.members.members);
    byId('here').textContent = `In this game: ${names.join(', ')}`;
  };
  for (const event of ['subscription_succeeded', 'member_added', 'member_removed'])
    game.bind(`pusher:${event}`, showMembers);
  pusher.connection.bind('state_change', ({ current }) => (byId('offline').hidden = current === 'connected'));
}

function show(board, me) {
  for (const [field, button] of fields.entries()) {
    const mark = board.fields[field];
    button.textContent = mark;
    button.ariaLabel = `Row ${Math.floor(field / 3) + 1}, column ${(field % 3) + 1}: ${mark || 'free'}`;
    button.classList.toggle('won', board.line.includes(field));
  }
  byId('turn').textContent = sentence(board, me);
  byId('again').hidden = !(isOver(board) && board.players.includes(me));
}

const isOver = ({ fields, line }) => line.length > 0 || fields.every(Boolean);

function sentence(board, me) {
  const { fields, players, line } = board;
  const turn = fields.filter(Boolean).length % 2;
  if (line.length > 0) {
    const winner = players[marks.indexOf(fields[line[0]])];
    return winner === me ? 'You have won' : `${winner} has won`;
  }
  if (isOver(board)) return 'A draw';
  if (players[turn] === me) return `Your move: ${marks[turn]}`;
  if (players[turn] !== undefined) return `${players[turn]}’s move: ${marks[turn]}`;
  if (players.includes(me)) return 'Waiting for a second player. Open this page in another tab.';
  return `Make a move to play ${marks[turn]}`;
}
