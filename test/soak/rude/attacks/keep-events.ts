import type { Attack } from '../attack.js';

const perSecond = 60;
const eventsOfBatch = 10;
const data = 'x'.repeat(10_000);

/** A tenant triggers each event to a new cache channel of its own: those of one trigger would share its text. */
export const keepEvents: Attack = {
  meets: ['keptBytes', '429'],
  run(rude) {
    let names = 0;
    return rude.paced(perSecond, () => {
      const batch = Array.from({ length: eventsOfBatch }, () => {
        const n = names++;
        return { name: 'kept', channel: `cache-${rude.turn}-${n}`, data: `${n} ${data}` };
      });
      return rude.asTenant('POST', '/batch_events', { batch });
    });
  },
};
