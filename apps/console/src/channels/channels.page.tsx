import { Hash } from 'lucide-preact';
import { useLocation, useSearchParams } from 'wouter-preact';
import { pathOf, withQuery } from '../api/ask.js';
import type { Channel, Channels } from '../api/contract.js';
import { usePages } from '../api/pages.js';
import { amount } from '../parts/amounts.js';
import { SearchField } from '../parts/fields.js';
import { Cell, VirtualRows } from '../parts/virtual-rows.js';
import { Badge, Empty, Failure, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { appPath } from '../shell/whereabouts.js';
import { ChannelDetail } from './channel-detail.js';
import { toneOfKind } from './kind-tone.js';

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
      <PageHead
        title="Channels"
        actions={
          <button type="button" class="button" title="r" onClick={list.reload}>
            Refresh
          </button>
        }
      />
      <div class="filters">
        <SearchField
          label="Channel"
          value={search}
          onChange={(value) => setQuery(value ? { search: value } : {}, { replace: true })}
        />
      </div>
      <Failure of={list.failure} />
      <div class="beside">
        <div class="stack">
          <VirtualRows
            label="Channels"
            count={list.rows.length}
            rowAt={(index) => list.rows[index]!}
            selected={list.rows.findIndex(({ name }) => name === chosen)}
            onOpen={({ name }) => here(name)}
            onEnd={list.more}
            columns="minmax(0, 1fr) 9rem 7rem 5rem"
            narrow="minmax(0, 1fr) 6rem"
            head={
              <>
                <Cell head>Channel</Cell>
                <Cell head class="wide">
                  Kind
                </Cell>
                <Cell head class="end">
                  Subscriptions
                </Cell>
                <Cell head class="wide end">
                  Users
                </Cell>
              </>
            }
            cells={(row) => (
              <>
                <Cell>{row.name}</Cell>
                <Cell class="wide">
                  <Badge tone={toneOfKind(row.kind)}>{row.kind}</Badge>
                </Cell>
                <Cell class="end number">{amount(row.subscriptions)}</Cell>
                <Cell class="wide end number">{row.users === null ? '' : amount(row.users)}</Cell>
              </>
            )}
            empty={!list.loading && <NoChannels search={search} />}
          />
        </div>
        {chosen && <ChannelDetail app={app} name={chosen} onClose={() => here()} />}
      </div>
    </>
  );
}

const NoChannels = ({ search }: { readonly search: string }) =>
  search ? (
    <Empty icon={Hash} title="No matching channel">
      The search matches any part of a channel's name.
    </Empty>
  ) : (
    <Empty icon={Hash} title="No channel has subscribers" code="npx rookery subscribe my-channel">
      A channel exists while it has subscribers. Subscribe in a terminal:
    </Empty>
  );
