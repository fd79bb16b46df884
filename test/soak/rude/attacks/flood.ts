import type { Attack } from '../attack.js';
import type { Rude } from '../rude.js';
import { memberFrame, type RudeSocket, subscribeFrame, unsubscribeFrame } from '../rude-socket.js';

/** Pairs of a join and a leave in a second, of each client. */
const pairs = { public: 150, members: 50 };
/** They come in bursts, each of one write. */
const burstsPerSecond = 2;

/** Clients join and leave channels of others, a presence channel as well, as fast as they can write. */
export const flood: Attack = {
  meets: ['subscribesPerSecond'],
  run: (rude) =>
    Promise.all([
      joinAndLeave(rude, pairs.public, publicPair),
      joinAndLeave(rude, pairs.public, publicPair),
      joinAndLeave(rude, pairs.members, memberPair),
    ]),
};

function joinAndLeave(rude: Rude, perSecond: number, pairOf: (socket: RudeSocket) => readonly Buffer[]): Promise<void> {
  return rude.always((socket) => {
    const burst = Buffer.concat(Array.from({ length: perSecond / burstsPerSecond }, () => pairOf(socket)).flat());
    return rude.paced(burstsPerSecond, () => socket.write(burst), socket);
  });
}

const publicPair = (): readonly Buffer[] => [subscribeFrame('square'), unsubscribeFrame('square')];
const memberPair = ({ socketId }: RudeSocket): readonly Buffer[] => [
  memberFrame('presence-lobby', socketId, 'rude'),
  unsubscribeFrame('presence-lobby'),
];
