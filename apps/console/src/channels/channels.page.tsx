import { Hash } from 'lucide-preact';
import { useLocation, useSearchParams } from 'wouter-preact';
import { pathOf, withQuery } from '../api/ask.js';
import type { Channel, Channels } from '../api/contract.js';
import { usePages } from '../api/pages.js';
import { amount } from '../parts/amounts.js';
import { rookery } from '../parts/command.js';
import { SearchField } from '../parts/fields.js';
import { type Column, List, Refresh } from '../parts/list.js';
import { Badge, Empty, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { appPath } from '../shell/whereabouts.js';
import { ChannelDetail } from './channel-detail.js';
import { toneOfKind } from './kind-tone.js';

const columns: readonly Column<Channel>[] = [
  { head: 'Channel', cell: ({ name }) => name },
  { head: 'Kind', place: 'wide', cell: ({ kind }) => <Badge tone={toneOfKind(kind)}>{kind}</Badge> },
  { head: 'Subscriptions', place: 'end', look: 'number', cell: ({ subscriptions }) => amount(subscriptions) },
  { head: 'Users', place: 'wide end', look: 'number', cell: ({ users }) => (users === null ? '' : amount(users)) },
];

/** The occupied channels. */
export function ChannelsPage({ app, chosen }: { readonly app: string; readonly chosen?: string | undefined }) {
  const [query, setQuery] = useSearchParams();
  const search = query.get('search') ?? '';
  const [, go] = useLocation();
  const list = usePages<Channel, Channels>(`${pathOf('apps', app)}/channels`, { search }, (page) => page.channels);
  const here = (name?: string): void =>
    go(withQuery(appPath(app, pathOf('channels', ...(name ? [name] : []))), { search }));
  useKeys({ Escape: () => chosen && here(), r: list.reload });
  return (
    <>
      <PageHead title="Channels" actions={<Refresh value={list} />} />
      <div class="filters">
        <SearchField
          label="Channel"
          value={search}
          onChange={(value) => setQuery(value ? { search: value } : {}, { replace: true })}
        />
      </div>
      <List
        label="Channels"
        pages={list}
        nameOf={({ name }) => name}
        chosen={chosen}
        onOpen={here}
        columns={columns}
        tracks="minmax(0, 1fr) 9rem 7rem 5rem"
        narrow="minmax(0, 1fr) 6rem"
        empty={<NoChannels search={search} />}
      >
        {chosen && <ChannelDetail app={app} name={chosen} onClose={() => here()} />}
      </List>
    </>
  );
}

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
