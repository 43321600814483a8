import type { ChainableCommander, Redis, RedisOptions } from 'ioredis';

/**
 * The same GCRA as in the domain, as one atomic step on the server's clock for all keys of a call. Answers for each
 * whether the request is admitted and the microseconds until the bucket is full again. What is stored from before the
 * clock was set back is written anew, also when the request is refused. Numbers are written whole: Lua would round them
 * to 14 digits.
 */
const GCRA = `
  local interval, tolerance = tonumber(ARGV[1]), tonumber(ARGV[2])
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local answers = {}
  for index, key in ipairs(KEYS) do
    local stored = tonumber(redis.call('GET', key) or now)
    local start = math.min(math.max(stored, now), now + tolerance)
    local admitted = start + interval - now <= tolerance
    local tat = admitted and start + interval or start
    if admitted or start < stored then
      redis.call('SET', key, string.format('%.0f', tat), 'PX', math.ceil((tat - now) / 1000))
    end
    answers[2 * index - 1] = admitted and 1 or 0
    answers[2 * index] = tat - now
  end
  return answers`;

export const SCRIPTS = { gcra: { lua: GCRA } };

type Gcra<Answer> = (numberOfKeys: number, ...keysAndArguments: (string | number)[]) => Answer;

/** A connection that knows the script, one call at a time or many in one write. */
export type GcraRedis = Redis & { gcra: Gcra<Promise<number[]>>; pipeline(): GcraPipeline };
export type GcraPipeline = ChainableCommander & { gcra: Gcra<GcraPipeline> };

/**
 * What every connection has in common: a call fails at once where there is no connection, and a connection that answers
 * nothing for a second is given up, with what waits for it.
 */
export const CONNECTION = {
  scripts: SCRIPTS,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  socketTimeout: 1000,
  retryStrategy: (attempts: number) => Math.min(250, attempts * 50),
  // It has become a replica: its name, or its sentinels, know who is the primary now.
  reconnectOnError: ({ message }: Error) => message.includes('READONLY'),
} satisfies RedisOptions;
