import type { Reach } from '../api/contract.js';
import { amount, counted } from '../parts/amounts.js';
import { Question } from '../parts/dialog.js';
import { moment } from '../parts/time.js';
import { Facts, Note } from '../parts/words.js';
import { platformNames } from './platforms.js';

/** Asks before a publish: it says how many devices get it, and why others do not. */
export function ReachDialog(props: {
  readonly value: Reach;
  /** What was asked for, such as `Interests: news`. */
  readonly target: string;
  /** The title and text of the notification. */
  readonly text: string;
  readonly publishAt: number | undefined;
  onConfirm(): void;
  onClose(): void;
}) {
  const { platforms, isMore } = props.value;
  const devices = platforms.reduce((sum, each) => sum + (each.hasCredentials ? each.devices : 0), 0);
  const many = `${isMore ? 'more than ' : ''}${counted(devices, 'device')}`;
  const verb = props.publishAt === undefined ? 'Send' : 'Schedule';
  return (
    <Question
      title={`${verb} to ${many}?`}
      action={verb}
      onSubmit={() => (props.onClose(), props.onConfirm())}
      onClose={props.onClose}
    >
      <Facts
        value={{
          To: props.target,
          Text: props.text || null,
          ...Object.fromEntries(
            platforms.map((each) => [
              platformNames[each.platform],
              `${amount(each.devices)}${each.hasCredentials ? '' : '; the instance has no credentials'}`,
            ]),
          ),
          When: props.publishAt !== undefined && moment(props.publishAt),
        }}
      />
      {isMore && <p class="soft">Only the first {amount(10_000)} devices were counted.</p>}
      {devices === 0 && <Note tone="warn">No device would get it at the moment.</Note>}
    </Question>
  );
}
