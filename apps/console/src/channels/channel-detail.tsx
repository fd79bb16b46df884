import { useAnswer } from '../api/answer.js';
import { pathOf, withQuery } from '../api/ask.js';
import type { ChannelDetail as Detail } from '../api/contract.js';
import { amount, counted } from '../parts/amounts.js';
import { LinkButton } from '../parts/button.js';
import { JsonView } from '../parts/json-view.js';
import { duration } from '../parts/time.js';
import { Badge, Details, Facts, Failure, Section } from '../parts/words.js';
import { appPath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { toneOfKind } from './kind-tone.js';

/** Members beyond that are counted, not listed. */
const listedMembers = 200;

/** One channel: its subscribers, and its stored events. */
export function ChannelDetail(props: { readonly app: string; readonly name: string; onClose(): void }) {
  const { app, name } = props;
  const { value, failure } = useAnswer<Detail>(`${pathOf('apps', app)}/${pathOf('channels', name)}`, 3000);
  return (
    <Details label="Channel" title={name} onClose={props.onClose}>
      <Failure value={failure} />
      {value && (
        <>
          <div class="row">
            <Badge tone={toneOfKind(value.kind)}>{value.kind}</Badge>
            <Badge tone={value.occupied ? 'good' : ''}>{value.occupied ? 'occupied' : 'vacated'}</Badge>
          </div>
          <div class="row">
            <LinkButton to={withQuery(appPath(app, 'live'), { channel: name })}>Live</LinkButton>
            <LinkButton to={withQuery(appPath(app, 'events'), { channel: name })}>Send an event</LinkButton>
          </div>
          <Facts
            value={{
              Subscriptions: amount(value.subscriptions),
              'Events a second': value.eventsPerSecond === 0 ? null : amount(value.eventsPerSecond),
              Users: value.users === null ? null : amount(value.users),
              History:
                value.history &&
                `the last ${counted(value.history.events, 'event')}, for ${duration(value.history.seconds * 1000)}`,
            }}
          />
          {value.members && <Members value={value.members} />}
          {value.cached && (
            <Section title={<>Cached event: {value.cached.name}</>}>
              <JsonView value={value.cached.data} label="The cached event" />
            </Section>
          )}
        </>
      )}
    </Details>
  );
}

const Members = ({ value: members }: { readonly value: NonNullable<Detail['members']> }) => (
  <Section title={counted(members.length, 'member')}>
    <ul class="members">
      {members.slice(0, listedMembers).map(({ id, info }) => (
        <li key={id}>
          <span class="break">
            <UserLink id={id} />
          </span>
          {info !== null && info !== undefined && <code class="faint break">{JSON.stringify(info)}</code>}
        </li>
      ))}
    </ul>
    {members.length > listedMembers && <p class="faint">and {amount(members.length - listedMembers)} more</p>}
  </Section>
);
