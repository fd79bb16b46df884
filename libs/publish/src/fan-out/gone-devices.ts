import { Inject, Injectable, Logger } from '@nestjs/common';
import { type DeviceAddress, DeviceRemovals, DeviceRepository, type Platform } from 'rookery/internal/push-device';
import { PublishMetrics } from '../metrics.js';
import { type Clock, publishClock, PublishSettings } from '../publish.options.js';
import type { GoneDevice } from './page-outcome.js';

/** How many of a gateway's answers are remembered: the more there are, the less the earlier ones count. */
const recentAnswers = 1000;

/** The gateway of one platform of one instance. */
interface Gateway {
  readonly instanceId: string;
  readonly platform: Platform;
}

/** A gateway's answers: how many devices accepted a notification, and how many it reported gone. */
interface Answers {
  readonly sent: number;
  readonly gone: number;
}

/** A gateway's answers to a page, or to a few devices that it answers later. */
interface JudgedPage {
  readonly sent: readonly DeviceAddress[];
  readonly gone: readonly GoneDevice[];
}

/**
 * Removes devices that their gateway reports gone, and protects an audience from mass removal: a sandbox key, a wrong
 * project or a gateway fault looks exactly like uninstalled applications.
 *
 * A device is removed at once if the other answers to its page make that plausible, or few are gone. Otherwise it is
 * only marked: it stays in its audiences, and the mark ends when it registers again or accepts a notification. It is
 * removed if it is still reported gone after `removeGoneAfterMs`, and the gateway accepts other devices then.
 */
@Injectable()
export class GoneDevices {
  private readonly logger = new Logger('Fan-out');
  /** By gateway. Only this process's answers: a process that has none removes no marked device. */
  private readonly recent = new Map<string, Answers>();
  private readonly warned = new Set<string>();

  constructor(
    private readonly settings: PublishSettings,
    private readonly devices: DeviceRepository,
    private readonly removals: DeviceRemovals,
    private readonly metrics: PublishMetrics,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  /** Takes a page's answers. Returns the number of devices removed. */
  async judged(gateway: Gateway, { sent, gone }: JudgedPage): Promise<number> {
    const { instanceId } = gateway;
    const refuted = sent.filter(({ goneSince }) => goneSince !== undefined).map(({ id }) => id);
    if (refuted.length > 0) await this.devices.unmarkGone(instanceId, refuted);
    const answers = { sent: sent.length, gone: gone.length };
    const recent = this.remember(gateway, answers);
    if (gone.length === 0) return 0;
    if (this.isPlausible(answers) || this.areFew(recent)) return this.remove(gateway, gone);
    const unmarked = gone.filter(({ goneSince }) => goneSince === undefined);
    if (unmarked.length > 0) await this.devices.markGone(instanceId, unmarked, this.now());
    if (!this.isPlausible(recent)) return this.keep(gateway, gone);
    const over = gone.filter(({ goneSince }) => this.isOver(goneSince));
    return over.length > 0 ? this.remove(gateway, over) : 0;
  }

  private keep({ platform }: Gateway, gone: readonly GoneDevice[]): 0 {
    this.metrics.keptDevices.inc({ platform }, gone.length);
    return 0;
  }

  /** Returns the gateway's recent answers, these included. */
  private remember(gateway: Gateway, answers: Answers): Answers {
    const key = `${gateway.platform} ${gateway.instanceId}`;
    const recent = added(this.recent.get(key), answers);
    this.recent.set(key, recent);
    if (this.isPlausible(recent) || this.areFew(recent)) this.warned.delete(key);
    else if (!this.warned.has(key)) {
      this.warned.add(key);
      this.warn(gateway, answers);
    }
    return recent;
  }

  private isPlausible({ sent, gone }: Answers): boolean {
    return gone <= (sent + gone) * this.settings.deletionGuardShare;
  }

  /** The share among few devices means nothing, as long as any device is reached. */
  private areFew({ sent, gone }: Answers): boolean {
    return gone < this.settings.deletionGuardDevices && sent > 0;
  }

  private isOver(goneSince: number | undefined): boolean {
    return goneSince !== undefined && goneSince <= this.now() - this.settings.removeGoneAfterMs;
  }

  private async remove({ instanceId, platform }: Gateway, gone: readonly GoneDevice[]): Promise<number> {
    const removed = await this.devices.removeUnregistered(instanceId, gone);
    this.metrics.removedDevices.inc({ platform }, removed.length);
    await this.removals.notify(removed, 'unregistered');
    return removed.length;
  }

  private warn({ instanceId, platform }: Gateway, { sent, gone }: Answers): void {
    this.logger.warn(
      `Instance ${instanceId}: ${gone} of ${sent + gone} answers about ${platform} devices say that they are gone. ` +
        'The devices stay and are tried again: check the credentials and the environment. After many real uninstalls, ' +
        'set deletionGuardShare to 1 until they are removed.',
    );
  }
}

function added(before: Answers = { sent: 0, gone: 0 }, { sent, gone }: Answers): Answers {
  const all = { sent: before.sent + sent, gone: before.gone + gone };
  const scale = Math.min(1, recentAnswers / Math.max(1, all.sent + all.gone));
  return { sent: all.sent * scale, gone: all.gone * scale };
}
