import { Link } from 'wouter-preact';
import { pathOf } from '../api/ask.js';
import type { Verdict, Why } from '../api/contract.js';
import { JsonView } from '../parts/json-view.js';
import { clock, moment } from '../parts/time.js';
import { Timeline } from '../parts/timeline.js';
import { Badge, Facts, Note } from '../parts/words.js';
import { appPath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';

const verdicts = {
  delivered: ['delivered', 'good'],
  not_delivered: ['not delivered', 'bad'],
  unknown: ['not known', 'warn'],
} as const;

const when = (at: number): string => (Date.now() - at < 43_200_000 ? clock(at).slice(0, 8) : moment(at));

/** The text, with its time as the viewer's clock shows it. */
const sentenceOf = ({ text, at }: Verdict): string => (at === undefined ? text : text.replace('{at}', () => when(at)));

/** The answer: for each socket a verdict, its reason, and the timeline. */
export const Verdicts = ({
  app,
  value: { event, sockets, since, skippedAt },
}: {
  readonly app: string;
  readonly value: Why;
}) => (
  <>
    {!event && (
      <Note tone="warn">
        The server does not keep this event: it keeps events since {when(since)}.
        {skippedAt !== null && ` Until ${when(skippedAt)}, there were too many in a second to keep them all.`}
      </Note>
    )}
    {sockets.map((socket) => {
      const [word, tone] = verdicts[socket.verdict];
      return (
        <section class="card verdict" key={socket.socketId ?? ''}>
          <div class="row">
            <Badge tone={tone}>{word}</Badge>
            {socket.socketId && (
              <Link class="mono small" href={appPath(app, pathOf('connections', socket.socketId))}>
                {socket.socketId}
              </Link>
            )}
            {socket.userId && (
              <span class="small">
                <UserLink id={socket.userId} />
              </span>
            )}
          </div>
          <p class="break">{sentenceOf(socket)}</p>
          <Timeline value={socket.timeline} />
        </section>
      );
    })}
    {event && (
      <section class="card stack">
        <h2 class="break">{event.name}</h2>
        <Facts
          value={{ Channel: event.channel, At: clock(event.at), Reached: event.reached, Excluded: event.excluded }}
        />
        {event.data !== undefined && <JsonView value={event.data} label="Data of the event" />}
      </section>
    )}
  </>
);
