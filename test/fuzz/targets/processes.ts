import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { InProcessBroker, NodeRpc, nodeSubject } from 'rookery/internal/channels';
import { ThisNode } from '#common';
import { type Item, RpcLink } from '../../../apps/server/src/workers/rpc-link.js';
import { SharedPorts } from '../../../apps/server/src/workers/shared-ports.js';
import type { Target } from '../target.js';

/** The process that started the workers, as one of them reaches it. */
class Primary {
  readonly answers: Item[] = [];
  private readonly ports = new SharedPorts();
  private readonly link = new RpcLink((items) => this.answers.push(...(JSON.parse(JSON.stringify(items)) as Item[])));

  constructor() {
    this.ports.join(this.link);
  }

  take(items: unknown): void {
    this.link.take(items);
  }
}

let primary = new Primary();
let taken = 0;

const rpc = new NodeRpc(new InProcessBroker(), new ThisNode());
rpc.on(nodeSubject<[number, number], number>('sum'), ([a, b]) => a + b);

/** A call with an answer that no other call changes. */
const probe = 123_456_789;
const call = (n: number): Item => [probe, 'channels', 'occupy', ['probe', `probe ${n}`, 'probe', 1]];

/**
 * Messages of other processes: of workers by IPC, and behind an `n` of processes on the broker. What is neither a call
 * nor an answer is dropped, and the next call is answered.
 */
export const processes = (): Target => ({
  name: 'processes',
  seeds: [
    '[[1,"channels","occupy",["1","a","n",1]],[2,"presence","join",[{"scope":"1","name":"a"},{"nodeId":"n","connectionId":"1.1"},{"userId":"u"},9]]]',
    '[[0,"broker","unsubscribe",["1","a"]],[3,"broker","subscribe",["1","a"]],[4,"broker","publish",[{"kind":"event","appId":"1","channel":"a","text":"{}"}]]]',
    '[[5,"requestRates","take",[[{"name":"a","perSecond":1,"atOnce":2}]]],[6,"occupied","open",["1",""]],[7,"occupied","next",[1]]]',
    '[[8,"idempotencyKeys","claim",[{"appId":"1","key":"k","print":"a","claimId":"c"}]],[9,"sessions","open",[{"appId":"1","key":"k","id":"s"},"1.1",60]]]',
    '[[-1,7],[-2,null,"it failed",true],[10,"channels","valueOf",[]]]',
    'n{"from":"a","subject":"sum","id":"1","content":[1,2]}',
    'n{"from":"a","id":"1","content":3}',
  ],
  batch: 500,
  async run(input) {
    const text = input.toString();
    if (text.startsWith('n')) return rpc.receive({ kind: 'event', appId: '#nodes', channel: 'a', text: text.slice(1) });
    let items: unknown;
    try {
      items = JSON.parse(text);
    } catch {
      return;
    }
    // What is called may be kept.
    if (++taken % 1000 === 0) primary = new Primary();
    primary.answers.length = 0;
    primary.take(items);
    primary.take([call(taken)]);
    await turn();
    const answer = primary.answers.find(([id]) => id === -probe);
    assert.equal((answer?.[1] as { count?: number } | undefined)?.count, 1);
  },
});
