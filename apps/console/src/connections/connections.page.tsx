import { Plug } from 'lucide-preact';
import { useLocation, useSearchParams } from 'wouter-preact';
import { pathOf, withQuery } from '../api/ask.js';
import type { Connection, Connections } from '../api/contract.js';
import { usePages } from '../api/pages.js';
import { amount, bytes, counted } from '../parts/amounts.js';
import { SearchField } from '../parts/fields.js';
import { type Column, List, Refresh } from '../parts/list.js';
import { ago, moment } from '../parts/time.js';
import { Badge, Empty, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { appPath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { ConnectionDetail } from './connection-detail.js';

const columns: readonly Column<Connection>[] = [
  { head: 'Socket', place: 'wide', look: 'mono small', cell: ({ socketId }) => socketId },
  {
    head: 'User',
    cell: ({ userId, socketId }) => (
      <>
        <UserLink id={userId} /> <span class="narrow mono small faint">{socketId}</span>
      </>
    ),
  },
  {
    head: 'Transport',
    place: 'wide',
    cell: ({ transport }) => (
      <Badge tone={transport === 'websocket' ? '' : 'violet'}>{transport === 'websocket' ? 'WebSocket' : 'HTTP'}</Badge>
    ),
  },
  {
    head: 'Channels',
    place: 'end',
    look: 'number',
    title: ({ waitingBytes }) => (waitingBytes > 0 ? `${bytes(waitingBytes)} wait` : ''),
    cell: ({ channels }) => amount(channels),
  },
  { head: 'Address', place: 'wide', look: 'mono small', cell: ({ remoteAddress }) => remoteAddress },
  {
    head: 'Connected',
    place: 'end',
    look: 'soft',
    title: ({ connectedAt }) => moment(connectedAt),
    cell: ({ connectedAt }) => ago(connectedAt, Math.max(Date.now(), connectedAt)),
  },
];

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
  const here = (socketId?: string): void =>
    go(withQuery(appPath(app, pathOf('connections', ...(socketId ? [socketId] : []))), { search }));
  useKeys({ Escape: () => chosen && here(), r: list.reload });
  return (
    <>
      <PageHead title="Connections" actions={<Refresh value={list} />} />
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
      <List
        label="Connections"
        pages={list}
        nameOf={({ socketId }) => socketId}
        chosen={chosen}
        onOpen={here}
        columns={columns}
        tracks="minmax(9rem, 17rem) minmax(0, 1fr) 5.5rem 5rem minmax(0, 10rem) 6rem"
        narrow="minmax(0, 1fr) 4.5rem 5.5rem"
        empty={<NoConnections search={search} />}
      >
        {chosen && <ConnectionDetail app={app} socketId={chosen} onClose={() => here()} onEnded={list.reload} />}
      </List>
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
