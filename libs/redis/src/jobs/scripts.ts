import { Script } from '../connection/script.js';

/**
 * Of one queue:
 *
 * - `data`, a hash: what each job is to do
 * - `jobs`, a hash: the rest of each one, as JSON: place, owner, key, when it is due, its state
 * - `key:<name>`, a sorted set: a key's waiting jobs by due time, as `<place>:<id>`
 * - `keys`, a sorted set: the keys by the due time of their first job
 * - `dead-jobs:<owner>`, a hash: the dead jobs of an owner, as JSON: a job and its data, when it died, why
 * - `dead:<owner>`, a sorted set: their places, all with the same score, so that they sort as texts
 * - `dead-counts:<owner>`, a hash: the bytes of their data, and the number of those that were dropped
 * - `claims`, a hash, and `claimed`, a sorted set: the claim of each job that is held, and when it ends
 * - `added`: the number of jobs ever added: the place of the latest
 *
 * All of these expire two days after a job was last added or claimed, since none is tried for longer. An owner's dead
 * jobs expire after their retention time, counted from the last burial.
 */
const queue = `
local base = KEYS[1]
local data, jobs = base .. 'data', base .. 'jobs'
local keys, claims, claimed = base .. 'keys', base .. 'claims', base .. 'claimed'
local function refresh(key)
  local first = redis.call('ZRANGE', base .. 'key:' .. key, 0, 0, 'WITHSCORES')
  if first[1] then redis.call('ZADD', keys, first[2], key) else redis.call('ZREM', keys, key) end
end
local function jobOf(id)
  local job = redis.call('HGET', jobs, id)
  return job and cjson.decode(job)
end
local function wait(id, job)
  redis.call('HSET', jobs, id, cjson.encode(job))
  redis.call('ZADD', base .. 'key:' .. job.key, job.dueAt, job.place .. ':' .. id)
  redis.call('EXPIRE', base .. 'key:' .. job.key, 172800)
  refresh(job.key)
end
local function put(id, text, job)
  if redis.call('HSETNX', data, id, text) == 0 then return end
  job.place = string.format('%016d', redis.call('INCR', base .. 'added'))
  wait(id, job)
end
local function keepOn()
  for _, kind in ipairs({ 'data', 'jobs', 'keys', 'claims', 'claimed', 'added' }) do
    redis.call('EXPIRE', base .. kind, 172800)
  end
end
local function forget(id)
  redis.call('HDEL', data, id)
  redis.call('HDEL', jobs, id)
  redis.call('HDEL', claims, id)
  redis.call('ZREM', claimed, id)
end
`;

// ARGV: id, owner, key, due at, data and state ….
export const add = new Script(`${queue}
for i = 1, #ARGV, 6 do
  local job = { owner = ARGV[i + 1], key = ARGV[i + 2], dueAt = ARGV[i + 3], state = ARGV[i + 5] }
  put(ARGV[i], ARGV[i + 4], job)
end
keepOn()`);

// ARGV: claim, now, limit, limit for a key, lease in milliseconds, busy keys …. Answers, for each, id, owner, key, due
// at, data and state.
export const claim = new Script(`${queue}
local now = tonumber(ARGV[2])
for _, id in ipairs(redis.call('ZRANGEBYSCORE', claimed, '-inf', now)) do
  redis.call('ZREM', claimed, id)
  redis.call('HDEL', claims, id)
  local job = jobOf(id)
  if job then wait(id, job) end
end
local busy, heads = {}, {}
for i = 6, #ARGV do busy[ARGV[i]] = true end
local function head(key, taken)
  local first = redis.call('ZRANGE', base .. 'key:' .. key, 0, 0, 'WITHSCORES')
  if not first[1] or tonumber(first[2]) > now or taken >= tonumber(ARGV[4]) then return nil end
  return { key = key, member = first[1], dueAt = tonumber(first[2]), taken = taken }
end
for _, key in ipairs(redis.call('ZRANGEBYSCORE', keys, '-inf', now)) do
  local first = not busy[key] and head(key, 0)
  if first then heads[#heads + 1] = first end
end
local found = {}
while #found < tonumber(ARGV[3]) do
  local best
  for i, one in ipairs(heads) do
    local other = best and heads[best]
    if not other or one.dueAt < other.dueAt or (one.dueAt == other.dueAt and one.member < other.member) then best = i end
  end
  if not best then break end
  local first = heads[best]
  local id = string.sub(first.member, 18)
  redis.call('ZREM', base .. 'key:' .. first.key, first.member)
  redis.call('HSET', claims, id, ARGV[1])
  redis.call('ZADD', claimed, now + tonumber(ARGV[5]), id)
  local job = jobOf(id)
  found[#found + 1] = { id, job.owner, job.key, job.dueAt, redis.call('HGET', data, id), job.state }
  local next = head(first.key, first.taken + 1)
  if next then heads[best] = next else table.remove(heads, best) end
  refresh(first.key)
end
if #found > 0 then keepOn() end
return found`);

// ARGV: id, claim, end of the lease. Answers 1 if the claim holds the job.
export const renew = new Script(`${queue}
if redis.call('HGET', claims, ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', claimed, ARGV[3], ARGV[1])
return 1`);

// ARGV: id, claim.
export const done = new Script(`${queue}
if redis.call('HGET', claims, ARGV[1]) == ARGV[2] then forget(ARGV[1]) end`);

// ARGV: id, claim, due at, state.
export const retry = new Script(`${queue}
if redis.call('HGET', claims, ARGV[1]) ~= ARGV[2] then return end
redis.call('HDEL', claims, ARGV[1])
redis.call('ZREM', claimed, ARGV[1])
local job = jobOf(ARGV[1])
job.dueAt, job.state = ARGV[3], ARGV[4]
wait(ARGV[1], job)`);

// ARGV: the place of their time, when they died, why, the limit per owner, the place before which all have expired,
// seconds to keep, the limit of bytes per owner, and the script's own arguments.
const burying = `${queue}
local function bury(id)
  local job = jobOf(id)
  local place = ARGV[1] .. id
  local places, dead = base .. 'dead:' .. job.owner, base .. 'dead-jobs:' .. job.owner
  local counts = base .. 'dead-counts:' .. job.owner
  local function remove(one)
    local text = redis.call('HGET', dead, string.sub(one, 17))
    redis.call('ZREM', places, one)
    redis.call('HDEL', dead, string.sub(one, 17))
    if text then redis.call('HINCRBY', counts, 'bytes', -#cjson.decode(text).data) end
  end
  local function drop(each)
    for _, one in ipairs(each) do
      remove(one)
      redis.call('HINCRBY', counts, 'dropped', 1)
    end
  end
  local before = redis.call('HGET', dead, id)
  if before then remove(cjson.decode(before).deadPlace) end
  job.deadPlace, job.diedAt, job.reason, job.data = place, ARGV[2], ARGV[3], redis.call('HGET', data, id)
  redis.call('HSET', dead, id, cjson.encode(job))
  redis.call('ZADD', places, 0, place)
  redis.call('HINCRBY', counts, 'bytes', #job.data)
  forget(id)
  drop(redis.call('ZRANGEBYLEX', places, '-', '(' .. ARGV[5]))
  drop(redis.call('ZRANGE', places, 0, -1 - ARGV[4]))
  while tonumber(redis.call('HGET', counts, 'bytes')) > tonumber(ARGV[7]) do
    local oldest = redis.call('ZRANGE', places, 0, 0)
    if not oldest[1] then break end
    drop(oldest)
  end
  for _, key in ipairs({ places, dead, counts }) do redis.call('EXPIRE', key, ARGV[6]) end
end
`;

// ARGV: those of `burying`, then id, claim.
export const bury = new Script(`${burying}
if redis.call('HGET', claims, ARGV[8]) == ARGV[9] then bury(ARGV[8]) end`);

// ARGV: those of `burying`, then the queue's limit, the most at once. Answers the number buried.
export const buryBeyond = new Script(`${burying}
local excess = redis.call('HLEN', data) - ARGV[8]
if excess <= 0 then return 0 end
local fullest, most = nil, 0
for _, key in ipairs(redis.call('ZRANGE', keys, 0, -1)) do
  local count = redis.call('ZCARD', base .. 'key:' .. key)
  if count > most then fullest, most = key, count end
end
if not fullest then return 0 end
local count = math.min(excess, math.ceil(most / 2), tonumber(ARGV[9]))
local places = redis.call('ZPOPMIN', base .. 'key:' .. fullest, count)
for i = 1, #places, 2 do bury(string.sub(places[i], 18)) end
refresh(fullest)
return count`);

// Answers the number of jobs.
export const size = new Script(`${queue}
return redis.call('HLEN', data)`);

// ARGV: now. Answers the number of keys with a job due and, if there is one, since when it is due.
export const backlog = new Script(`${queue}
local first = redis.call('ZRANGE', keys, 0, 0, 'WITHSCORES')
local due = redis.call('ZCOUNT', keys, '-inf', ARGV[1])
return { due, first[1] and tonumber(first[2]) <= tonumber(ARGV[1]) and first[2] or nil }`);

// ARGV: owner, place, limit. Answers what `claim` does, and of each when it died and why.
const read = (places: string): Script =>
  new Script(`${queue}
local found = {}
for _, place in ipairs(${places}) do
  local id = string.sub(place, 17)
  local job = cjson.decode(redis.call('HGET', base .. 'dead-jobs:' .. ARGV[1], id))
  found[#found + 1] = { id, job.owner, job.key, job.dueAt, job.data, job.state, job.diedAt, job.reason }
end
return found`);

export const dead = read(
  `redis.call('ZRANGEBYLEX', base .. 'dead:' .. ARGV[1], ARGV[2] == '' and '-' or '(' .. ARGV[2], '+', 'LIMIT', 0, ARGV[3])`,
);
export const latestDead = read(
  `redis.call('ZREVRANGEBYLEX', base .. 'dead:' .. ARGV[1], ARGV[2] == '' and '+' or '(' .. ARGV[2], '-', 'LIMIT', 0, ARGV[3])`,
);
// ARGV: owner. Answers how many are kept, and how many were dropped.
export const deadCounts = new Script(`${queue}
local dropped = redis.call('HGET', base .. 'dead-counts:' .. ARGV[1], 'dropped')
return { redis.call('ZCARD', base .. 'dead:' .. ARGV[1]), tonumber(dropped or 0) }`);

// ARGV: owner, due at, state, ids …. Answers how many were requeued.
export const resend = new Script(`${queue}
local places, dead = base .. 'dead:' .. ARGV[1], base .. 'dead-jobs:' .. ARGV[1]
local counts = base .. 'dead-counts:' .. ARGV[1]
local found = {}
for i = 4, #ARGV do
  local text = redis.call('HGET', dead, ARGV[i])
  if text then found[#found + 1] = cjson.decode(text) end
  redis.call('HDEL', dead, ARGV[i])
end
table.sort(found, function(one, other) return one.deadPlace < other.deadPlace end)
for _, each in ipairs(found) do
  redis.call('ZREM', places, each.deadPlace)
  redis.call('HINCRBY', counts, 'bytes', -#each.data)
  local job = { owner = ARGV[1], key = each.key, dueAt = ARGV[2], state = ARGV[3] }
  put(string.sub(each.deadPlace, 17), each.data, job)
end
if #found > 0 and redis.call('ZCARD', places) == 0 then redis.call('DEL', counts) end
keepOn()
return #found`);
