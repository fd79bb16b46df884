import { Injectable } from '@nestjs/common';
import { type NewReceipt, pageOf, ReceiptRepository, type UserReceipt } from 'rookery/channels';
import { integer, list, text } from '../connection/answers.js';
import { RedisConnection } from '../connection/redis.connection.js';
import { Script } from '../connection/script.js';
import { nameOf, partitionOf } from '../keys.js';

/**
 * `receipts:<app> <receipt>`, a hash, until it expires: of each user the time of receipt, a space, and the time of
 * display, if any. KEYS: it. ARGV: milliseconds, the most users, then of each receipt the user, the time, and 's' for a
 * display. Answers for each whether it is news.
 */
const add = new Script(`
local news = {}
for i = 3, #ARGV, 3 do
  local known = redis.call('HGET', KEYS[1], ARGV[i])
  local isShown = ARGV[i + 2] == 's'
  local value = false
  if known then value = isShown and string.sub(known, -1) == ' ' and known .. ARGV[i + 1]
  elseif redis.call('HLEN', KEYS[1]) < tonumber(ARGV[2]) then
    value = ARGV[i + 1] .. ' ' .. (isShown and ARGV[i + 1] or '')
  end
  if value then redis.call('HSET', KEYS[1], ARGV[i], value) end
  news[#news + 1] = value and 1 or 0
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return news`);

/** Answers users, each with their times. */
const find = new Script(`return redis.call('HGETALL', KEYS[1])`);

/** In Redis, for all processes. A receipt whose answer is lost is added again, and then is no news. */
@Injectable()
export class RedisReceiptRepository extends ReceiptRepository {
  static readonly port = ReceiptRepository;

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  async add(receipts: readonly NewReceipt[], maxUsers: number): Promise<readonly boolean[]> {
    const news = new Map<NewReceipt, boolean>();
    const events = new Map<string, NewReceipt[]>();
    for (const each of receipts) {
      const key = this.keyOf(each.appId, each.receipt);
      const ofEvent = events.get(key);
      if (ofEvent) ofEvent.push(each);
      else events.set(key, [each]);
    }
    await Promise.all(Array.from(events, ([key, ofEvent]) => this.addTo(key, ofEvent, maxUsers, news)));
    return receipts.map((each) => news.get(each)!);
  }

  async find(appId: string, receipt: string, limit: number, after?: string): Promise<readonly UserReceipt[]> {
    const fields = list(await this.redis.run(find, [this.keyOf(appId, receipt)], [])).map(text);
    const users = fields.map((userId, i) => (i % 2 === 0 ? receiptOf(userId, fields[i + 1]) : undefined));
    return pageOf(
      users.filter((user) => user !== undefined),
      limit,
      after,
    );
  }

  private async addTo(
    key: string,
    receipts: readonly NewReceipt[],
    maxUsers: number,
    news: Map<NewReceipt, boolean>,
  ): Promise<void> {
    const rows = receipts.flatMap(({ userId, at, isShown }) => [userId, at, isShown ? 's' : 'r']);
    const args = [Math.ceil(receipts[0]!.keepMs), maxUsers, ...rows];
    const answers = list(await this.redis.insist(add, [key], args, { evenIncomplete: true }));
    receipts.forEach((each, i) => news.set(each, integer(answers[i]) === 1));
  }

  private keyOf(appId: string, receipt: string): string {
    const name = nameOf(appId, receipt);
    return `${this.redis.keys.in(partitionOf(name))}receipts:${name}`;
  }
}

/** What another program wrote is left out. */
function receiptOf(userId: string, times = ''): UserReceipt | undefined {
  const [, receivedAt, shownAt] = /^(\d{1,15}) (\d{1,15})?$/.exec(times) ?? [];
  if (receivedAt === undefined) return undefined;
  return { userId, receivedAt: Number(receivedAt), ...(shownAt !== undefined && { shownAt: Number(shownAt) }) };
}
