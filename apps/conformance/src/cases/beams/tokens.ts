import { type Case, sources } from '../../case.js';
import { expects, type Pattern } from '../../matching.js';
import { beamsCase, bytes, refusal } from './beams-case.js';

/** The claims of a user's token beside those that it has, and the answer that must come. */
const claims = (id: string, title: string, answer: Pattern, changed: () => Readonly<Record<string, unknown>>): Case =>
  beamsCase(`token-${id}`, title, sources.deviceApi, async (beams) => {
    const token = beams.userToken('ann', changed());
    expects('the answer', await beams.device('PUT', `fcm/${await beams.registered()}/user`, { token }), answer);
  });
const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

export const tokens: readonly Case[] = [
  claims('next-century', 'A token may end in the next century', { status: 200 }, () => ({ exp: 4_700_000_000 })),
  claims('more-claims', 'A token may have further claims', { status: 200 }, () => ({ aud: 'x', spare: {} })),
  claims('user-164', 'A user id of 164 characters is accepted', { status: 200 }, () => ({ sub: '💬'.repeat(164) })),
  claims('user-165', 'A user id of 165 characters is refused', refusal(400), () => ({ sub: bytes(165) })),
  claims('no-user', 'A token without a user is refused', refusal(400), () => ({ sub: undefined })),
  claims('empty-user', 'A token of an empty user id is refused', refusal(400), () => ({ sub: '' })),
  claims('no-issuer', 'A token without an issuer is refused', refusal(400), () => ({ iss: undefined })),
  claims('over', 'A token that ended an hour ago is refused', refusal(401), () => ({ exp: secondsFromNow(-3600) })),
  claims('early', 'A token of the next hour is refused', refusal(401), () => ({ nbf: secondsFromNow(3600) })),
];
