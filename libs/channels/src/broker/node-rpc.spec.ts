import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { ThisNode } from '#common';
import { InProcessBroker } from './in-process.broker.js';
import { NodeRpc, type NodeSubject, nodeSubject } from './node-rpc.js';

afterEach(() => vi.restoreAllMocks());

it('drops what no process writes, and answers the next question', async () => {
  const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const broker = new InProcessBroker();
  const rpc = new NodeRpc(broker, new ThisNode());
  broker.receive({ message: (message) => message.kind === 'event' && rpc.receive(message), lost: () => {} });
  await rpc.ready();
  rpc.open();
  const sum = nodeSubject<[number, number], number>('sum');
  rpc.on(sum, ([a, b]) => a + b);
  const hostile = ['', 'null', '7', '[]', '{}', '{"from":7}', '{"from":"a","subject":{}}', '{"from":"a","id":1}'];
  for (const text of hostile) rpc.receive({ kind: 'event', appId: '#nodes', channel: '#nodes', text });
  expect(warned).toHaveBeenCalledTimes(hostile.length);
  expect((await rpc.askAll(sum, [1, 2])).answers.map(({ answer }) => answer)).toEqual([3]);
});

it('logs failures alike once in ten seconds, with their number', async () => {
  const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const rpc = new NodeRpc(new InProcessBroker(), new ThisNode());
  const [updated, left] = ['members.updated', 'members.left'].map((name) => nodeSubject<number>(name)) as [
    NodeSubject<number, void>,
    NodeSubject<number, void>,
  ];
  for (const subject of [updated, left])
    rpc.on(subject, async () => {
      throw new Error('Redis is away');
    });
  const receive = async ({ name }: NodeSubject<number, void>): Promise<void> => {
    const text = JSON.stringify({ from: 'other', subject: name, content: 1 });
    rpc.receive({ kind: 'event', appId: '#nodes', channel: '#nodes', text });
    await new Promise(setImmediate);
  };
  for (let n = 0; n < 500; n++) await receive(updated);
  await receive(left);
  now.mockReturnValue(10_000);
  await receive(updated);
  expect(warned.mock.calls.map(([line]) => String(line))).toEqual([
    'Cannot answer members.updated: Error: Redis is away',
    'Cannot answer members.left: Error: Redis is away',
    'Cannot answer members.updated: Error: Redis is away (and 499 times before)',
  ]);
});
