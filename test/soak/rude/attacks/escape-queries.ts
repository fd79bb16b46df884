import { testApp } from '../../../support/test-app.js';
import type { Attack } from '../attack.js';

const perSecond = 15;
/** 16 kB. */
const escapes = '&%'.repeat(7900);

/** Requests whose query has thousands of parameters with a broken escape each. */
export const escapeQueries: Attack = {
  meets: ['400'],
  run: (rude) =>
    rude.paced(perSecond, () => {
      const now = Math.floor(Date.now() / 1000);
      const auth = `auth_key=${testApp.key}&auth_timestamp=${now}&auth_version=1.0&auth_signature=${'0'.repeat(64)}`;
      return rude.ask(`/apps/${testApp.id}/channels?${auth}${escapes}`, { method: 'GET' });
    }),
};
