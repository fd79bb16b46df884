import { useAnswer } from '../api/answer.js';
import { ask, pathOf, withQuery } from '../api/ask.js';
import type { ConnectionDetail as Detail } from '../api/contract.js';
import { ActivityTimeline } from '../users/activity-timeline.js';
import { amount, bytes } from '../parts/amounts.js';
import { LinkButton } from '../parts/button.js';
import { ConfirmButton } from '../parts/dialog.js';
import { JsonView } from '../parts/json-view.js';
import { moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Chips, Details, Facts, Failure, Section } from '../parts/words.js';
import { appPath, processName } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';

/** One connection: its user, its channels and its history. */
export function ConnectionDetail(props: {
  readonly app: string;
  readonly socketId: string;
  onClose(): void;
  onEnded(): void;
}) {
  const { app, socketId } = props;
  const path = `${pathOf('apps', app)}/${pathOf('connections', socketId)}`;
  const { value, failure } = useAnswer<Detail>(path, 3000);
  const end = async (): Promise<void> => {
    if (await tried(() => ask('DELETE', path), `Closed ${socketId}.`)) {
      props.onClose();
      props.onEnded();
    }
  };
  return (
    <Details label="Connection" title={socketId} look="mono" onClose={props.onClose}>
      <Failure value={failure} />
      {value && (
        <>
          <div class="row">
            <LinkButton to={withQuery(appPath(app, 'live'), { socket: socketId })}>Live</LinkButton>
            <LinkButton to={withQuery(appPath(app, 'why'), { socket: socketId })}>Why?</LinkButton>
            <ConfirmButton title="Close this connection?" action="Close connection" onConfirm={() => void end()}>
              The client is closed with code 4009, and its SDK does not reconnect by itself.
            </ConfirmButton>
          </div>
          <Facts value={factsOf(value)} />
          {value.userInfo !== null && value.userInfo !== undefined && (
            <Section title="User info">
              <JsonView value={value.userInfo} label="User info" />
            </Section>
          )}
          <Section title="Channels">
            <Chips names={value.channels} to={(name) => appPath(app, pathOf('channels', name))} />
          </Section>
          <Section title="Activity">
            <ActivityTimeline value={value.timeline} />
          </Section>
        </>
      )}
    </Details>
  );
}

const factsOf = (value: Detail) => ({
  User: value.userId && <UserLink id={value.userId} />,
  Connected: moment(value.connectedAt),
  Transport: value.transport === 'websocket' ? 'WebSocket' : 'HTTP',
  Address: <span class="mono">{value.remoteAddress}</span>,
  Origin: value.origin,
  Process: <span class="mono">{processName(value.node)}</span>,
  'Messages sent': value.sent === undefined ? null : amount(value.sent),
  Queued: bytes(value.waitingBytes),
});
