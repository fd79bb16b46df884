import { IsAmount, IsCount } from '#common';

/** How long it is kept which users have received an event (`receipts`). */
export class ReceiptSettings {
  /** From the trigger on, in seconds. @default 86400 */
  @IsAmount(1, 2_592_000)
  readonly keepSeconds: number = 86_400;
  /** Users of an event; those beyond are not noted. @default 10000 */
  @IsCount(1, 100_000)
  readonly usersPerEvent: number = 10_000;
}
