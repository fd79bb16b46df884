import { setImmediate as turn } from 'node:timers/promises';
import { Random } from '../support/random.js';

/**
 * A port whose calls and answers are delayed.
 * @param isLossy whether they are now and then lost, too: one as much as the other
 */
export function rough<Port extends object>(port: Port, seed = 1, isLossy = true): Port {
  const random = new Random(seed);
  const delayed = async (): Promise<void> => {
    for (let turns = random.below(4); turns > 0; turns--) await turn();
  };
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        await delayed();
        const fate = isLossy ? random.below(24) : undefined;
        if (fate === 0) throw new Error('the call is lost');
        const answer: unknown = await Reflect.apply(method, target, args);
        await delayed();
        if (fate === 1) throw new Error('the answer is lost');
        return answer;
      };
    },
  });
}
