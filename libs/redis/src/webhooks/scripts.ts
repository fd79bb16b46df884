import { Script } from '../connection/script.js';

/**
 * Of one queue:
 *
 * - `deliveries`, a hash: each delivery as it was added, as JSON
 * - `states`, a hash: each one's changing state, as JSON: place, owner, endpoint, when it is due, remaining delays
 * - `endpoint:<name>`, a sorted set: an endpoint's waiting deliveries by due time, as `<place>:<id>`
 * - `endpoints`, a sorted set: the endpoints by the due time of their first delivery
 * - `letters:<owner>`, a hash: the dead letters of an owner, as JSON: place, endpoint, when it died, why, the delivery
 * - `dead:<owner>`, a sorted set: their places, all with the same score, so that they sort as texts
 * - `claims`, a hash, and `claimed`, a sorted set: the claim of each delivery under way, and when it ends
 * - `added`: the number of deliveries ever added: the place of the latest
 *
 * All of these expire two days after a delivery was last added or claimed, since none is tried for longer. An owner's
 * dead letters expire after their retention time, counted from the last burial.
 */
const queue = `
local base = KEYS[1]
local deliveries, states = base .. 'deliveries', base .. 'states'
local endpoints, claims, claimed = base .. 'endpoints', base .. 'claims', base .. 'claimed'
local function refresh(endpoint)
  local first = redis.call('ZRANGE', base .. 'endpoint:' .. endpoint, 0, 0, 'WITHSCORES')
  if first[1] then redis.call('ZADD', endpoints, first[2], endpoint) else redis.call('ZREM', endpoints, endpoint) end
end
local function stateOf(id)
  local state = redis.call('HGET', states, id)
  return state and cjson.decode(state)
end
local function wait(id, state)
  redis.call('HSET', states, id, cjson.encode(state))
  redis.call('ZADD', base .. 'endpoint:' .. state.endpoint, state.dueAt, state.place .. ':' .. id)
  redis.call('EXPIRE', base .. 'endpoint:' .. state.endpoint, 172800)
  refresh(state.endpoint)
end
local function put(id, delivery, state)
  if redis.call('HSETNX', deliveries, id, delivery) == 0 then return end
  state.place = string.format('%016d', redis.call('INCR', base .. 'added'))
  wait(id, state)
end
local function keepOn()
  for _, kind in ipairs({ 'deliveries', 'states', 'endpoints', 'claims', 'claimed', 'added' }) do
    redis.call('EXPIRE', base .. kind, 172800)
  end
end
local function forget(id)
  redis.call('HDEL', deliveries, id)
  redis.call('HDEL', states, id)
  redis.call('HDEL', claims, id)
  redis.call('ZREM', claimed, id)
end
`;

// ARGV: id, owner, endpoint, due at, delays and the delivery ….
export const add = new Script(`${queue}
for i = 1, #ARGV, 6 do
  local state = { owner = ARGV[i + 1], endpoint = ARGV[i + 2], dueAt = ARGV[i + 3], delays = ARGV[i + 4] }
  put(ARGV[i], ARGV[i + 5], state)
end
keepOn()`);

// ARGV: claim, now, limit, limit for an endpoint, lease in milliseconds, busy endpoints …. Answers, for each, the
// delivery, when it is due, the remaining delays and, if it was sent again, when it expires.
export const claim = new Script(`${queue}
local now = tonumber(ARGV[2])
for _, id in ipairs(redis.call('ZRANGEBYSCORE', claimed, '-inf', now)) do
  redis.call('ZREM', claimed, id)
  redis.call('HDEL', claims, id)
  local state = stateOf(id)
  if state then wait(id, state) end
end
local busy, heads = {}, {}
for i = 6, #ARGV do busy[ARGV[i]] = true end
local function head(endpoint, taken)
  local first = redis.call('ZRANGE', base .. 'endpoint:' .. endpoint, 0, 0, 'WITHSCORES')
  if not first[1] or tonumber(first[2]) > now or taken >= tonumber(ARGV[4]) then return nil end
  return { endpoint = endpoint, member = first[1], dueAt = tonumber(first[2]), taken = taken }
end
for _, endpoint in ipairs(redis.call('ZRANGEBYSCORE', endpoints, '-inf', now)) do
  local first = not busy[endpoint] and head(endpoint, 0)
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
  redis.call('ZREM', base .. 'endpoint:' .. first.endpoint, first.member)
  redis.call('HSET', claims, id, ARGV[1])
  redis.call('ZADD', claimed, now + tonumber(ARGV[5]), id)
  local state = stateOf(id)
  found[#found + 1] = { redis.call('HGET', deliveries, id), state.dueAt, state.delays, state.expiresAt }
  local next = head(first.endpoint, first.taken + 1)
  if next then heads[best] = next else table.remove(heads, best) end
  refresh(first.endpoint)
end
if #found > 0 then keepOn() end
return found`);

// ARGV: id, claim.
export const done = new Script(`${queue}
if redis.call('HGET', claims, ARGV[1]) == ARGV[2] then forget(ARGV[1]) end`);

// ARGV: id, claim, due at, delays.
export const retry = new Script(`${queue}
if redis.call('HGET', claims, ARGV[1]) ~= ARGV[2] then return end
redis.call('HDEL', claims, ARGV[1])
redis.call('ZREM', claimed, ARGV[1])
local state = stateOf(ARGV[1])
state.dueAt, state.delays = ARGV[3], ARGV[4]
wait(ARGV[1], state)`);

// ARGV: the place of their time, when they died, why, the limit per owner, the place before which all have expired,
// seconds to keep, and the script's own arguments.
const burying = `${queue}
local function bury(id)
  local state = stateOf(id)
  local place = ARGV[1] .. id
  local dead, letters = base .. 'dead:' .. state.owner, base .. 'letters:' .. state.owner
  local function drop(places)
    for _, each in ipairs(places) do
      redis.call('ZREM', dead, each)
      redis.call('HDEL', letters, string.sub(each, 17))
    end
  end
  local before = redis.call('HGET', letters, id)
  if before then drop({ cjson.decode(before).place }) end
  local delivery = redis.call('HGET', deliveries, id)
  local letter = { place = place, endpoint = state.endpoint, diedAt = ARGV[2], reason = ARGV[3], delivery = delivery }
  redis.call('HSET', letters, id, cjson.encode(letter))
  redis.call('ZADD', dead, 0, place)
  forget(id)
  drop(redis.call('ZRANGEBYLEX', dead, '-', '(' .. ARGV[5]))
  drop(redis.call('ZRANGE', dead, 0, -1 - ARGV[4]))
  redis.call('EXPIRE', dead, ARGV[6])
  redis.call('EXPIRE', letters, ARGV[6])
end
`;

// ARGV: those of `burying`, then id, claim.
export const bury = new Script(`${burying}
if redis.call('HGET', claims, ARGV[7]) == ARGV[8] then bury(ARGV[7]) end`);

// ARGV: those of `burying`, then the queue's limit, the most at once. Answers the number buried.
export const buryBeyond = new Script(`${burying}
local excess = redis.call('HLEN', deliveries) - ARGV[7]
if excess <= 0 then return 0 end
local fullest, most = nil, 0
for _, endpoint in ipairs(redis.call('ZRANGE', endpoints, 0, -1)) do
  local count = redis.call('ZCARD', base .. 'endpoint:' .. endpoint)
  if count > most then fullest, most = endpoint, count end
end
if not fullest then return 0 end
local count = math.min(excess, math.ceil(most / 2), tonumber(ARGV[8]))
local places = redis.call('ZPOPMIN', base .. 'endpoint:' .. fullest, count)
for i = 1, #places, 2 do bury(string.sub(places[i], 18)) end
refresh(fullest)
return count`);

// ARGV: now. Answers the number of deliveries and, if one is due, since when.
export const backlog = new Script(`${queue}
local first = redis.call('ZRANGE', endpoints, 0, 0, 'WITHSCORES')
return { redis.call('HLEN', deliveries), first[1] and tonumber(first[2]) <= tonumber(ARGV[1]) and first[2] or nil }`);

// ARGV: owner, after, limit. Answers the letters.
export const deadLetters = new Script(`${queue}
local found = {}
local after = ARGV[2] == '' and '-' or '(' .. ARGV[2]
for _, place in ipairs(redis.call('ZRANGEBYLEX', base .. 'dead:' .. ARGV[1], after, '+', 'LIMIT', 0, ARGV[3])) do
  found[#found + 1] = redis.call('HGET', base .. 'letters:' .. ARGV[1], string.sub(place, 17))
end
return found`);

// ARGV: owner, due at, delays, expires at, ids …. Answers how many were requeued.
export const resend = new Script(`${queue}
local dead, letters = base .. 'dead:' .. ARGV[1], base .. 'letters:' .. ARGV[1]
local found = {}
for i = 5, #ARGV do
  local text = redis.call('HGET', letters, ARGV[i])
  if text then found[#found + 1] = cjson.decode(text) end
  redis.call('HDEL', letters, ARGV[i])
end
table.sort(found, function(one, other) return one.place < other.place end)
for _, letter in ipairs(found) do
  redis.call('ZREM', dead, letter.place)
  local state = { owner = ARGV[1], endpoint = letter.endpoint, dueAt = ARGV[2], delays = ARGV[3], expiresAt = ARGV[4] }
  put(string.sub(letter.place, 17), letter.delivery, state)
end
keepOn()
return #found`);
