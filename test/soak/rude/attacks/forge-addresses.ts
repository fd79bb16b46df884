import type { Attack } from '../attack.js';

const perSecond = 20;
/** How many addresses each client invents. */
const invented = 5;

/** Clients connect and stay, each as from other addresses: only the last one is the proxy's word. */
export const forgeAddresses: Attack = {
  meets: ['connectionsPerAddress'],
  run: (rude) =>
    rude.paced(perSecond, () => {
      const forged = Array.from({ length: invented }, () =>
        Array.from({ length: 4 }, () => 1 + rude.random.below(250)).join('.'),
      );
      return rude.connect({ forwardedFor: [...forged, rude.address].join(', ') });
    }),
};
