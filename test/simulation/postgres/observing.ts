import type { BrokerMessage, Position } from 'rookery/channels';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { OwedWebhooks } from '../owed-webhooks.js';
import type { StaleCounts } from '../stale-counts.js';
import type { Observed } from './node.js';

type Method = (...args: readonly unknown[]) => unknown;
type Methods = Record<string, Method>;

/** What a node's calls are shown to. */
interface Observers {
  readonly world: World;
  readonly name: string;
  readonly owed: OwedWebhooks;
  readonly counts: StaleCounts;
  /** Called with what a process delivers to itself. */
  readonly delivers: (message: BrokerMessage) => void;
}

const single = ['occupy', 'holdsVacancy', 'confirmVacated', 'join', 'holdsAbsence', 'confirmAbsent'];
const many = ['announce', 'takeOut'];

/**
 * Shows the model what a node asks for and is answered. A call that fails counts as one whose answer is still to come: it
 * may have been carried out.
 */
export function observe({ channels, presence, broker }: Observed, observers: Observers): void {
  const { world, name, owed, counts, delivers } = observers;
  let calls = 0;
  for (const port of [channels, presence] as unknown as readonly Methods[])
    for (const method of [...single, ...many]) {
      const real = port[method];
      if (!real) continue;
      port[method] = async (...args) => {
        const id = (calls += 1);
        const isMany = many.includes(method);
        const call = [id, '', isMany ? 'say' : method, args] as const;
        owed.asked([call], () => 0);
        counts.asked(name, [call], world.now);
        const answer = await real.apply(port, [...args]);
        owed.answered([[-id, isMany ? { changes: answer } : answer]]);
        return answer;
      };
    }
  const own = broker as unknown as { deliver: (message: BrokerMessage, position: Position) => Position };
  const deliver = own.deliver.bind(broker);
  own.deliver = (message, position) => {
    delivers(message);
    return deliver(message, position);
  };
}
