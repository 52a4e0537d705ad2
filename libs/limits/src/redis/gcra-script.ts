/**
 * The arithmetic of gcra.ts for many operations in one step. Redis and Valkey run a script as a whole, so that no other
 * process comes between reading and writing, and their clock is the only one.
 *
 * KEYS: the keys of all claims, each claim once. ARGV: interval and room of each claim in microseconds; then for each operation
 * its name, how many times it is asked for in succession, how many claims it has, and the place of each among the keys.
 * Operations see the effects of those before them.
 *
 * Answer: the clock in microseconds; then for each operation how many times it was done, the index of the first claim without room
 * for one more, or -1 when all were done, and the debts of its claims after that. Numbers of Lua are doubles, as JavaScript's are: whole microseconds are exact until the year 2255.
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
local a = 2 * #KEYS + 1
while ARGV[a] do
  local operation, times, count = ARGV[a], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  local done, refused = times, -1
  if operation == 'take' then
    for i = 1, count do
      local claim = tonumber(ARGV[a + 2 + i])
      local fits = math.floor((tonumber(ARGV[2 * claim]) - debts[KEYS[claim]]) / tonumber(ARGV[2 * claim - 1]))
      if fits < done then
        done, refused = math.max(0, fits), i - 1
      end
    end
  end
  answer[#answer + 1] = done
  answer[#answer + 1] = refused
  for i = 1, count do
    local claim = tonumber(ARGV[a + 2 + i])
    local key, interval, room = KEYS[claim], tonumber(ARGV[2 * claim - 1]), tonumber(ARGV[2 * claim])
    local debt = math.min(debts[key], room)
    if done > 0 and operation ~= 'look' then
      if operation == 'take' then
        debt = debt + done * interval
      elseif operation == 'charge' then
        debt = math.min(debt + done * interval, room)
      elseif operation == 'restore' then
        debt = math.max(0, debt - done * interval)
      end
      debts[key] = debt
      changed[key] = true
    end
    answer[#answer + 1] = debt
  end
  a = a + 3 + count
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
