import { Injectable } from '@nestjs/common';
import { NodeRpc } from '../../broker/node-rpc.js';
import type { Connection } from '../../connections/connection.js';
import { Slot } from '../../connections/slot.js';
import { Hub } from '../../hub/hub.js';
import { sessionsOf } from '../../protocol/reserved-channels.js';
import { type PageAnswer, pageAnswer, type PageQuestion } from './page-question.js';
import { frame } from './reply-texts.js';

/** A question that a page was sent, the process that asked, and until when it waits. */
interface Asked {
  readonly from: string;
  readonly until: number;
  isAnswered: boolean;
}

/** The questions of servers to the pages that are connected to this process. */
@Injectable()
export class PageQuestions {
  private readonly asked = new Slot<Map<string, Asked>>();

  constructor(
    private readonly hub: Hub,
    private readonly rpc: NodeRpc,
  ) {}

  /** `{"event":"rookery:ask","data":"{\"id\":\"…\",\"name\":\"confirm\",\"data\":…}"}` @returns how many connections were asked */
  ask(question: PageQuestion): number {
    const { id, name, json, from, timeoutMs } = question;
    const connections = this.connectionsOf(question);
    const text = frame('rookery:ask', undefined, `{"id":"${id}","name":${JSON.stringify(name)},"data":${json}}`);
    for (const connection of connections) {
      const asked = this.asked.of(connection) ?? this.asked.set(connection, new Map<string, Asked>());
      for (const [old, { until }] of asked) if (until < performance.now()) asked.delete(old);
      asked.set(id, { from, until: performance.now() + timeoutMs, isAnswered: false });
      connection.send(text);
    }
    return connections.length;
  }

  /** Only the first answer of a connection counts. One to no question of now counts as a message that only keeps it alive. */
  answered(connection: Connection, answer: PageAnswer): void {
    const asked = this.asked.of(connection)?.get(answer.id);
    if (!asked || asked.isAnswered) return connection.onHeartbeat();
    asked.isAnswered = true;
    this.rpc.notify(asked.from, pageAnswer, answer);
  }

  private connectionsOf({ appId, userId, socketId }: PageQuestion): readonly Connection[] {
    if (userId !== undefined) return [...this.hub.on({ appId, channel: sessionsOf(userId) })];
    return [...this.hub.connections].filter((each) => each.socketId === socketId && each.app.id === appId);
  }
}
