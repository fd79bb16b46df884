import { instance } from '../../../support/push-app.js';
import type { Attack } from '../attack.js';

const perSecond = 60;

/** Devices register, each from another of the 65,536 networks of one /48. */
export const registerWidely: Attack = {
  meets: ['429'],
  run(rude) {
    let count = 0;
    return rude.paced(perSecond, () => {
      const n = count++;
      const body = JSON.stringify({ token: `rude-${rude.turn}-${n}` });
      const headers = { 'x-forwarded-for': `2600:1:${rude.turn.toString(16)}:${n.toString(16)}::1` };
      return rude.ask(`/device_api/v1/instances/${instance.id}/devices/fcm`, { body, headers });
    });
  },
};
