import type { Attack } from '../attack.js';

const perSecond = 100;

/** TCP connections without a first byte. */
export const sayNothing: Attack = { meets: [], run: (rude) => rude.paced(perSecond, () => rude.connectRaw()) };
