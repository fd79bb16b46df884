import type { Wing, WingDescription } from './wing.js';
import { receipts } from './receipts/receipts.wing.js';

/** The features, in the order in which they enter subscriptions and take their steps. */
export const wings = [receipts] as const satisfies readonly Wing[];

type AllOf<Ports> = (Ports extends object ? (ports: Ports) => void : never) extends (ports: infer All) => void
  ? All
  : never;
type WingPorts = AllOf<Extract<(typeof wings)[number], { readonly ports: object }>['ports']>;

const all: readonly Wing[] = wings;

// Each wing's ports have their own names: those of the type.
/** The ports of all features. */
export const wingPorts = Object.assign({}, ...all.map(({ ports }) => ports)) as WingPorts;

/** What ChannelsModule takes of all features. */
export const folded = {
  parts: all.flatMap(({ part }) => part ?? []),
  steps: all.flatMap(({ step }) => step ?? []),
  clientEventSteps: all.flatMap(({ clientEventStep }) => clientEventStep ?? []),
  messages: all.flatMap(({ messages = [] }) => messages),
  providers: all.flatMap(({ providers = [] }) => providers),
  controllers: all.flatMap(({ controllers = [] }) => controllers),
  paths: all.flatMap(({ paths = [] }) => paths),
  exports: all.flatMap(({ exports = [], ports = {} }) => [...exports, ...Object.values(ports).map(({ port }) => port)]),
};

/** The features' part of the OpenAPI document. */
export function describedWings(): Required<WingDescription> {
  const described = all.flatMap(({ describe }) => describe?.() ?? []);
  return {
    attributes: Object.fromEntries(described.flatMap(({ attributes = {} }) => Object.entries(attributes))),
    paths: Object.fromEntries(described.flatMap(({ paths = {} }) => Object.entries(paths))),
  };
}
