import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { ThisNode } from '#common';
import { InProcessBroker } from './in-process.broker.js';
import { NodeRpc, nodeSubject } from './node-rpc.js';

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
