import { expect, it } from 'vitest';
import { Unavailable } from 'rookery/internal/common';
import { DeadWorkers, type Survivor } from './dead-workers.js';

/** Notes what it is asked for. */
class Noting implements Survivor {
  readonly asked: string[] = [];
  constructor(private readonly failure?: Error) {}

  async takeOut(nodeId: string): Promise<void> {
    this.asked.push(nodeId);
    if (this.failure) throw this.failure;
  }
}

it('asks only one survivor for each dead worker', async () => {
  const survivors = [new Noting(), new Noting()];
  const dead = new DeadWorkers(new Set(survivors));
  await Promise.all([dead.add('a'), dead.add('b')]);
  expect(survivors.map(({ asked }) => asked)).toEqual([['a', 'b'], []]);
});

it('asks another survivor when the first dies meanwhile', async () => {
  const survivors = new Set<Survivor>();
  const [next] = [new Noting()];
  const dying: Survivor = {
    async takeOut() {
      survivors.delete(dying);
      throw new Unavailable('It');
    },
  };
  survivors.add(dying).add(next);
  await new DeadWorkers(survivors).add('a');
  expect(next.asked).toEqual(['a']);
});

it('asks another survivor if one does not answer', async () => {
  const next = new Noting();
  await new DeadWorkers(new Set([new Noting(new Unavailable('It')), next])).add('a');
  expect(next.asked).toEqual(['a']);
});

it('lets the end of the only survivor arrive, whose calls fail at once', async () => {
  const gone = new Noting(new Unavailable('It'));
  const survivors = new Set<Survivor>([gone]);
  const dead = new DeadWorkers(survivors);
  const next = new Noting();
  setTimeout(() => {
    survivors.delete(gone);
    survivors.add(next);
  }, 0);
  await dead.add('a');
  expect([gone.asked, next.asked]).toEqual([['a'], ['a']]);
});

it('waits until there is a survivor', async () => {
  const survivors = new Set<Survivor>();
  const dead = new DeadWorkers(survivors);
  await dead.add('a');
  const next = new Noting();
  survivors.add(next);
  await dead.takeOut();
  expect(next.asked).toEqual(['a']);
});

it('does not repeat other failures: the entries were removed, but not all changes announced', async () => {
  const survivor = new Noting(new Error('the outbox is full'));
  const dead = new DeadWorkers(new Set([survivor]));
  await dead.add('a');
  await dead.takeOut();
  expect(survivor.asked).toEqual(['a']);
});
