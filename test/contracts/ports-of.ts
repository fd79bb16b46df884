import {
  describeBroker,
  describeChannelRepository,
  describeConsoleStore,
  describeIdempotencyKeys,
  describeJobStore,
  describePresenceRepository,
  describeReceiptRepository,
  describeRequestRates,
  describeSessionRepository,
} from '@rookery/testing';
import { describe } from 'vitest';
import { besideNeighbours, onceInTheMiddle } from './neighbours.js';

/** The ports of what processes share, each with its contract. */
const contracts = {
  Broker: describeBroker,
  ChannelRepository: describeChannelRepository,
  PresenceRepository: describePresenceRepository,
  SessionRepository: describeSessionRepository,
  IdempotencyKeys: describeIdempotencyKeys,
  ReceiptRepository: describeReceiptRepository,
  RequestRates: describeRequestRates,
  JobStore: describeJobStore,
  ConsoleStore: describeConsoleStore,
};

type Name = keyof typeof contracts;

/** How a store makes each port anew, or why it has none of its own. */
type Ports = { readonly [Port in Name]: Parameters<(typeof contracts)[Port]>[0] | `none: ${string}` };

/** A row of the table of stores and ports: each port of a store keeps its contract, also beside neighbours. */
export function describePortsOf(store: string, ports: Ports): void {
  for (const [name, fresh] of Object.entries(ports)) {
    if (typeof fresh === 'string') continue;
    const keepsContract = contracts[name as Name] as (made: typeof fresh) => void;
    const beside = besideNeighbours[name as keyof typeof besideNeighbours] as
      { describe(made: typeof fresh, positions: typeof onceInTheMiddle): void } | undefined;
    describe(`${store}${name}`, () => {
      keepsContract(fresh);
      beside?.describe(fresh, onceInTheMiddle);
    });
  }
}
