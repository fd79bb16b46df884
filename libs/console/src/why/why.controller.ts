import { Get, Query } from '@nestjs/common';
import type { App } from 'rookery/channels';
import { ConsoleController } from '../access/console.guard.js';
import { InApp } from '../channels/app-in-path.js';
import type { Refusals, Verdict, Why, WhySocket } from '../contract/index.js';
import { badRequest } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { Processes } from '../processes/processes.js';
import { eventIn, withoutPayload } from '../watch/activity.js';
import { ArchivedFacts } from './archived-facts.js';
import type { DeliveryFacts, SocketFacts, WhyQuestion } from '../watch/delivery-facts.js';
import { timelineOf } from './timeline.js';
import { absentSocket, type AskedEvent, latestFirst, offlineUser, verdictOf, type CurrentLocation } from './verdict.js';

const maxRefusals = 50;

@ConsoleController('apps/:app')
export class WhyController {
  constructor(
    private readonly processes: Processes,
    private readonly archived: ArchivedFacts,
    private readonly settings: ConsoleSettings,
  ) {}

  /** Whether a connection or user got an event, and why not. */
  @Get('why')
  async why(@InApp() app: App, @Query() query: Readonly<Record<string, unknown>>): Promise<Why> {
    const question = questionOf(query);
    const asks = { ...question, appId: app.id };
    const { answers, missing } = await this.processes.read('deliveryFacts', asks);
    const known = answers.map(({ answer }) => answer);
    const all = await this.archived.addedTo(known, asks, missing);
    const sent = all.find(({ event }) => event)?.event ?? null;
    const asked: AskedEvent = { ...eventIn(question.event)!, sent };
    const sockets = all.flatMap((each) => each.sockets).toSorted(latestFirst);
    const judged = sockets.map((facts) => ({ facts, verdict: verdictOf(asked, facts) }));
    const skippedAt = Math.max(0, ...all.map((each) => each.skippedAt));
    return {
      event: sent && this.settings.hidePayloads ? withoutPayload(sent) : sent,
      sockets: [
        ...absenceOf(app.id, question, asked, judged, currentLocationOf(all, missing)),
        ...judged.map(({ facts, verdict }) => ({
          socketId: facts.socketId,
          userId: facts.userId,
          ...verdict,
          timeline: timelineOf(asked, facts),
        })),
      ],
      since: Math.max(...all.map(({ eventsSince }) => eventsSince)),
      skippedAt: skippedAt === 0 ? null : skippedAt,
    };
  }

  /** The connections that were refused, by all processes. */
  @Get('refusals')
  async refusals(@InApp() app: App): Promise<Refusals> {
    const all = (await this.processes.all('refusals', { appId: app.id, most: maxRefusals })).flat();
    return { refusals: all.toSorted((left, right) => right.at - left.at).slice(0, maxRefusals) };
  }
}

/** @throws ConsoleError 400 */
function questionOf({ event, socket, user }: Readonly<Record<string, unknown>>): Omit<WhyQuestion, 'appId'> {
  if (typeof event !== 'string' || !eventIn(event)) throw badRequest('event must be the id of an event.');
  if (typeof socket === 'string' && socket !== '') return { event, socketId: socket };
  if (typeof user === 'string' && user !== '') return { event, userId: user };
  throw badRequest('Name a socket or a user.');
}

const currentLocationOf = (all: readonly DeliveryFacts[], missing: number): CurrentLocation => ({
  connectedElsewhere: all.flatMap(({ connectedElsewhere }) => connectedElsewhere),
  elsewhere: all.flatMap(({ elsewhere }) => elsewhere),
  since: Math.max(...all.map(({ since }) => since)),
  missing,
});

/** What to say first if the socket or the user was not here. */
function absenceOf(
  appId: string,
  { socketId, userId = '' }: Omit<WhyQuestion, 'appId'>,
  asked: AskedEvent,
  judged: readonly { readonly facts: SocketFacts; readonly verdict: Verdict }[],
  location: CurrentLocation,
): readonly WhySocket[] {
  if (socketId !== undefined)
    return judged.length > 0 ? [] : [{ socketId, userId: null, ...absentSocket(location, appId), timeline: [] }];
  const absent = offlineUser(asked, userId, judged, location, appId);
  return absent ? [{ socketId: null, userId, ...absent, timeline: [] }] : [];
}
