import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import type { Claim, Decision, OpenLimit, Operation } from '../limiter-store.js';

/**
 * The arithmetic of limiter-store.ts, in one step by the server's clock; a key holds the moment at which nothing is owed. KEYS:
 * each claim once. ARGV: interval and capacity of each claim in microseconds; then for each operation its name, how many
 * times in succession, how many claims, and their places among the keys. Operations see the effects of those before.
 * Answer: the clock; then for each operation how many times it was done, the index of the first claim without capacity (-1:
 * none) and the debts of its claims. Whole microseconds are exact in Lua until the year 2255.
 */
export const GCRA_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stored = redis.call('MGET', unpack(KEYS))
local debts, changed = {}, {}
for i, key in ipairs(KEYS) do
  local emptyAt = stored[i] and tonumber(stored[i]) or now
  -- Nobody owes more than the capacity: the clock was ahead.
  debts[key] = emptyAt - now > tonumber(ARGV[2 * i]) and 0 or math.max(0, emptyAt - now)
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
    local key, interval, capacity = KEYS[claim], tonumber(ARGV[2 * claim - 1]), tonumber(ARGV[2 * claim])
    local debt = math.min(debts[key], capacity)
    if done > 0 and operation ~= 'look' then
      if operation == 'take' then
        debt = debt + done * interval
      elseif operation == 'charge' then
        debt = math.min(debt + done * interval, capacity)
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

export interface Waiting {
  readonly operation: Operation;
  readonly claims: readonly Claim[];
  readonly decide: (decision: Decision) => void;
}

/** Each claim goes once, and successive takes of the same claims as one: requests of a caller usually come together. */
export class ScriptCall {
  private readonly runs: Run[] = [];
  private expected = 1;

  /** @param waiting in the order in which they are decided */
  constructor(waiting: readonly Waiting[]) {
    let last: Run | undefined;
    for (const { operation, claims } of waiting) {
      if (last && operation === 'take' && last.operation === 'take' && areSame(claims, last.claims)) {
        last.times += 1;
      } else {
        last = { operation, claims, times: 1 };
        this.runs.push(last);
        this.expected += 2 + claims.length;
      }
    }
  }

  /** @param prefix of the keys: services that share a server may have limits of one name */
  arguments(prefix: string): string[] {
    const keys: string[] = [];
    const paces: string[] = [];
    const operations: string[] = [];
    const places = new Map<OpenLimit, Map<string, string>>();
    const keyIndexOf = ({ open, key }: Claim): string => {
      let ofLimit = places.get(open);
      if (!ofLimit) {
        ofLimit = new Map();
        places.set(open, ofLimit);
      }
      let index = ofLimit.get(key);
      if (index === undefined) {
        index = String(keys.push(`${prefix}${open.limit.name}:${key}`));
        ofLimit.set(key, index);
        paces.push(String(open.pace.intervalUs), String(open.pace.capacityUs));
      }
      return index;
    };
    for (const { operation, times, claims } of this.runs) {
      operations.push(operation, String(times), String(claims.length));
      for (const claim of claims) operations.push(keyIndexOf(claim));
    }
    return [String(keys.length), ...keys, ...paces, ...operations];
  }

  /** In the order of what waits. @throws Error when the answer is not the script's */
  decisions(answer: unknown): Decision[] {
    if (!Array.isArray(answer) || answer.length !== this.expected) {
      throw new Error('The script has answered something else');
    }
    const decisions: Decision[] = [];
    let at = 1;
    for (const { claims, times } of this.runs) {
      const [done, refused] = [answer[at] as number, answer[at + 1] as number];
      const afterUs = answer.slice(at + 2, at + 2 + claims.length) as number[];
      at += 2 + claims.length;
      for (let turn = 1; turn <= times; turn += 1) {
        // Each take that was done before the last one owed less by what came after it.
        const later = Math.max(0, done - turn);
        const debtsUs = later === 0 ? afterUs : afterUs.map((us, index) => us - later * intervalOf(claims[index]));
        decisions.push({ refused: turn <= done ? -1 : refused, debtsUs });
      }
    }
    return decisions;
  }
}

interface Run {
  readonly operation: Operation;
  readonly claims: readonly Claim[];
  times: number;
}

const areSame = (claims: readonly Claim[], others: readonly Claim[]): boolean =>
  claims.length === others.length &&
  claims.every(({ open, key }, index) => open === others[index]?.open && key === others[index]?.key);

const intervalOf = (claim: Claim | undefined): number => (claim as Claim).open.pace.intervalUs;

const CONNECT_TIMEOUT_MS = 2_000;
/** The server's machine may vanish without a word. */
const KEEP_ALIVE_MS = 5_000;
const LONGEST_PAUSE_MS = 2_000;

interface ConnectionEvents {
  /** The server can be asked. */
  onReady(): void;
  /** The server cannot be asked; repeated with every attempt to reach it. */
  onError(error: Error): void;
}

/** One script on a Redis or Valkey server, called by its hash. The connection is made anew whenever it is lost. */
export class RedisScript {
  private readonly client;
  private readonly hash: string;

  /** @param url redis: or rediss:, with user and password where the server wants them */
  constructor(
    url: string,
    private readonly text: string,
    { onReady, onError }: ConnectionEvents,
  ) {
    this.hash = createHash('sha1').update(text).digest('hex');
    this.client = createClient({
      url,
      // What cannot be asked now is decided without the server, not later.
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
        reconnectStrategy: (attempts: number) => Math.min(50 * 2 ** attempts, LONGEST_PAUSE_MS),
      },
    });
    this.client.on('ready', onReady).on('error', onError);
  }

  /** Begins to connect, and goes on until `close`. */
  open(): void {
    // It only rejects when the connection is closed before it was made; failed attempts are told by the event.
    this.client.connect().catch(() => undefined);
  }

  get isReady(): boolean {
    return this.client.isReady;
  }

  /** @throws Error when the server does not answer, or refuses */
  async call(args: readonly string[]): Promise<unknown> {
    try {
      return await this.client.sendCommand(['EVALSHA', this.hash, ...args]);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      // A server that has started since; it keeps the script from now on.
      return this.client.sendCommand(['EVAL', this.text, ...args]);
    }
  }

  close(): void {
    this.client.destroy();
  }
}

const isUnknownScript = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT');
