import { Smartphone } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { pathOf, withQuery } from '../api/ask.js';
import { usePages } from '../api/pages.js';
import { type Device, type Devices, maxCountedDevices } from '../api/contract.js';
import { counted } from '../parts/amounts.js';
import { Choice } from '../parts/fields.js';
import { type Column, List } from '../parts/list.js';
import { ago, moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Badge, Details, Empty, Note, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { instancePath, overview } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { DeviceDetail } from './device-detail.js';
import { platformNames } from './platforms.js';
import { canRegister, registerThisBrowser } from './this-browser.js';

const ways = { device: 'Device', user: 'User', interest: 'Interest' };
type FindBy = keyof typeof ways;

const columns: readonly Column<Device>[] = [
  { head: 'Platform', cell: ({ platform }) => <Badge>{platformNames[platform] ?? platform}</Badge> },
  { head: 'Device', look: 'mono small', cell: ({ id }) => id },
  { head: 'User', cell: ({ userId }) => <UserLink id={userId} /> },
  { head: 'Interests', place: 'wide', cell: ({ interests }) => interests.join(', ') },
  {
    head: 'Seen',
    place: 'wide end',
    look: 'soft',
    title: ({ lastSeenAt }) => (lastSeenAt === null ? '' : moment(lastSeenAt)),
    cell: ({ lastSeenAt, goneSince }) =>
      goneSince === null ? lastSeenAt !== null && ago(lastSeenAt) : <Badge tone="bad">gone</Badge>,
  },
];

/** The devices, or those of an id, a user or an interest, the latest registered first. */
export function DevicesPage(props: { readonly instance: string; readonly chosen?: string | undefined }) {
  const { instance, chosen } = props;
  const [query, setQuery] = useSearchParams();
  const [, go] = useLocation();
  const given = (Object.keys(ways) as FindBy[]).find((way) => query.get(way));
  const [way, setWay] = useState<FindBy>(given ?? 'interest');
  const [text, setText] = useState((given && query.get(given)) ?? '');
  const asked = given ? { [given]: query.get(given)! } : {};
  const list = usePages<Device, Devices>(`${pathOf('instances', instance)}/devices`, asked, (page) => page.devices);
  const here = (id?: string): void =>
    go(withQuery(instancePath(instance, pathOf('devices', ...(id ? [id] : []))), asked));
  useKeys({ Escape: () => chosen && here() });
  const listed = list.rows.find(({ id }) => id === chosen);
  // A link may name one that is not in the list.
  const path = chosen && !listed ? withQuery(`${pathOf('instances', instance)}/devices`, { device: chosen }) : null;
  const single = useAnswer<Devices>(path);
  const device = listed ?? single.value?.devices[0];

  return (
    <>
      <PageHead
        title="Devices"
        actions={<RegisterBrowser instance={instance} onDone={(id) => (list.reload(), here(id))} />}
      />
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(text ? { [way]: text } : {});
          if (given === way && query.get(way) === text) list.reload();
        }}
      >
        <Choice label="Find by" options={ways} value={way} onChange={setWay} />
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
        <span class="small soft number" role="status">
          {typeof list.first?.total === 'number' &&
            `${counted(list.first.total, 'device')}${list.first.total === maxCountedDevices ? ' or more' : ''}`}
        </span>
        {given && (
          <button
            type="button"
            class="button"
            onClick={() => {
              setText('');
              setQuery({});
            }}
          >
            Show all
          </button>
        )}
      </form>
      <List
        label="Devices"
        pages={list}
        nameOf={({ id }) => id}
        chosen={chosen}
        onOpen={here}
        columns={columns}
        tracks="5.5rem minmax(0, 1.4fr) minmax(0, 1fr) minmax(0, 1fr) 7rem"
        narrow="4.6rem minmax(0, 1fr) minmax(0, 6rem)"
        empty={<NoDevices instance={instance} asked={given !== undefined} />}
      >
        {single.value?.devices.length === 0 && (
          <Details label="Device" head={<h2 class="mono break">{chosen}</h2>} onClose={() => here()}>
            <Note tone="warn">The instance has no device with this id: it was removed, or belongs to another one.</Note>
          </Details>
        )}
        {device && (
          <DeviceDetail
            key={device.id}
            instance={instance}
            value={device}
            onClose={() => here()}
            onRemoved={() => (here(), list.reload())}
          />
        )}
      </List>
    </>
  );
}

/** Makes this browser a device, for a first notification. Only for web push, and where browsers allow it. */
function RegisterBrowser({ instance, onDone }: { readonly instance: string; onDone(id: string): void }) {
  const hasWeb = overview.value?.instances.find(({ id }) => id === instance)?.web;
  if (!hasWeb || !canRegister()) return null;
  const register = async (): Promise<void> => {
    let id = '';
    if (await tried(async () => void (id = await registerThisBrowser(instance)), 'This browser is registered.'))
      onDone(id);
  };
  return (
    <button type="button" class="button" onClick={() => void register()}>
      Register this browser
    </button>
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
    <Empty icon={Smartphone} title="No devices yet" code={clientLines(instance)}>
      A device appears here once its SDK has registered it. In a browser, the SDK does so like this:
    </Empty>
  );
