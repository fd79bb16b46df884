import type { Attack } from '../attack.js';

const perSecond = 4;
const channelsOfTrigger = 100;
const data = 'x'.repeat(10_000);

/** A tenant triggers each event to 100 new cache channels. */
export const keepEvents: Attack = {
  meets: ['keptBytes', '429'],
  run(rude) {
    let names = 0;
    return rude.paced(perSecond, () => {
      const channels = Array.from({ length: channelsOfTrigger }, () => `cache-${rude.turn}-${names++}`);
      return rude.asTenant('POST', '/events', { name: 'kept', channels, data });
    });
  },
};
