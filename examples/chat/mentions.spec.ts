import { afterAll, beforeAll, expect, it } from 'vitest';
import { RookeryTesting } from '@rookery/testing';
import { until } from '../../test/support/until.js';
import { AppModule } from './src/app.module.js';
import { People } from './src/people.js';

let rookery: RookeryTesting;
beforeAll(async () => {
  rookery = await RookeryTesting.start([AppModule]);
});
afterAll(() => rookery.close());

async function post(path: string, body: object, session = ''): Promise<any> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${session}` };
  const answer = await fetch(rookery.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return text && JSON.parse(text);
}

it('pushes a mention to the device of an absent user', async () => {
  const [alice, dave] = [await post('/session', { name: 'Alice' }), await post('/session', { name: 'Dave' })];
  await rookery.register({ user: rookery.get(People).of(dave.session)!.id });
  await post('/rooms/kitchen/lines', { text: 'Who has the key? @Dave?' }, alice.session);
  await until(async () => {
    await rookery.clock.advance(1000);
    return rookery.pushes.length > 0;
  }, 'it is pushed');
  const notification = { title: 'Alice in the kitchen', body: 'Who has the key? @Dave?' };
  expect(rookery.pushes).toMatchObject([{ platform: 'fcm', payload: { notification } }]);
});
