/**
 * The GCRA of the domain, as one atomic step on the server's clock for all keys of a call, each with its own interval,
 * tolerance and uses of a lease, which are charged with it with LEASED_SHARE. Returns two numbers for each: 0 if it is
 * refused, or 1 more than the uses that were charged ahead; and the microseconds until the bucket is full again, without
 * these uses. Stored is `tat.interval`. Instances before 0.3 store `tat` alone, and read `tat.interval` as a number that is
 * less than a microsecond off. After the server's clock was set back, or the key's rate was changed, a stored time is
 * corrected even if the request is refused. Numbers are formatted as integers, because Lua would round them to 14 digits.
 */
export const GCRA = `
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local answers = {}
  for index, key in ipairs(KEYS) do
    local first = 3 * (index - 1) + 1
    local interval, tolerance, ahead = tonumber(ARGV[first]), tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2])
    local storedTat, storedInterval = string.match(redis.call('GET', key) or '', '^(%d+)%.?(%d*)$')
    local stored = tonumber(storedTat) or now
    local charged = tonumber(storedInterval) or interval
    if charged ~= interval and stored > now then
      stored = now + math.ceil((stored - now) / charged * interval)
    end
    local start = math.min(math.max(stored, now), now + tolerance)
    local admitted = start + interval - now <= tolerance
    local tat = admitted and start + interval or start
    local full, uses = tat, 0
    if admitted and ahead > 0 then
      uses = math.max(0, math.min(ahead, math.floor(math.floor((now + tolerance - tat) / interval) / 2)))
      full = tat + uses * interval
    end
    if admitted or start < stored or charged ~= interval then
      redis.call('SET', key, string.format('%.0f.%.0f', full, interval), 'PX', math.ceil((full - now) / 1000))
    end
    answers[2 * index - 1] = admitted and 1 + uses or 0
    answers[2 * index] = tat - now
  end
  return answers`;

/** What a connection that knows the script can do. */
export interface Scripts {
  gcra(numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<number[]>;
}
