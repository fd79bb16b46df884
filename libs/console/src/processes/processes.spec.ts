import { Logger } from '@nestjs/common';
import { InProcessBroker, NodeRpc } from 'rookery/internal/channels';
import { ThisNode } from 'rookery/internal/common';
import { afterEach, expect, it, vi } from 'vitest';
import type { ProcessView } from './process-view.js';
import { Processes } from './processes.js';

afterEach(() => vi.restoreAllMocks());

/** Two processes that share a broker; each answers as its own release does. */
function cluster(...releases: readonly Partial<ProcessView['answers']>[]) {
  const broker = new InProcessBroker();
  const calls = releases.map(() => new NodeRpc(broker, Object.assign(new ThisNode(), { others: releases.length - 1 })));
  broker.receive({
    message: (message) => message.kind === 'event' && calls.forEach((each) => each.receive(message)),
    lost: () => {},
  });
  return releases.map((answers, index) => {
    const processes = new Processes(calls[index]!, { answers } as ProcessView);
    processes.onApplicationBootstrap();
    calls[index]!.open();
    return processes;
  });
}

it('asks all processes, this one included', async () => {
  const [one] = cluster({ instances: () => ['a'] }, { instances: () => ['b', 'c'] });
  expect((await one!.all('instances')).flat().toSorted()).toEqual(['a', 'b', 'c']);
  expect(await one!.read('instances')).toMatchObject({ missing: 0 });
});

it.each(['instances', 'toString', 'constructor'])(
  'counts a process whose release does not know the question %s as missing, and that process says so',
  async (question) => {
    const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const [one] = cluster({ [question]: () => ['a'] }, {});
    const { answers, missing } = await one!.read(question as 'instances');
    expect(answers.map(({ answer }) => answer)).toEqual([['a']]);
    expect(missing).toBe(1);
    expect(warned).toHaveBeenCalledExactlyOnceWith(
      `Cannot answer console.read: Error: the console of another release asks "${question}", which this one does not know`,
    );
  },
);
