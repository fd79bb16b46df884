import { Hash } from 'lucide-preact';
import { pathOf } from '../api/ask.js';
import type { Channel, Channels } from '../api/contract.js';
import { useListPage } from '../api/list-page.js';
import { amount, counted } from '../parts/amounts.js';
import { rookery } from '../parts/command.js';
import { type Column, List, Refresh } from '../parts/list.js';
import { Badge, Empty, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
import { ChannelDetail } from './channel-detail.js';
import { toneOfKind } from './kind-tone.js';

const columns: readonly Column<Channel>[] = [
  { head: 'Channel', cell: ({ name }) => name },
  { head: 'Kind', place: 'wide', cell: ({ kind }) => <Badge tone={toneOfKind(kind)}>{kind}</Badge> },
  {
    head: 'Events/s',
    place: 'wide end',
    look: 'number',
    sort: 'events',
    cell: ({ eventsPerSecond }) => (eventsPerSecond === 0 ? '' : amount(eventsPerSecond)),
  },
  {
    head: 'Subscriptions',
    place: 'end',
    look: 'number',
    sort: 'subscriptions',
    cell: ({ subscriptions }) => amount(subscriptions),
  },
  { head: 'Users', place: 'wide end', look: 'number', cell: ({ users }) => (users === null ? '' : amount(users)) },
];

/** The occupied channels. */
export function ChannelsPage({ id: app, chosen }: PageProps) {
  const path = `${pathOf('apps', app)}/channels`;
  const page = useListPage(path, chosen, ['search', 'sort'], ({ channels }: Channels) => channels);
  const { query, list, open } = page;
  return (
    <>
      <PageHead title="Channels" actions={<Refresh value={list} />} />
      <List
        label="Channels"
        page={page}
        search="Part of a channel's name"
        total={list.first && totalOf(list.first, query.sort)}
        nameOf={({ name }) => name}
        columns={columns}
        tracks="minmax(0, 1fr) 9rem 6rem 8rem 5rem"
        narrow="minmax(0, 1fr) 6rem"
        empty={<NoChannels search={query.search} />}
      >
        {chosen && <ChannelDetail app={app} name={chosen} onClose={() => open()} />}
      </List>
    </>
  );
}

const totalOf = ({ total, compared, channels }: Channels, sort: string): string =>
  `${counted(total, 'channel')}${
    sort === ''
      ? ''
      : `, the first ${amount(channels.length)} by ${sort}${compared < total ? ` of ${amount(compared)} compared` : ''}`
  }`;

const NoChannels = ({ search }: { readonly search: string }) =>
  search ? (
    <Empty icon={Hash} title="No matching channel">
      The search matches any part of a channel's name.
    </Empty>
  ) : (
    <Empty icon={Hash} title="No channel has subscribers" code={rookery('subscribe my-channel')}>
      A channel exists while it has subscribers. Subscribe in a terminal:
    </Empty>
  );
