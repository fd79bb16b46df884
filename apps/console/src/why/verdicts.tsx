import { Link } from 'wouter-preact';
import { pathOf } from '../api/ask.js';
import type { Why } from '../api/contract.js';
import { JsonView } from '../parts/json-view.js';
import { clock } from '../parts/time.js';
import { Timeline } from '../parts/timeline.js';
import { Badge, Facts, Note } from '../parts/words.js';
import { appPath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { notKept, sentenceOf, verdictWords } from './verdict-words.js';

/** The answer: for each socket a verdict, its reason, and the timeline. */
export const Verdicts = ({ app, value: why }: { readonly app: string; readonly value: Why }) => (
  <>
    {!why.event && <Note tone="warn">{notKept(why)}</Note>}
    {why.sockets.map((socket) => {
      const [word, tone] = verdictWords[socket.verdict];
      return (
        <section class="card stack" key={socket.socketId ?? ''}>
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
    {why.event && (
      <section class="card stack">
        <h2 class="break">{why.event.name}</h2>
        <Facts
          value={{
            Channel: why.event.channel,
            At: clock(why.event.at),
            Reached: why.event.reached,
            Excluded: why.event.excluded,
          }}
        />
        {why.event.data !== undefined && <JsonView value={why.event.data} label="Data of the event" />}
      </section>
    )}
  </>
);
