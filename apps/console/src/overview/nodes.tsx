import type { ClusterNode } from '../api/contract.js';
import { amount, bytes, percent } from '../parts/amounts.js';
import { ago, moment } from '../parts/time.js';
import { Badge } from '../parts/words.js';

/** The processes of the cluster, each with its load. */
export const Nodes = ({ value: nodes }: { readonly value: readonly ClusterNode[] }) => (
  <table>
    <thead>
      <tr>
        <th>Process</th>
        <th>Up</th>
        <th class="end">Connections</th>
        <th class="end">Subscriptions</th>
        <th class="end">Triggers/s</th>
        <th class="end">Messages/s</th>
        <th>Processor</th>
        <th class="end">Memory</th>
        <th class="end">Loop delay</th>
      </tr>
    </thead>
    <tbody>
      {nodes.map((node) => (
        <tr key={node.id}>
          <td title={`${node.id}, version ${node.version}`}>
            <span class="mono">
              {node.host}:{node.pid}
            </span>{' '}
            {node.here && <Badge tone="accent">this one</Badge>}
          </td>
          <td title={moment(node.startedAt)}>{ago(node.startedAt).replace(' ago', '')}</td>
          <td class="end number">{amount(node.connections)}</td>
          <td class="end number">{amount(node.subscriptions)}</td>
          <td class="end number">{amount(node.triggersPerSecond)}</td>
          <td class="end number">{amount(node.messagesPerSecond)}</td>
          <td>
            <Load value={node.cpu} />
          </td>
          <td class="end number" title={`Heap ${bytes(node.heapBytes)}`}>
            {bytes(node.rssBytes)}
          </td>
          <td class="end number">{node.loopDelayMs.toFixed(1)} ms</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Load = ({ value: share }: { readonly value: number }) => (
  <div class="row">
    <progress class={share > 0.85 ? 'bad' : ''} value={share} aria-label="Processor" />
    <span class="small number">{percent(share)}</span>
  </div>
);
