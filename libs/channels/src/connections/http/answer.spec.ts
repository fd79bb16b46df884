import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { HttpAnswer } from './answer.js';

it.each(['drain', 'close'])('leaves no listener each time that a slow client has read, told by %s', async (event) => {
  const response = Object.assign(new EventEmitter(), { writableNeedDrain: true, destroyed: false });
  const answer = new HttpAnswer(response as unknown as ServerResponse, true);
  for (let n = 0; n < 20; n++) {
    const drained = answer.drained();
    response.emit(event);
    await drained;
  }
  expect(response.eventNames()).toEqual([]);
});

it.each([
  ['reads', { writableNeedDrain: false, destroyed: false }],
  ['has gone', { writableNeedDrain: true, destroyed: true }],
])('does not wait for a client that %s', async (_, state) => {
  const response = Object.assign(new EventEmitter(), state) as unknown as ServerResponse;
  await expect(new HttpAnswer(response, true).drained()).resolves.toBeUndefined();
});
