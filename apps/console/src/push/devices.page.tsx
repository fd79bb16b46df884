import { Smartphone } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import { pathOf, withQuery } from '../api/ask.js';
import { usePages } from '../api/pages.js';
import type { Device, Devices } from '../api/push-contract.js';
import { Choice } from '../parts/fields.js';
import { ago, moment } from '../parts/time.js';
import { Cell, VirtualRows } from '../parts/virtual-rows.js';
import { Badge, Empty, Failure, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { instancePath } from '../shell/whereabouts.js';
import { DeviceDetail } from './device-detail.js';
import { platformNames } from './platforms.js';

const ways = { device: 'Device', user: 'User', interest: 'Interest' };
type Way = keyof typeof ways;

/** Finds devices by id, user or interest. */
export function DevicesPage(props: { readonly instance: string; readonly chosen?: string | undefined }) {
  const { instance, chosen } = props;
  const [query, setQuery] = useSearchParams();
  const [, go] = useLocation();
  const given = (Object.keys(ways) as Way[]).find((way) => query.get(way));
  const [way, setWay] = useState<Way>(given ?? 'interest');
  const [text, setText] = useState((given && query.get(given)) ?? '');
  const asked = given ? { [given]: query.get(given)! } : {};
  const list = usePages<Device, Devices>(
    given ? `${pathOf('instances', instance)}/devices` : null,
    asked,
    (page) => page.devices,
  );
  const here = (id?: string): void =>
    go(withQuery(instancePath(instance, pathOf('devices', ...(id ? [id] : []))), asked));
  useKeys({ Escape: () => chosen && here() });
  const device = list.rows.find(({ id }) => id === chosen);

  return (
    <>
      <PageHead title="Devices" />
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(text ? { [way]: text } : {});
          if (given === way && query.get(way) === text) list.reload();
        }}
      >
        <Choice label="Find by" of={ways} value={way} onChange={setWay} />
        <input
          class="short"
          type="search"
          data-search
          aria-label={`${ways[way]} to find`}
          placeholder={{ device: 'web-…', user: 'alice', interest: 'hello' }[way]}
          value={text}
          onInput={(event) => setText(event.currentTarget.value.trim())}
        />
        <button class="button main">Find</button>
      </form>
      <Failure of={list.failure} />
      <div class="beside">
        <div class="stack">
          <VirtualRows
            label="Devices"
            count={list.rows.length}
            rowAt={(index) => list.rows[index]!}
            selected={list.rows.findIndex(({ id }) => id === chosen)}
            onOpen={({ id }) => here(id)}
            onEnd={list.more}
            columns="5.5rem minmax(0, 1.4fr) minmax(0, 1fr) minmax(0, 1fr) 7rem"
            narrow="4.6rem minmax(0, 1fr) minmax(0, 6rem)"
            head={
              <>
                <Cell head>Platform</Cell>
                <Cell head>Device</Cell>
                <Cell head>User</Cell>
                <Cell head class="wide">
                  Interests
                </Cell>
                <Cell head class="wide end">
                  Seen
                </Cell>
              </>
            }
            cells={(row) => (
              <>
                <Cell>
                  <Badge>{platformNames[row.platform] ?? row.platform}</Badge>
                </Cell>
                <Cell class="mono small">{row.id}</Cell>
                <Cell>{row.userId ?? <span class="faint">none</span>}</Cell>
                <Cell class="wide">{row.interests.join(', ')}</Cell>
                <Cell class="wide end soft" title={row.lastSeenAt === null ? '' : moment(row.lastSeenAt)}>
                  {row.lastSeenAt === null ? '' : ago(row.lastSeenAt)}
                </Cell>
              </>
            )}
            empty={!list.loading && <NoDevices instance={instance} asked={given !== undefined} />}
          />
        </div>
        {device && (
          <DeviceDetail
            key={device.id}
            instance={instance}
            of={device}
            onClose={() => here()}
            onRemoved={() => (here(), list.reload())}
          />
        )}
      </div>
    </>
  );
}

const clientLines = (instanceId: string) => `const client = new PusherPushNotifications.Client({
  instanceId: '${instanceId}',
  endpointOverride: '${location.origin}',
});
await client.start();
await client.addDeviceInterest('hello');`;

const NoDevices = ({ instance, asked }: { readonly instance: string; readonly asked: boolean }) =>
  asked ? (
    <Empty icon={Smartphone} title="No matching device">
      Ids, users and interests must match exactly, including case.
    </Empty>
  ) : (
    <Empty icon={Smartphone} title="Which devices?" code={clientLines(instance)}>
      Find devices by id, user or interest. In a browser, the SDK registers one like this:
    </Empty>
  );
