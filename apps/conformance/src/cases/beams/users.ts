import { type Case, sources } from '../../case.js';
import { expects } from '../../matching.js';
import { beamsCase, bytes, device, refusal } from './beams-case.js';

export const users: readonly Case[] = [
  beamsCase(
    'user',
    'A device belongs to the user of its token, also if told twice',
    sources.deviceApi,
    async (beams) => {
      const id = await beams.registered();
      const path = `fcm/${id}/user`;
      for (let times = 0; times < 2; times++)
        expects('the answer', await beams.device('PUT', path, { token: beams.userToken('ann') }), { status: 200 });
      expects('the device', (await beams.device('GET', `fcm/${id}`)).json, { userId: 'ann' });
      expects('for another user', await beams.device('PUT', path, { token: beams.userToken('ben') }), refusal(400));
    },
  ),
  device('user-no-token', 'A user without a token is refused', refusal(401), (id) => ['PUT', `fcm/${id}/user`]),
  device('user-nonsense', 'A token that is none is refused', refusal(401), (id) => [
    'PUT',
    `fcm/${id}/user`,
    { token: 'nonsense' },
  ]),
  beamsCase('user-signature', 'A token with another signature is refused', sources.deviceApi, async (beams) => {
    const id = await beams.registered();
    const token = beams.userToken('ann', { secretKey: 'wrong' });
    const { status } = await beams.device('PUT', `fcm/${id}/user`, { token });
    expects('the status', status, (value) => value === 401 || value === 403);
  }),
  beamsCase('user-issuer', 'A token of another issuer is refused with 403', sources.deviceApi, async (beams) => {
    const id = await beams.registered();
    const token = beams.userToken('ann', { iss: 'https://example.com' });
    expects('the answer', await beams.device('PUT', `fcm/${id}/user`, { token }), refusal(403));
  }),
  beamsCase('user-no-exp', 'A token that never ends is refused', sources.deviceApi, async (beams) => {
    const id = await beams.registered();
    const token = beams.userToken('ann', { exp: undefined });
    expects('the answer', await beams.device('PUT', `fcm/${id}/user`, { token }), refusal(400));
  }),
  ...['nobody', 'a b/ü?', '%00'].map((user) =>
    beamsCase(
      `user-unknown-${user.replaceAll(/\W/g, 'x')}`,
      `Removing ${JSON.stringify(user)}, a user that nobody is, succeeds`,
      sources.customerApi,
      async (beams, { run }) => {
        expects('the answer', await beams.removeUser(`${user}${run}`), { status: 200 });
      },
    ),
  ),
  beamsCase(
    'user-id-165',
    'Removing a user with an id of 165 characters is refused',
    sources.customerApi,
    async (beams) => {
      expects('the answer', await beams.removeUser(bytes(165)), refusal(400));
    },
  ),
  beamsCase('user-removed', 'Removing a user removes its devices', sources.customerApi, async (beams, { run }) => {
    const id = await beams.registered();
    await beams.device('PUT', `fcm/${id}/user`, { token: beams.userToken(`ann-${run}`) });
    expects('the answer', await beams.removeUser(`ann-${run}`), { status: 200 });
    expects('the device', await beams.device('GET', `fcm/${id}`), { status: 404 });
  }),
];
