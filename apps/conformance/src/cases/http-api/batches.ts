import { type Case, soketiAnswers, sources } from '../../case.js';
import { isSuccess, type Pattern, Words } from '../../matching.js';
import { answers, bytes, type Fields, malformed, unprocessable } from './http-api-case.js';

const batched = (
  id: string,
  title: string,
  answer: Pattern,
  items: (run: string) => readonly Fields[],
  more: Partial<Case> = {},
): Case =>
  answers(
    `batch-${id}`,
    title,
    (run) => ({
      path: '/batch_events',
      body: { batch: items(run).map((item) => ({ name: 'asked', channel: run, data: '{}', ...item })) },
    }),
    answer as { readonly status: Pattern },
    more,
  );

export const batches: readonly Case[] = [
  answers(
    'batch',
    'A batch is answered with {}',
    (run) => ({ path: '/batch_events', body: { batch: [{ name: 'asked', channel: run, data: '{}' }] } }),
    { status: 200, text: /^\{\}\s*$/ },
    {
      dialects: [soketiAnswers, { server: 'Reverb', got: /\{\\"batch\\":\{\}\}/ }],
    },
  ),
  answers(
    'batch-11',
    'A batch of eleven is refused',
    (run) => ({
      path: '/batch_events',
      body: { batch: Array.from({ length: 11 }, () => ({ name: 'asked', channel: run, data: '{}' })) },
    }),
    { status: 400, text: new Words(/Batch too large \(11 > 10\)/) },
    { source: sources.httpSwift },
  ),
  answers(
    'batch-no-channel',
    'An event of a batch without a channel is refused',
    () => ({ path: '/batch_events', body: { batch: [{ name: 'asked', data: '{}' }] } }),
    { status: 400, text: new Words(/Missing required parameter: channel/) },
    { source: sources.httpSwift, ...unprocessable },
  ),
  batched('10-large', 'Ten events of full size are accepted', { status: isSuccess }, () =>
    Array.from({ length: 10 }, () => ({ data: '\u0001'.repeat(10_240) })),
  ),
  batched('data-10241', 'An event of a batch with data of 10,241 bytes is refused', { status: 413 }, () => [
    {},
    { data: bytes(10_241) },
  ]),
  batched(
    'no-name',
    'An event of a batch without a name is refused',
    { status: 400 },
    () => [{}, { name: undefined }],
    unprocessable,
  ),
  batched('channel', 'An event of a batch for a malformed channel is refused', { status: 400 }, () => [
    { channel: 'a b' },
  ]),
  batched('encrypted', 'A batch may have encrypted channels among others', { status: isSuccess }, (run) => [
    {},
    { channel: `private-encrypted-${run}` },
  ]),
  malformed('batch-object', 'A batch that is no list is refused', '/batch_events', { batch: {} }),
  malformed('no-batch', 'A batch without events is refused', '/batch_events', {}),
];
