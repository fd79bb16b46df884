import { Inject, Injectable, Logger } from '@nestjs/common';
import type { DeviceAddress } from 'rookery/push-device';
import { type Clock, publishClock, PublishSettings, steadyClock } from '../publish.options.js';
import { GoneDeviceRepository, type GoneDevice, type InstancePlatform } from './gone-device.repository.js';
import { HeldDeletions } from './held-deletions.js';

/** The minimum time between two writes of good answers, in milliseconds, while no device is gone. */
const noteEveryMs = 60_000;

/** The number of steps by which the window slides. */
const windowSteps = 24;

/** A gateway's answers to one page. */
export interface PageAnswers {
  readonly publishId: string;
  readonly sent: readonly DeviceAddress[];
  readonly gone: readonly GoneDevice[];
}

/**
 * Protects an audience from mass removal when a gateway reports its devices gone: a sandbox key, a wrong project or a
 * gateway fault looks exactly like that. Gone devices are first held. They are removed at once while their share of the
 * gateway's recent answers is plausible; otherwise they wait until later answers make it plausible, or an operator
 * releases them. If a held device accepts a notification after all, no held device is removed.
 */
@Injectable()
export class DeletionGuard {
  private readonly logger = new Logger('Fan-out');
  /** Accepted notifications that are not written yet. */
  private readonly unnoted = new Map<string, { sent: number; notedAt: number }>();
  private readonly warned = new Set<string>();

  constructor(
    private readonly settings: PublishSettings,
    private readonly gone: GoneDeviceRepository,
    private readonly deletions: HeldDeletions,
    @Inject(publishClock) private readonly now: Clock,
    @Inject(steadyClock) private readonly steady: Clock,
  ) {}

  /** Records a saved page, and removes its gone devices if that is plausible. */
  async page(of: InstancePlatform, page: PageAnswers): Promise<void> {
    if (page.sent.length + page.gone.length === 0) return;
    const anyHeld = (await this.gone.held(of, 1)).length > 0;
    if (anyHeld && (await this.isRefuted(of, page))) await this.refute(of);
    if (!this.isWorthNoting(of, page, anyHeld)) return;
    await this.note(of, page);
    const removed = await this.deletions.removeWhile(of, () => this.isPlausible(of));
    if (removed > 0) this.warned.delete(keyOf(of));
  }

  /** Whether a device reported gone has since accepted a notification without registering again. */
  private async isRefuted(of: InstancePlatform, { sent }: PageAnswers): Promise<boolean> {
    if (sent.length === 0) return false;
    const registeredAt = new Map(sent.map((device) => [device.id, device.registeredAt]));
    const found = await this.gone.heldAmong(of, [...registeredAt.keys()]);
    return found.some(({ id, before }) => (registeredAt.get(id) ?? Infinity) <= before);
  }

  private async refute(of: InstancePlatform): Promise<void> {
    await this.deletions.drop(of);
    this.warned.delete(keyOf(of));
    this.logger.warn(
      `Instance ${of.instanceId}: ${of.platform} devices that were reported as gone accept notifications again. ` +
        'None of the held devices is removed.',
    );
  }

  /**
   * Accumulates good answers for a while, if there are no others: this saves writes, and a crash loses at most a minute
   * of them.
   */
  private isWorthNoting(of: InstancePlatform, { sent, gone }: PageAnswers, anyHeld: boolean): boolean {
    const { sent: before, notedAt } = this.unnoted.get(keyOf(of)) ?? { sent: 0, notedAt: -Infinity };
    this.unnoted.set(keyOf(of), { sent: before + sent.length, notedAt });
    return anyHeld || gone.length > 0 || this.steady() - notedAt >= noteEveryMs;
  }

  private async note(of: InstancePlatform, { publishId, gone }: PageAnswers): Promise<void> {
    const { deletionWindowMs } = this.settings;
    const now = this.now();
    const { sent } = this.unnoted.get(keyOf(of)) ?? { sent: 0 };
    this.unnoted.set(keyOf(of), { sent: 0, notedAt: this.steady() });
    const stepMs = Math.max(1, Math.floor(deletionWindowMs / windowSteps));
    await this.gone.note(of, { publishId, at: now - (now % stepMs), since: now - deletionWindowMs, sent, gone });
  }

  private async isPlausible(of: InstancePlatform): Promise<boolean> {
    const { deletionGuardDevices, deletionGuardShare } = this.settings;
    const { sent, gone } = await this.gone.answers(of);
    const isShareAllowed = gone <= (sent + gone) * deletionGuardShare;
    // The share among few devices means nothing, as long as any device is reached.
    const areFew = gone < deletionGuardDevices && sent > 0;
    if (!isShareAllowed && !areFew) this.warn(of, sent + gone, gone);
    return isShareAllowed || areFew;
  }

  private warn(of: InstancePlatform, answered: number, gone: number): void {
    if (this.warned.has(keyOf(of))) return;
    this.warned.add(keyOf(of));
    this.logger.warn(
      `Instance ${of.instanceId}: ${gone} of ${answered} answers about ${of.platform} devices say that they are gone. ` +
        'They are not removed yet: check the credentials and the environment. If they are really gone, ' +
        `\`rookery deletions --instance ${of.instanceId} --platform ${of.platform} --release\` removes them; ` +
        `so does a share of at most ${this.settings.deletionGuardShare} (deletionGuardShare).`,
    );
  }
}

const keyOf = ({ instanceId, platform }: InstancePlatform): string => `${platform} ${instanceId}`;
