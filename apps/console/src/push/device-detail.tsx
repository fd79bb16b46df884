import { serverNow } from '../api/server-clock.js';
import { Send } from 'lucide-preact';
import { Link } from 'wouter-preact';
import { useAction, useAnswer } from '../api/answer.js';
import { ask, pathOf, withQuery } from '../api/ask.js';
import type { Device, DevicePublishes, DeviceTest } from '../api/contract.js';
import { amount, counted } from '../parts/amounts.js';
import { Button, LinkButton } from '../parts/button.js';
import { ConfirmButton } from '../parts/dialog.js';
import { JsonView } from '../parts/json-view.js';
import { moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Ago, Badge, Chips, Details, Facts, Note, Section } from '../parts/words.js';
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
  const test = useAction(() => ask<DeviceTest>('POST', `${path}/test`, {}));
  const remove = async (): Promise<void> => {
    if (await tried(() => ask('DELETE', path), 'The device was removed.')) props.onRemoved();
  };
  return (
    <Details label="Device" title={device.id} look="mono" onClose={props.onClose}>
      <div class="row">
        {device.userId && (
          <LinkButton to={withQuery(instancePath(instance, 'composer'), { users: device.userId })}>
            Notify the user
          </LinkButton>
        )}
        <Button disabled={test.isRunning} onClick={test.run}>
          <Send size={16} aria-hidden="true" /> Send a test
        </Button>
        <ConfirmButton title="Remove this device?" action="Remove device" onConfirm={() => void remove()}>
          It gets no more notifications. Its SDK registers it again at its next start.
        </ConfirmButton>
      </div>
      {test.isRunning && <p class="faint">Waiting for the answer</p>}
      {test.failure && <Note tone="bad">{test.failure.message}</Note>}
      {test.value && (
        <Note tone={test.value.outcome === 'delivered' ? 'good' : 'bad'}>
          {testSentence(device.platform, test.value)}
        </Note>
      )}
      <Facts
        value={{
          Platform: platformNames[device.platform] ?? device.platform,
          User: device.userId && <UserLink id={device.userId} />,
          'Bundle id': device.bundleId,
          Seen: device.lastSeenAt !== null && moment(device.lastSeenAt),
          'Reported gone': device.goneSince !== null && moment(device.goneSince),
        }}
      />
      <DevicePublishList instance={instance} device={device.id} />
      <Section title="Interests">
        <Chips names={device.interests} to={(interest) => withQuery(instancePath(instance, 'devices'), { interest })} />
      </Section>
      <Section title="Metadata">
        <JsonView value={device.metadata} label="Metadata of the device" />
      </Section>
    </Details>
  );
}

const hourMs = 3_600_000;
const tones: Readonly<Record<string, string>> = { sent: 'good', failed: 'bad', retrying: 'warn' };

/** The publishes that reached the device or failed to; the first tells its last outcome. */
function DevicePublishList({ instance, device }: { readonly instance: string; readonly device: string }) {
  const at = `${pathOf('instances', instance)}/${pathOf('devices', device)}/publishes`;
  const { value } = useAnswer<DevicePublishes>(at, 10_000);
  if (!value) return null;
  const lately = value.publishes.filter(({ at: sentAt }) => sentAt > serverNow() - hourMs);
  const failed = lately.filter(({ outcome }) => outcome === 'failed').length;
  return (
    <Section title="Publishes">
      {lately.length > 0 && (
        <p>
          {counted(lately.length, 'publish', 'publishes')} in the last hour{failed > 0 && `, ${amount(failed)} failed`}
        </p>
      )}
      {value.publishes.length === 0 && (
        <p class="faint">None of the instance's last {value.searched} publishes went to this device.</p>
      )}
      {value.publishes.map(({ publishId, at: sentAt, title, outcome, reason }) => (
        <p key={publishId}>
          <Badge tone={tones[outcome] ?? ''}>{outcome}</Badge>{' '}
          <Link href={instancePath(instance, pathOf('publishes', publishId))}>{title ?? publishId}</Link>{' '}
          <Ago at={sentAt}>{reason !== null && `: ${reason}`}</Ago>
        </p>
      ))}
    </Section>
  );
}
