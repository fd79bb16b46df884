import { Plug } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import { pathOf, withQuery } from '../api/ask.js';
import type { Connection, Connections } from '../api/contract.js';
import { usePages } from '../api/pages.js';
import { amount, bytes, counted } from '../parts/amounts.js';
import { SearchField } from '../parts/fields.js';
import { ago, moment } from '../parts/time.js';
import { Cell, VirtualRows } from '../parts/virtual-rows.js';
import { Badge, Empty, Failure, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { appPath } from '../shell/whereabouts.js';
import { ConnectionDetail } from './connection-detail.js';

/** The connections of all processes. */
export function ConnectionsPage({ app, chosen }: { readonly app: string; readonly chosen?: string | undefined }) {
  const [query, setQuery] = useSearchParams();
  const search = query.get('search') ?? '';
  const [, go] = useLocation();
  const list = usePages<Connection, Connections>(
    `${pathOf('apps', app)}/connections`,
    { search },
    (page) => page.connections,
  );
  const [now] = useState(Date.now);
  const here = (socketId?: string): void =>
    go(withQuery(appPath(app, pathOf('connections', ...(socketId ? [socketId] : []))), { search }));
  useKeys({ Escape: () => chosen && here(), r: list.reload });
  return (
    <>
      <PageHead
        title="Connections"
        actions={
          <button type="button" class="button" title="r" onClick={list.reload}>
            Refresh
          </button>
        }
      />
      <div class="filters">
        <SearchField
          label="Socket, user, address or channel"
          value={search}
          onChange={(value) => setQuery(value ? { search: value } : {}, { replace: true })}
        />
        <span class="small soft number" role="status">
          {list.first && counted(list.first.total, 'connection')}
        </span>
      </div>
      <Failure of={list.failure} />
      <div class="beside">
        <div class="stack">
          <VirtualRows
            label="Connections"
            count={list.rows.length}
            rowAt={(index) => list.rows[index]!}
            selected={list.rows.findIndex(({ socketId }) => socketId === chosen)}
            onOpen={({ socketId }) => here(socketId)}
            onEnd={list.more}
            columns="minmax(9rem, 17rem) minmax(0, 1fr) 5.5rem 5rem minmax(0, 10rem) 6rem"
            narrow="minmax(0, 1fr) minmax(0, 1fr) 4.5rem"
            head={
              <>
                <Cell head>Socket</Cell>
                <Cell head>User</Cell>
                <Cell head class="wide">
                  Transport
                </Cell>
                <Cell head class="end">
                  Channels
                </Cell>
                <Cell head class="wide">
                  Address
                </Cell>
                <Cell head class="wide end">
                  Connected
                </Cell>
              </>
            }
            cells={(row) => (
              <>
                <Cell class="mono small">{row.socketId}</Cell>
                <Cell>{row.userId ?? <span class="faint">none</span>}</Cell>
                <Cell class="wide">
                  <Badge tone={row.transport === 'websocket' ? '' : 'violet'}>
                    {row.transport === 'websocket' ? 'WebSocket' : 'HTTP'}
                  </Badge>
                </Cell>
                <Cell class="end number" title={row.waitingBytes > 0 ? `${bytes(row.waitingBytes)} wait` : ''}>
                  {amount(row.channels)}
                </Cell>
                <Cell class="wide mono small">{row.remoteAddress}</Cell>
                <Cell class="wide end soft" title={moment(row.connectedAt)}>
                  {ago(row.connectedAt, Math.max(now, row.connectedAt))}
                </Cell>
              </>
            )}
            empty={!list.loading && <NoConnections search={search} />}
          />
        </div>
        {chosen && <ConnectionDetail app={app} socketId={chosen} onClose={() => here()} onEnded={list.reload} />}
      </div>
    </>
  );
}

const clientLines = () => `const pusher = new Pusher('app-key', {
  cluster: 'self',
  wsHost: '${location.hostname}',
  wsPort: ${location.port || 80},
  wssPort: ${location.port || 443},
  forceTLS: ${location.protocol === 'https:'},
  enabledTransports: ['ws', 'wss'],
});
pusher.subscribe('my-channel').bind('my-event', (data) => console.log(data));`;

const NoConnections = ({ search }: { readonly search: string }) =>
  search ? (
    <Empty icon={Plug} title="No matching connection">
      The search matches the beginning of a socket id, a user id or an address.
    </Empty>
  ) : (
    <Empty icon={Plug} title="No connections" code={clientLines()}>
      A browser connects with pusher-js and the key of this app:
    </Empty>
  );
