/** So many answers in a row are believed: a single one may come from a proxy, or from one machine of a gateway's many. */
export const believedAnswers = 5;

/** The faults that the gateway of one platform and instance has answered with, one after the other. */
export class FaultStreak {
  private answers = 0;
  private message?: string;

  /** Why nothing can be sent on the platform; undefined unless several answers in a row say so. */
  get fault(): string | undefined {
    return this.answers >= believedAnswers ? this.message : undefined;
  }

  refused(message: string): void {
    this.answers += 1;
    this.message = message;
  }

  /** The gateway has judged a device, so it takes our word for who we are. */
  judged(): void {
    this.answers = 0;
    this.message = undefined;
  }
}
