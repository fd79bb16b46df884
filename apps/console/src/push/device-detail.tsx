import { Send } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { ask, pathOf, Refusal, withQuery } from '../api/ask.js';
import type { Device, DevicePublishes, DeviceTest } from '../api/contract.js';
import { Confirm } from '../parts/dialog.js';
import { JsonView } from '../parts/json-view.js';
import { ago, moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Badge, Details, Facts, Note, Section } from '../parts/words.js';
import { instancePath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { platformNames } from './platforms.js';
import { testSentence } from './test-words.js';

/** One device: its user and its interests. */
export function DeviceDetail(props: {
  readonly instance: string;
  readonly value: Device;
  onClose(): void;
  onRemoved(): void;
}) {
  const { instance, value: device } = props;
  const path = `${pathOf('instances', instance)}/${pathOf('devices', device.id)}`;
  const [asks, setAsks] = useState(false);
  const [test, setTest] = useState<DeviceTest | 'running' | Refusal>();
  const send = async (): Promise<void> => {
    setTest('running');
    try {
      setTest(await ask<DeviceTest>('POST', `${path}/test`, {}));
    } catch (error) {
      setTest(error instanceof Refusal ? error : new Refusal(0, String(error)));
    }
  };
  const remove = async (): Promise<void> => {
    if (await tried(() => ask('DELETE', path), 'The device was removed.')) props.onRemoved();
  };
  return (
    <Details label="Device" head={<h2 class="mono break">{device.id}</h2>} onClose={props.onClose}>
      <div class="row">
        {device.userId && (
          <Link class="button" href={withQuery(instancePath(instance, 'composer'), { users: device.userId })}>
            Notify the user
          </Link>
        )}
        <button type="button" class="button" disabled={test === 'running'} onClick={() => void send()}>
          <Send size={16} aria-hidden="true" /> Send a test
        </button>
        <button type="button" class="button danger" onClick={() => setAsks(true)}>
          Remove device
        </button>
      </div>
      {test === 'running' && <p class="faint">Waiting for the answer</p>}
      {test instanceof Refusal && <Note tone="bad">{test.message}</Note>}
      {typeof test === 'object' && !(test instanceof Refusal) && (
        <Note tone={test.outcome === 'delivered' ? 'good' : 'bad'}>{testSentence(device.platform, test)}</Note>
      )}
      <Facts
        value={{
          Platform: platformNames[device.platform] ?? device.platform,
          User: device.userId && <UserLink id={device.userId} />,
          'Bundle id': device.bundleId,
          Seen: device.lastSeenAt === null ? null : moment(device.lastSeenAt),
          'Reported gone': device.goneSince === null ? null : moment(device.goneSince),
        }}
      />
      <DevicePublishList instance={instance} device={device.id} />
      <Section title="Interests">
        <div class="chips">
          {device.interests.length === 0 && <span class="faint">none</span>}
          {device.interests.map((name) => (
            <Link
              key={name}
              class="badge accent"
              href={withQuery(instancePath(instance, 'devices'), { interest: name })}
            >
              {name}
            </Link>
          ))}
        </div>
      </Section>
      <Section title="Metadata">
        <JsonView value={device.metadata} label="Metadata of the device" />
      </Section>
      {asks && (
        <Confirm
          title="Remove this device?"
          action="Remove device"
          onConfirm={() => void remove()}
          onClose={() => setAsks(false)}
        >
          It gets no more notifications. Its SDK registers it again at its next start.
        </Confirm>
      )}
    </Details>
  );
}

const tones: Readonly<Record<string, string>> = { sent: 'good', failed: 'bad', retrying: 'warn' };

/** The publishes that reached the device or failed to; the first tells its last outcome. */
function DevicePublishList({ instance, device }: { readonly instance: string; readonly device: string }) {
  const at = `${pathOf('instances', instance)}/${pathOf('devices', device)}/publishes`;
  const { value } = useAnswer<DevicePublishes>(at, 10_000);
  if (!value) return null;
  return (
    <Section title="Publishes">
      {value.publishes.length === 0 && (
        <p class="faint">None of the instance's last {value.searched} publishes went to this device.</p>
      )}
      {value.publishes.map(({ publishId, at: sentAt, title, outcome, reason }) => (
        <p key={publishId}>
          <Badge tone={tones[outcome] ?? ''}>{outcome}</Badge>{' '}
          <Link href={instancePath(instance, pathOf('publishes', publishId))}>{title ?? publishId}</Link>{' '}
          <span class="small soft" title={moment(sentAt)}>
            {ago(sentAt)}
            {reason !== null && `: ${reason}`}
          </span>
        </p>
      ))}
    </Section>
  );
}
