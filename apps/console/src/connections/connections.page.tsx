import { Plug } from 'lucide-preact';
import { pathOf } from '../api/ask.js';
import type { Connection, Connections } from '../api/contract.js';
import { useListPage } from '../api/list-page.js';
import { amount, bytes, counted } from '../parts/amounts.js';
import { type Column, List, Refresh } from '../parts/list.js';
import { Ago, Badge, Empty, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
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
    sort: 'channels',
    cell: ({ channels }) => amount(channels),
  },
  {
    head: 'Queued',
    place: 'wide end',
    look: 'number',
    sort: 'waitingBytes',
    cell: ({ waitingBytes }) => (waitingBytes > 0 ? bytes(waitingBytes) : ''),
  },
  { head: 'Address', place: 'wide', look: 'mono small', cell: ({ remoteAddress }) => remoteAddress },
  { head: 'Connected', place: 'end', sort: 'connectedAt', cell: ({ connectedAt }) => <Ago at={connectedAt} /> },
];

/** The connections of all processes. */
export function ConnectionsPage({ id: app, chosen }: PageProps) {
  const path = `${pathOf('apps', app)}/connections`;
  const page = useListPage(path, chosen, ['search', 'sort'], ({ connections }: Connections) => connections);
  const { query, list, open } = page;
  return (
    <>
      <PageHead title="Connections" actions={<Refresh value={list} />} />
      <List
        label="Connections"
        page={page}
        search="Socket, user, address or channel"
        total={list.first && counted(list.first.total, 'connection')}
        nameOf={({ socketId }) => socketId}
        columns={columns}
        tracks="minmax(9rem, 17rem) minmax(0, 1fr) 6.5rem 5rem 4rem minmax(0, 8rem) 6.5rem"
        narrow="minmax(0, 1fr) 5rem 6.5rem"
        empty={<NoConnections search={query.search} />}
      >
        {chosen && <ConnectionDetail app={app} socketId={chosen} onClose={() => open()} onEnded={list.reload} />}
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
      The search matches any part of a socket id, a user id, an address or the name of a subscribed channel.
    </Empty>
  ) : (
    <Empty icon={Plug} title="No connections" code={clientLines()}>
      A browser connects with pusher-js and the key of this app:
    </Empty>
  );
