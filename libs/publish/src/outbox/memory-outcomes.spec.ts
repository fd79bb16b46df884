import { expect, it } from 'vitest';
import { MemoryOutcomes } from './memory-outcomes.js';

const sent = (...ids: string[]) => ({
  of: 'page' as const,
  at: 1,
  devices: ids.map((deviceId) => ({ deviceId, outcome: 'sent' as const })),
});
const ids = (outcomes: MemoryOutcomes, publishId: string) =>
  outcomes.page(publishId, { after: '', limit: 10 }).devices.map(({ deviceId }) => deviceId);

it('keeps only the latest devices, each once', () => {
  const outcomes = new MemoryOutcomes(3);
  outcomes.add('first', sent('a', 'b'));
  outcomes.add('first', sent('a'));
  outcomes.add('second', sent('c', 'd'));
  expect([ids(outcomes, 'first'), ids(outcomes, 'second')]).toEqual([['b'], ['c', 'd']]);
  outcomes.add('third', sent('e', 'f', 'g', 'h'));
  expect(ids(outcomes, 'second')).toEqual([]);
  expect(ids(outcomes, 'third')).toEqual(['f', 'g', 'h']);
  outcomes.forget('third');
  outcomes.add('fourth', sent('i', 'j', 'k'));
  expect(ids(outcomes, 'fourth')).toEqual(['i', 'j', 'k']);
});
