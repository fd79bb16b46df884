import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ask, pathOf, withQuery } from '../api/ask.js';
import type { Device } from '../api/contract.js';
import { Confirm } from '../parts/dialog.js';
import { JsonView } from '../parts/json-view.js';
import { moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Details, Facts, Section } from '../parts/words.js';
import { instancePath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { platformNames } from './platforms.js';

/** One device: its user and its interests. */
export function DeviceDetail(props: {
  readonly instance: string;
  readonly value: Device;
  onClose(): void;
  onRemoved(): void;
}) {
  const { instance, value: device } = props;
  const [asks, setAsks] = useState(false);
  const remove = async (): Promise<void> => {
    const path = `${pathOf('instances', instance)}/${pathOf('devices', device.id)}`;
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
        <button type="button" class="button danger" onClick={() => setAsks(true)}>
          Remove device
        </button>
      </div>
      <Facts
        value={{
          Platform: platformNames[device.platform] ?? device.platform,
          User: device.userId && <UserLink id={device.userId} />,
          Seen: device.lastSeenAt === null ? null : moment(device.lastSeenAt),
        }}
      />
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
