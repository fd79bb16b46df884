import { type Case, sources } from '../../case.js';
import { isSuccess, Words } from '../../matching.js';
import type { Asked } from '../../subject.js';
import { answers, event } from './http-api-case.js';

const signed = (
  id: string,
  title: string,
  change: (run: string) => Asked,
  text: RegExp,
  more: Partial<Case> = {},
): Case =>
  answers(
    `signature-${id}`,
    title,
    (run) => ({ ...event([run]), ...change(run) }),
    { status: 401, text: new Words(text) },
    {
      source: sources.ruby,
      dialects: [{ server: 'Reverb', got: /"status":401,"text":"Authentication signature invalid/ }],
      ...more,
    },
  );

export const signatures: readonly Case[] = [
  signed(
    'wrong',
    'A wrong signature is refused, with what should have been signed',
    () => ({ secret: 'wrong' }),
    /^Invalid signature: /,
  ),
  signed('key', 'An unknown key is refused', () => ({ key: 'no-app-has-this-key' }), /auth_key/),
  signed(
    'old',
    'A signature of eleven minutes ago is refused',
    () => ({ timestamp: Math.floor(Date.now() / 1000) - 660 }),
    /^Timestamp expired/,
  ),
  signed(
    'future',
    'A signature of in eleven minutes is refused',
    () => ({ timestamp: Math.floor(Date.now() / 1000) + 660 }),
    /^Timestamp expired/,
  ),
  signed(
    'none',
    'A request without a signature is refused',
    () => ({ tamper: (query) => query.delete('auth_signature') }),
    /./,
  ),
  signed(
    'no-key',
    'A request without a key is refused',
    () => ({ tamper: (query) => query.delete('auth_key') }),
    /auth_key/,
  ),
  signed(
    'added',
    'A parameter that was not signed is refused',
    () => ({ tamper: (query) => query.append('info', 'user_count') }),
    /^Invalid signature/,
  ),
  signed(
    'version',
    'A version of signatures that never was is refused',
    () => ({ tamper: (query) => query.set('auth_version', '9.0') }),
    /./,
    { basis: 'robustness' },
  ),
  signed(
    'other-body',
    'A body that was not signed is refused',
    (run) => ({ sent: JSON.stringify(event([run], { name: 'forged' }).body) }),
    /./,
  ),
  signed(
    'no-digest',
    'A body that the signature does not cover is refused',
    (run) => ({ body: undefined, sent: JSON.stringify(event([run]).body) }),
    /./,
    { basis: 'robustness' },
  ),
  signed(
    'empty',
    'An empty signature is refused',
    () => ({ tamper: (query) => query.set('auth_signature', '') }),
    /./,
    { basis: 'robustness' },
  ),
  ...[-590, 590].map((seconds) =>
    answers(
      `signature-${seconds < 0 ? 'late' : 'early'}`,
      `A signature ${Math.abs(seconds)} s ${seconds < 0 ? 'ago' : 'ahead'} is accepted`,
      (run) => ({ ...event([run]), timestamp: Math.floor(Date.now() / 1000) + seconds }),
      { status: isSuccess },
      { source: sources.ruby },
    ),
  ),
  answers(
    'signature-decoded',
    'A signature covers the values of the query as they are, not as they are escaped',
    () => ({ method: 'GET', path: '/channels', query: { filter_by_prefix: 'a b&=/ü+' } }),
    { status: 200 },
    { source: sources.ruby },
  ),
];
