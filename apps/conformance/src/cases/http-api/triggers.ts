import { type Case, soketiAnswers } from '../../case.js';
import { isSuccess, Words } from '../../matching.js';
import { answers, bytes, event, type Fields, malformed, unprocessable } from './http-api-case.js';

const names = (count: number) => (run: string) => Array.from({ length: count }, (_, n) => `many-${run}-${n}`);

const accepts = (id: string, title: string, fields: (run: string) => Fields, more: Partial<Case> = {}): Case =>
  answers(id, title, (run) => event([run], fields(run)), { status: isSuccess, text: /^\{/ }, more);

/** No page says so; Pusher's service does it. */
const observed = { basis: 'observed' } as const;

const refuses = (
  id: string,
  title: string,
  status: 400 | 413,
  fields: (run: string) => Fields,
  more: Partial<Case> = {},
): Case => answers(id, title, (run) => event([run], fields(run)), { status }, { ...unprocessable, ...more });

export const triggers: readonly Case[] = [
  answers(
    'event',
    'A trigger is answered with {}',
    (run) => event([run]),
    { status: 200, text: /^\{\}\s*$/ },
    { dialects: [soketiAnswers] },
  ),
  answers('one-channel', 'A trigger may name one channel', (run) => event([], { channels: undefined, channel: run }), {
    status: isSuccess,
  }),
  answers('channels-100', 'A trigger reaches up to 100 channels', (run) => event(names(100)(run)), {
    status: isSuccess,
  }),
  answers('channels-101', '101 channels are refused', (run) => event(names(101)(run)), { status: 400 }),
  answers('no-channels', 'A trigger without a channel is refused', () => event([]), { status: 400 }, unprocessable),
  answers(
    'no-name',
    'A trigger without a name is refused',
    (run) => event([run], { name: undefined }),
    { status: 400 },
    unprocessable,
  ),
  answers(
    'no-data',
    'A trigger without data is refused',
    (run) => event([run], { data: undefined }),
    { status: 400 },
    unprocessable,
  ),
  answers('name-201', 'A name of 201 characters is refused', (run) => event([run], { name: bytes(201) }), {
    status: 400,
  }),
  answers('channel-characters', 'A channel name that no client could subscribe to is refused', () => event(['a b']), {
    status: 400,
  }),
  answers('socket-id', 'A malformed socket id is refused', (run) => event([run], { socket_id: 'x' }), { status: 400 }),
  answers('data-10240', 'Data of 10,240 bytes is accepted', (run) => event([run], { data: bytes(10_240) }), {
    status: isSuccess,
  }),
  answers('data-10241', 'Data of 10,241 bytes is refused with 413', (run) => event([run], { data: bytes(10_241) }), {
    status: 413,
    text: new Words(/content of this event exceeds the allowed maximum/),
  }),
  accepts('name-200', 'A name of 200 characters is accepted', () => ({ name: bytes(200) })),
  accepts(
    'name-of-laravel',
    'A name with backslashes is accepted',
    () => ({ name: 'App\\Events\\OrderShipped' }),
    observed,
  ),
  accepts('data-escaped', 'Data is measured without its escapes', () => ({ data: '\u0001'.repeat(10_240) }), observed),
  accepts(
    'data-two-bytes',
    'Data is measured in bytes: 5,120 characters of two',
    () => ({ data: 'é'.repeat(5120) }),
    observed,
  ),
  refuses(
    'data-two-bytes-over',
    '5,121 characters of two bytes are refused',
    413,
    () => ({ data: 'é'.repeat(5121) }),
    observed,
  ),
  accepts('socket-id-of-nobody', 'A socket id that nobody has is accepted', () => ({ socket_id: '1.2' }), observed),
  accepts('encrypted', 'One encrypted channel is accepted', (run) => ({ channels: [`private-encrypted-${run}`] })),
  refuses('encrypted-among-others', 'An encrypted channel among others is refused', 400, (run) => ({
    channels: [run, `private-encrypted-${run}`],
  })),
  refuses(
    'channel-201',
    'A channel name of 201 characters is refused',
    400,
    () => ({ channels: [bytes(201)] }),
    observed,
  ),
  refuses('channel-number', 'A channel that is a number is refused', 400, () => ({ channels: [7] }), {
    basis: 'robustness',
    isRude: true,
  }),
  refuses(
    'channels-object',
    'Channels that are no list are refused',
    400,
    () => ({ channels: { length: 1, 0: 'a' } }),
    { basis: 'robustness', isRude: true },
  ),
  refuses('name-number', 'A name that is a number is refused', 400, () => ({ name: 7 }), { basis: 'robustness' }),
  malformed('body-array', 'A body that is an array is refused', '/events', '[]'),
  malformed('body-text', 'A body that is a text is refused', '/events', '"text"'),
  malformed('not-json', 'A body that is no JSON is refused', '/events', '{"name"'),
];
