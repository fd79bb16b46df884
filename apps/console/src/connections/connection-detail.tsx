import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { ask, pathOf, withQuery } from '../api/ask.js';
import type { ConnectionDetail as Detail } from '../api/contract.js';
import { activityLine } from '../live/activity-words.js';
import { amount, bytes } from '../parts/amounts.js';
import { Confirm } from '../parts/dialog.js';
import { JsonView } from '../parts/json-view.js';
import { moment } from '../parts/time.js';
import { Timeline } from '../parts/timeline.js';
import { tried } from '../parts/toasts.js';
import { Details, Facts, Failure, Section } from '../parts/words.js';
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
  const [asks, setAsks] = useState(false);
  const end = async (): Promise<void> => {
    if (await tried(() => ask('DELETE', path), `Closed ${socketId}.`)) {
      props.onClose();
      props.onEnded();
    }
  };
  return (
    <Details label="Connection" head={<h2 class="mono break">{socketId}</h2>} onClose={props.onClose}>
      <Failure value={failure} />
      {value && (
        <>
          <div class="row">
            <Link class="button" href={withQuery(appPath(app, 'live'), { socket: socketId })}>
              Live
            </Link>
            <Link class="button" href={withQuery(appPath(app, 'why'), { socket: socketId })}>
              Why?
            </Link>
            <button type="button" class="button danger" onClick={() => setAsks(true)}>
              Close connection
            </button>
          </div>
          <Facts value={factsOf(value)} />
          {value.userInfo !== null && value.userInfo !== undefined && (
            <Section title="User info">
              <JsonView value={value.userInfo} label="User info" />
            </Section>
          )}
          <Section title="Channels">
            <div class="chips">
              {value.channels.length === 0 && <span class="faint">none</span>}
              {value.channels.map((name) => (
                <Link key={name} class="badge accent" href={appPath(app, pathOf('channels', name))}>
                  {name}
                </Link>
              ))}
            </div>
          </Section>
          <Recent value={value} />
        </>
      )}
      {asks && (
        <Confirm
          title="Close this connection?"
          action="Close connection"
          onConfirm={() => void end()}
          onClose={() => setAsks(false)}
        >
          The client is closed with code 4009, and its SDK does not reconnect by itself.
        </Confirm>
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
  Waiting: bytes(value.waitingBytes),
});

const Recent = ({ value: { recent } }: { readonly value: Detail }) => (
  <Section title="Activity">
    {recent.length === 0 && <span class="faint">none in the last minutes</span>}
    <Timeline value={recent.toReversed().map((each) => ({ at: each.at, text: activityLine(each) }))} />
  </Section>
);
