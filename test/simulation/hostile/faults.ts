import { Budgets } from '../../../libs/channels/src/connections/budgets.js';
import { KeptBytes } from '../../../libs/channels/src/events/kept-bytes.js';
import type { Prepare } from '../prepare.js';

const withBudgets =
  (budgets: new (...of: ConstructorParameters<typeof Budgets>) => Budgets): Prepare =>
  (module) =>
    module.overrideProvider(Budgets).useClass(budgets);

/** Nodes without a limit that only those who are hostile reach. */
export const faults: Readonly<Record<string, Prepare>> = {
  'clients may ping without end': withBudgets(
    class extends Budgets {
      override heartbeat(): void {}
    },
  ),

  'the connections of an address are not counted': withBudgets(
    class extends Budgets {
      override network(): undefined {}
    },
  ),

  'the subscriptions of an address are not counted': withBudgets(
    class extends Budgets {
      override subscribe(): void {}
    },
  ),

  'an app may have anything kept': (module) =>
    module.overrideProvider(KeptBytes).useClass(
      class extends KeptBytes {
        override hasRoom(): boolean {
          return true;
        }
      },
    ),
};
