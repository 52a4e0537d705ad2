/**
 * The arithmetic of gcra.ts for many operations in one step. Redis and Valkey run a script as a whole, so that no other
 * process comes between reading and writing, and their clock is the only one.
 *
 * KEYS: the keys of all claims, operation after operation; a key may occur in several operations, which see each other's
 * effects. ARGV: for each operation its name, how many claims it has, and interval and room of each in microseconds.
 *
 * Answer: the clock in microseconds; then for each operation the index of the first claim without room, or -1, and the debts
 * of its claims. Numbers of Lua are doubles, as JavaScript's are: whole microseconds are exact until the year 2255.
 *
 * A debt is never more than the room, whatever the clock of the machine does.
 *
 * A key holds the moment at which nothing is owed, and vanishes then. What is only looked at, and what is refused, writes
 * nothing.
 */
export const GCRA_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stored = redis.call('MGET', unpack(KEYS))
local debts, changed = {}, {}
for i, key in ipairs(KEYS) do
  local emptyAt = stored[i] and tonumber(stored[i]) or now
  debts[key] = math.max(0, emptyAt - now)
end
local answer = { now }
local k, a = 0, 1
while ARGV[a] do
  local operation, count = ARGV[a], tonumber(ARGV[a + 1])
  local refused = -1
  if operation == 'take' then
    for i = 1, count do
      if debts[KEYS[k + i]] + tonumber(ARGV[a + 2 * i]) > tonumber(ARGV[a + 2 * i + 1]) then
        refused = i - 1
        break
      end
    end
  end
  answer[#answer + 1] = refused
  for i = 1, count do
    local key = KEYS[k + i]
    local interval, room = tonumber(ARGV[a + 2 * i]), tonumber(ARGV[a + 2 * i + 1])
    local debt = math.min(debts[key], room)
    if refused < 0 and operation ~= 'look' then
      if operation == 'take' then
        debt = debt + interval
      elseif operation == 'charge' then
        debt = math.min(debt + interval, room)
      elseif operation == 'restore' then
        debt = math.max(0, debt - interval)
      end
      debts[key] = debt
      changed[key] = true
    end
    answer[#answer + 1] = debt
  end
  k = k + count
  a = a + 2 + 2 * count
end
for key in pairs(changed) do
  local debt = debts[key]
  if debt > 0 then
    redis.call('SET', key, string.format('%.0f', now + debt), 'PX', string.format('%.0f', math.ceil(debt / 1000)))
  else
    redis.call('DEL', key)
  end
end
return answer
`;
