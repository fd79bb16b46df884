import { Get, Param, Query, UseGuards } from '@nestjs/common';
import { NodeRpc } from 'rookery/channels';
import { RookeryController } from 'rookery/common';
import { ConsoleGuard } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import type { Why, WhySocket } from '../contract.js';
import { badRequest } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { eventIn, withoutPayload } from '../watch/activity.js';
import type { WhyFacts, WhyQuestion } from './facts.js';
import { timelineOf } from './timeline.js';
import { type AskedEvent, verdictOf } from './verdict.js';

/** `GET /console/api/apps/:app/why`: whether a connection or user got an event, and why not. */
@RookeryController('console/api/apps/:app/why')
@UseGuards(ConsoleGuard)
export class WhyController {
  constructor(
    private readonly apps: AppInPath,
    private readonly calls: NodeRpc,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  async why(@Param('app') id: string, @Query() query: Readonly<Record<string, unknown>>): Promise<Why> {
    const question = questionOf(query);
    const app = await this.apps.findTraced(id);
    const { answers, missing } = await this.calls.askAll<WhyFacts>('why', { ...question, appId: app.id });
    const sent = answers.find(({ answer }) => answer.event)?.answer.event ?? null;
    const asked: AskedEvent = { ...eventIn(question.event)!, sent };
    const facts = answers.flatMap(({ answer }) => answer.sockets);
    const sockets = facts.map((each) => ({
      socketId: each.socketId,
      userId: each.userId,
      ...verdictOf(asked, each),
      timeline: timelineOf(asked, each),
    }));
    const { socketId } = question;
    const isUnknown = sockets.length === 0 && socketId !== undefined;
    return {
      event: sent && this.settings.hidePayloads ? withoutPayload(sent) : sent,
      sockets: isUnknown ? [nobody(socketId, missing)] : sockets,
    };
  }
}

/** @throws ConsoleError 400 */
function questionOf({ event, socket, user }: Readonly<Record<string, unknown>>): Omit<WhyQuestion, 'appId'> {
  if (typeof event !== 'string' || !eventIn(event)) throw badRequest('event must be the id of an event.');
  if (typeof socket === 'string' && socket !== '') return { event, socketId: socket };
  if (typeof user === 'string' && user !== '') return { event, userId: user };
  throw badRequest('Name a socket or a user.');
}

const nobody = (socketId: string, missing: number): WhySocket => ({
  socketId,
  userId: null,
  ...(missing > 0
    ? { verdict: 'unknown', reason: 'not_traced', text: 'A process did not answer: it may have the connection.' }
    : {
        verdict: 'not_delivered',
        reason: 'not_connected',
        text: 'No process has this connection, or had it while the console was open.',
      }),
  timeline: [],
});
