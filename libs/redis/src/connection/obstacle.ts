import type { Redis } from 'ioredis';
import type { Address } from '../redis-url.js';
import type { Clients } from './clients.js';
import { isReplyError } from './reply-error.js';
import { fieldsOf } from './server-checks.js';

/** Why a first connection does not succeed. */
export interface Obstacle {
  readonly text: string;
  /** Whether it may pass without a change of settings. */
  readonly mayPass: boolean;
}

const final = (text: string): Obstacle => ({ text, mayPass: false });
const passing = (text: string): Obstacle => ({ text, mayPass: true });

/**
 * Finds out why a first connection does not succeed, one step after the other. The client itself tries silently and
 * without end when sentinels or a cluster do not let it in.
 * @returns undefined if nothing stands in the way any more
 */
export const obstacleTo = (clients: Clients): Promise<Obstacle | undefined> => looks[clients.place.kind](clients);

const looks = { standalone: atRedis, sentinel: atSentinels, cluster: inCluster };

async function atRedis(clients: Clients): Promise<Obstacle | undefined> {
  const info = await answer(clients.forQuestion(), (client) => client.info());
  if (info instanceof Error) return final(info.message);
  return fieldsOf(info).get('loading') === '1' ? passing('it is loading its data') : undefined;
}

async function atSentinels(clients: Clients): Promise<Obstacle | undefined> {
  const { addresses, master = '', tls } = clients.place;
  const name = async (sentinel: Address) =>
    answer(clients.forQuestionTo(sentinel), (client) => client.call('SENTINEL', 'get-master-addr-by-name', master));
  const answers = await Promise.all(addresses.map(name));
  const [host, port] = (answers.find((each) => Array.isArray(each)) ?? []) as readonly string[];
  if (host !== undefined) return atMaster(clients, { host, port: Number(port) });
  if (answers.includes(null)) return final(`No sentinel knows a master named ${master}`);
  const refusal = refusalOf(addresses, answers);
  if (!refusal) return final(`No sentinel can be reached: ${reasons(addresses, answers)}${tls ? tlsAdvice : ''}`);
  const isMissing = refusal.includes('NOAUTH');
  const what = 'sentinelPassword (REDIS_SENTINEL_PASSWORD)';
  return final(`sentinel ${refusal.replace(/\.$/, '')}. ${isMissing ? 'Set' : 'Correct'} ${what}`);
}

const tlsAdvice = '. Set sentinelTls if they speak TLS';

async function atMaster(clients: Clients, master: Address): Promise<Obstacle | undefined> {
  const info = await answer(clients.forQuestion(master), (client) => client.info());
  const where = `the master ${clients.place.master}, ${shown(master)}`;
  if (info instanceof Error)
    return isReplyError(info) ? final(`${where}: ${info.message}`) : passing(`${where}: ${info.message}`);
  const fields = fieldsOf(info);
  if (fields.get('loading') === '1') return passing(`${where}, is loading its data`);
  return fields.get('role') === 'slave' ? passing(`${where}, is a replica`) : undefined;
}

type ClusterSlots = readonly (readonly [
  first: number,
  last: number,
  master: readonly [host: string | null, port: number],
])[];

async function inCluster(clients: Clients): Promise<Obstacle | undefined> {
  const { addresses } = clients.place;
  const state = async (node: Address) =>
    answer(clients.forQuestion(node), async (client) => ({
      node,
      info: fieldsOf(await client.cluster('INFO')),
      slots: (await client.cluster('SLOTS')) as unknown as ClusterSlots, // As documented.
    }));
  const answers = await Promise.all(addresses.map(state));
  const found = answers.find((each) => !(each instanceof Error));
  if (found === undefined || found instanceof Error) return withoutAnswer(addresses, answers);
  const masters = found.slots.map(([, , [host, port]]) => ({ host, port }));
  if (masters.some(({ host }) => !host))
    return final(`The node at ${shown(found.node)} does not know its own address: set its cluster-announce-ip`);
  if (found.info.get('cluster_state') === 'fail')
    return passing(`the cluster is down (cluster_state:fail)${unassigned(found.info.get('cluster_slots_assigned'))}`);
  return atNodes(clients, masters as readonly Address[]); // Every host was checked above.
}

const unassigned = (slots = '16384'): string =>
  slots === '16384' ? '' : `, only ${slots} of 16384 slots are assigned`;

function withoutAnswer(addresses: readonly Address[], answers: readonly unknown[]): Obstacle {
  const refusal = refusalOf(addresses, answers);
  if (refusal?.includes('cluster support disabled')) return final('This Redis is no cluster: write redis://');
  return final(refusal ?? `No node can be reached: ${reasons(addresses, answers)}`);
}

/** The nodes at the addresses that the cluster names: those may be valid only inside a container's network. */
async function atNodes(clients: Clients, nodes: readonly Address[]): Promise<Obstacle | undefined> {
  const answers = await Promise.all(nodes.map((node) => answer(clients.forQuestion(node), (client) => client.ping())));
  const at = answers.findIndex((each) => each instanceof Error);
  if (at < 0) return undefined;
  const { message } = answers[at] as Error; // It was found as such.
  return passing(`the node ${shown(nodes[at]!)}, as the cluster names it: ${message}`);
}

/** The answer, or why there is none. */
async function answer<Answer>(client: Redis, ask: (client: Redis) => Promise<Answer>): Promise<Answer | Error> {
  let latest: Error | undefined;
  client.on('error', (error: Error) => void (latest = error));
  try {
    await client.connect();
    return await ask(client);
  } catch (error) {
    // By then, the error of `connect` may only say that the connection is closed.
    return isReplyError(error) ? (error as Error) : (latest ?? (error as Error));
  } finally {
    client.disconnect();
  }
}

/** What the first one that answers with an error answers. */
function refusalOf(addresses: readonly Address[], answers: readonly unknown[]): string | undefined {
  const at = answers.findIndex(isReplyError);
  return at < 0 ? undefined : `${shown(addresses[at]!)}: ${(answers[at] as Error).message}`;
}

const reasons = (addresses: readonly Address[], answers: readonly unknown[]): string =>
  addresses.map((address, i) => `${shown(address)}: ${(answers[i] as Error).message}`).join(', ');

const shown = ({ host, port }: Address): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
