import { type Case, sources } from '../../case.js';
import { expects } from '../../matching.js';
import { beamsCase, device, refusal, uuid } from './beams-case.js';

export const devices: readonly Case[] = [
  beamsCase('register', 'A device gets an id of its platform, and its interests', sources.androidSdk, async (beams) => {
    const body = { token: beams.token(), knownPreviousClientIds: [], metadata: { sdkVersion: '1.9.2' } };
    expects('the answer', await beams.register(body), {
      status: 200,
      json: { id: new RegExp(`^fcm-${uuid}$`), initialInterestSet: [] },
    });
  }),
  beamsCase('register-again', 'A token that registers again keeps its interests', sources.androidSdk, async (beams) => {
    const body = { token: beams.token() };
    const { id } = (await beams.register(body)).json as { readonly id: string };
    await beams.device('POST', `fcm/${id}/interests/hats`);
    const again = await beams.register(body);
    expects('the answer', again, { status: 200, json: { initialInterestSet: ['hats'] } });
  }),
  beamsCase('no-token', 'A registration without a token is refused', sources.deviceApi, async (beams) => {
    expects('the answer', await beams.register({}), refusal(400));
  }),
  beamsCase('no-bundle', 'An Apple device without a bundle id is refused', sources.deviceApi, async (beams) => {
    expects('the answer', await beams.device('POST', 'apns', { body: { token: 'abcd' } }), refusal(400));
  }),
  device('get', 'A device can be read', { status: 200, json: { id: /^fcm-/, metadata: {} } }, (id) => [
    'GET',
    `fcm/${id}`,
  ]),
  device('get-unknown', 'An unknown device is not found', refusal(404), () => [
    'GET',
    'fcm/fcm-00000000-0000-4000-8000-000000000000',
  ]),
  device('delete', 'A device can be removed', { status: 200 }, (id) => ['DELETE', `fcm/${id}`]),
  device('delete-unknown', 'Removing an unknown device succeeds, or Android asks for ever', { status: 200 }, () => [
    'DELETE',
    'fcm/fcm-00000000-0000-4000-8000-000000000000',
  ]),
  device('metadata', 'Metadata can be changed', { status: 200 }, (id) => [
    'PUT',
    `fcm/${id}/metadata`,
    { body: { sdkVersion: '2.0.0', androidVersion: '15' } },
  ]),
  device('token', 'A device can get another token', { status: 200 }, (id) => [
    'PUT',
    `fcm/${id}/token`,
    { body: { token: `another-${id}` } },
  ]),
  beamsCase('cors', 'A page of another origin may register its browser', sources.webSdk, async (beams) => {
    const { headers, status } = await beams.preflight('web', 'POST', 'content-type');
    const names = (text: unknown): boolean => text === '*' || /content-type/i.test(String(text));
    expects(
      'the answer',
      { isOk: status < 300, ...headers },
      {
        isOk: true,
        'access-control-allow-origin': /./,
        'access-control-allow-headers': names,
      },
    );
  }),
];
