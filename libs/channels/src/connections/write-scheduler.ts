import { Pacer } from './pacer.js';

/** Has bytes to write before the tick ends. */
export interface Writer {
  /** Writes what is due. */
  flush(): void;
}

// Long enough to be worth it, short enough that a broadcast to a large channel does not delay requests and pings.
const sliceMs = 4;
const checkEvery = 64;
const keptWriters = 16_384;

/**
 * Lets every connection write once per tick, however many events are due for it. Channels first hand their frames to
 * their connections, then the connections write. A long round is cut into slices, with the event loop in between.
 * Frames that become due for a connection that has not written yet join the same write, so order is kept. A connection
 * with an answer due does not wait behind a broadcast: everything due for it is written along with the answer. Frames
 * that may wait are written in paced rounds: at once while there are few, and otherwise one write for all that arrived
 * in a pause.
 */
export class WriteScheduler {
  private channels: Writer[] = [];
  private readonly answers = new WriterQueue();
  private readonly broadcasts = new WriterQueue();
  private isScheduled = false;
  private patient: Writer[] = [];
  private isRoundDue = false;
  private readonly rounds = new Pacer(() => {
    this.isRoundDue = true;
    this.schedule();
  });

  channelDue(channel: Writer): void {
    this.channels.push(channel);
    this.schedule();
  }

  /** The same for frames that may wait for the next round. */
  channelDueSoon(channel: Writer): void {
    this.patient.push(channel);
    this.rounds.want();
  }

  /** A broadcast is due. A connection may be added twice: its second flush does nothing. */
  connectionDue(connection: Writer): void {
    this.broadcasts.push(connection);
    this.schedule();
  }

  answerDue(connection: Writer): void {
    this.answers.push(connection);
    this.schedule();
  }

  /** Calls back when everything that is due now is written. */
  whenWritten(called: () => void): void {
    this.channelDue({ flush: () => this.connectionDue({ flush: called }) });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.run);
  }

  private readonly run = (): void => {
    this.isScheduled = false;
    if (this.isRoundDue) this.startRound();
    const channels = this.channels;
    if (channels.length > 0) {
      this.channels = [];
      for (const channel of channels) channel.flush();
    }
    this.answers.flushSlice();
    this.broadcasts.flushSlice();
    const isDone = this.answers.isEmpty && this.broadcasts.isEmpty;
    if (isDone || !this.rounds.isUnderWay) this.rounds.ended();
    if (!isDone) this.schedule();
  };

  private startRound(): void {
    this.isRoundDue = false;
    this.channels = this.channels.concat(this.patient);
    this.patient = [];
    this.rounds.started();
  }
}

/** Writers in the order in which they became due. */
class WriterQueue {
  private writers: Writer[] = [];
  private next = 0;

  get isEmpty(): boolean {
    return this.next === this.writers.length;
  }

  push(writer: Writer): void {
    this.writers.push(writer);
  }

  flushSlice(): void {
    const end = performance.now() + sliceMs;
    while (!this.isEmpty) {
      this.writers[this.next++]!.flush();
      if (this.next % checkEvery === 0 && performance.now() > end) break;
    }
    // Under constant load the queue is never empty, so finished connections are not kept until the end.
    if (this.isEmpty || this.next >= keptWriters) this.forgetFlushed();
  }

  private forgetFlushed(): void {
    this.writers = this.writers.slice(this.next);
    this.next = 0;
  }
}
