import { type Case, Mismatch, sources } from '../../case.js';
import { expects, isSuccess, json } from '../../matching.js';
import type { Beams } from '../../beams.js';
import type { PushService } from '../../push-service.js';
import type { Subject } from '../../subject.js';
import { beamsCase } from './beams-case.js';

const arrival = (
  id: string,
  title: string,
  run: (beams: Beams, service: PushService, subject: Subject) => Promise<void>,
): Case =>
  beamsCase(`arrives-${id}`, title, sources.webSdk, (beams, subject) => run(beams, subject.pushService(), subject));

/** Registers a made-up browser, and answers it with the path of its device. */
async function browserOf(beams: Beams, service: PushService) {
  const browser = service.browser();
  const answer = await beams.device('POST', 'web', { body: { token: browser.token } });
  expects('the registration', answer, { status: isSuccess, json: { id: /^web-/ } });
  return { browser, path: `web/${(answer.json as { readonly id: string }).id}` };
}

const web = (title: string) => ({ web: { notification: { title } } });

/** Pushes that arrive at a browser. */
export const arrivals: readonly Case[] = [
  arrival(
    'interest',
    'A publish reaches the browsers of its interest, and no others',
    async (beams, service, { run }) => {
      const [own, other] = [await browserOf(beams, service), await browserOf(beams, service)];
      const interest = `conformance-${run}`;
      expects('the answer', await beams.device('POST', `${own.path}/interests/${interest}`), { status: isSuccess });
      await beams.device('POST', `${other.path}/interests/${interest}-other`);
      await beams.publish('interests', { interests: [interest], ...web('for one') });
      expects('the push', await own.browser.next(), json({ notification: { title: 'for one' } }));
      await beams.publish('interests', { interests: [`${interest}-other`], ...web('for the other') });
      // What was pushed to the wrong one would have come before.
      expects('the push', await other.browser.next(), json({ notification: { title: 'for the other' } }));
      if (own.browser.count > 0) throw new Mismatch('further pushes', '0', String(own.browser.count));
    },
  ),
  arrival('user', 'A publish to a user reaches all browsers of the user', async (beams, service, { run }) => {
    const browsers = [await browserOf(beams, service), await browserOf(beams, service)];
    const token = beams.userToken(`ann-${run}`);
    for (const { path } of browsers)
      expects('the answer', await beams.device('PUT', `${path}/user`, { token }), { status: isSuccess });
    await beams.publish('users', { users: [`ann-${run}`], ...web('for Ann') });
    for (const { browser } of browsers)
      expects('the push', await browser.next(), json({ notification: { title: 'for Ann' } }));
  }),
  arrival('once', 'A browser with two of the interests of a publish gets it once', async (beams, service, { run }) => {
    const { browser, path } = await browserOf(beams, service);
    const interests = ['one', 'two'].map((name) => `conformance-${name}-${run}`);
    for (const interest of interests) await beams.device('POST', `${path}/interests/${interest}`);
    await beams.publish('interests', { interests, ...web('once') });
    expects('the push', await browser.next(), json({ notification: { title: 'once' } }));
    await beams.publish('interests', { interests, ...web('the next') });
    expects('the push after it', await browser.next(), json({ notification: { title: 'the next' } }));
  }),
];
