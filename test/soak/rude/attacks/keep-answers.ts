import type { Attack } from '../attack.js';

const perSecond = 80;
const channelsOfTrigger = 100;
const longName = 'x'.repeat(190);

/** A tenant repeats nothing, and has long answers kept in case that it does. */
export const keepAnswers: Attack = {
  meets: ['keptBytes', '429'],
  ms: 6000,
  run(rude) {
    const channels = Array.from({ length: channelsOfTrigger }, (_, n) => `${longName}-${n}`);
    const event = { name: 'e', channels, data: '', info: 'subscription_count' };
    let keys = 0;
    return rude.paced(perSecond, () =>
      rude.asTenant('POST', '/events', event, { 'idempotency-key': `${rude.turn}-${keys++}` }),
    );
  },
};
