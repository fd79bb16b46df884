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

it('answers nothing that is for another process, though its broker delivers that, too', async () => {
  const broker = new InProcessBroker();
  const nodes = [new ThisNode(), new ThisNode()] as const;
  const [one, other] = nodes.map((node) => new NodeRpc(broker, node)) as [NodeRpc, NodeRpc];
  broker.receive({
    message: (message) => {
      if (message.kind === 'event') for (const rpc of [one, other]) rpc.receive(message);
    },
    lost: () => {},
  });
  const who = nodeSubject<null, string>('who');
  for (const [rpc, name] of [
    [one, 'one'],
    [other, 'other'],
  ] as const) {
    rpc.open();
    rpc.on(who, async () => {
      // If the process that was not asked answered as well, its answer would come first.
      if (rpc === other) await new Promise(setImmediate);
      return name;
    });
    await rpc.ready();
  }
  expect(await one.ask(nodes[1].id, who, null, 1000)).toBe('other');
});

it('logs failures alike once in ten seconds, with their number', async () => {
  const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const rpc = new NodeRpc(new InProcessBroker(), new ThisNode());
  rpc.open();
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
