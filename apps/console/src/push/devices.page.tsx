import { Smartphone } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { useAnswer } from '../api/answer.js';
import { pathOf, withQuery } from '../api/ask.js';
import { type Device, type Devices, maxCountedDevices } from '../api/contract.js';
import { useListPage } from '../api/list-page.js';
import { counted } from '../parts/amounts.js';
import { Button, Form, Submit } from '../parts/button.js';
import { Choice, SearchInput } from '../parts/fields.js';
import { type Column, List } from '../parts/list.js';
import { tried } from '../parts/toasts.js';
import { Ago, Badge, Details, Empty, Note, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
import { overview } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { DeviceDetail } from './device-detail.js';
import { platformNames } from './platforms.js';
import { canRegister, registerThisBrowser } from './this-browser.js';

const ways = { device: 'Device', user: 'User', interest: 'Interest' };
type FindBy = keyof typeof ways;
const findBy = Object.keys(ways) as FindBy[];
const nothing: Readonly<Record<FindBy, string>> = { device: '', user: '', interest: '' };

const columns: readonly Column<Device>[] = [
  { head: 'Platform', cell: ({ platform }) => <Badge>{platformNames[platform] ?? platform}</Badge> },
  { head: 'Device', look: 'mono small', cell: ({ id }) => id },
  { head: 'User', cell: ({ userId }) => <UserLink id={userId} /> },
  { head: 'Interests', place: 'wide', cell: ({ interests }) => interests.join(', ') },
  {
    head: 'Seen',
    place: 'wide end',
    cell: ({ lastSeenAt, goneSince }) =>
      goneSince === null ? lastSeenAt !== null && <Ago at={lastSeenAt} /> : <Badge tone="bad">gone</Badge>,
  },
];

/** The devices, or those of an id, a user or an interest, the latest registered first. */
export function DevicesPage({ id: instance, chosen }: PageProps) {
  const path = `${pathOf('instances', instance)}/devices`;
  const page = useListPage(path, chosen, findBy, ({ devices }: Devices) => devices);
  const { query, list, open, ask } = page;
  const given = findBy.find((way) => query[way]);
  const [way, setWay] = useState<FindBy>(given ?? 'interest');
  const [text, setText] = useState((given && query[given]) ?? '');
  const find = (found: string): void => ask({ ...nothing, [way]: found });
  const listed = list.rows.find(({ id }) => id === chosen);
  // A link may name one that is not in the list.
  const single = useAnswer<Devices>(chosen && !listed ? withQuery(path, { device: chosen }) : null);
  const device = listed ?? single.value?.devices[0];

  return (
    <>
      <PageHead
        title="Devices"
        actions={<RegisterBrowser instance={instance} onDone={(id) => (list.reload(), open(id))} />}
      />
      <Form
        class="row"
        onSubmit={() => {
          find(text);
          if (given === way && query[way] === text) list.reload();
        }}
      >
        <Choice label="Find by" options={ways} value={way} onChange={setWay} />
        <SearchInput
          class="short"
          data-search
          aria-label={`${ways[way]} to find`}
          placeholder={{ device: 'web-…', user: 'alice', interest: 'hello' }[way]}
          value={text}
          onChange={(given) => setText(given.trim())}
        />
        <Submit>Find</Submit>
        <span class="small soft number" role="status">
          {typeof list.first?.total === 'number' &&
            `${counted(list.first.total, 'device')}${list.first.total === maxCountedDevices ? ' or more' : ''}`}
        </span>
        {given && (
          <Button
            onClick={() => {
              setText('');
              find('');
            }}
          >
            Show all
          </Button>
        )}
      </Form>
      <List
        label="Devices"
        page={page}
        nameOf={({ id }) => id}
        columns={columns}
        tracks="5.5rem minmax(0, 21.5rem) minmax(0, 1fr) minmax(0, 1.4fr) 6.5rem"
        narrow="4.6rem minmax(0, 1fr) minmax(0, 6rem)"
        empty={<NoDevices instance={instance} asked={given !== undefined} />}
      >
        {single.value?.devices.length === 0 && (
          <Details label="Device" title={chosen} look="mono" onClose={() => open()}>
            <Note tone="warn">The instance has no device with this id: it was removed, or belongs to another one.</Note>
          </Details>
        )}
        {device && (
          <DeviceDetail
            key={device.id}
            instance={instance}
            value={device}
            onClose={() => open()}
            onRemoved={() => (open(), list.reload())}
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
  return <Button onClick={() => void register()}>Register this browser</Button>;
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
