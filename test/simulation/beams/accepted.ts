/** What became of the notifications of one publish. */
export class AcceptedPublish {
  /** By device: how often a gateway has accepted it. */
  readonly times = new Map<string, number>();
  /** By device: how often a node gave up waiting for the answer, which may have been that it is accepted. */
  readonly unheard = new Map<string, number>();
}

/** What the gateways have accepted, by what the notification says. */
export class Accepted {
  count = 0;
  private readonly publishes = new Map<string, AcceptedPublish>();

  of(id: string): AcceptedPublish {
    let publish = this.publishes.get(id);
    if (!publish) this.publishes.set(id, (publish = new AcceptedPublish()));
    return publish;
  }

  add(id: string, deviceId: string): void {
    this.count += 1;
    addOne(this.of(id).times, deviceId);
  }

  unheard(id: string, deviceId: string): void {
    addOne(this.of(id).unheard, deviceId);
  }
}

const addOne = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
