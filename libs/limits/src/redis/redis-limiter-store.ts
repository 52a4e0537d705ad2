import { absentUntilSet, counter, gauge } from '@crm/telemetry';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Claim, type Decision, LimiterStore, MemoryLimiterStore, type Operation } from '../limiter-store.js';
import { GCRA_SCRIPT, RedisScript, ScriptCall, type Waiting } from './redis-script.js';

export const isShared = absentUntilSet(
  gauge(
    'limits_shared',
    'Whether the limits of this process are counted in Redis, for all replicas together: 0 while Redis cannot be asked',
  ),
);

export const localDecisions = counter(
  'limits_local_decisions_total',
  'Operations on limits that were counted in this process because Redis could not be asked',
);

/** An answer usually takes less than a millisecond; no request waits longer than this for its limits. */
const ANSWER_TIMEOUT_MS = 250;
/** Milliseconds without questions to a server that did not answer in time. */
const PAUSE_MS = 1_000;
/** Turns of the event loop that operations are gathered in, or until there are so many: the fewer calls, the less each costs. */
const TURNS_TO_GATHER = 6;
const ENOUGH_TO_ASK = 16;
/** Operations of one call of the script, which nobody else's call can interrupt: some 200 µs of the server. */
const MOST_TOGETHER = 100;

/**
 * What is asked while a call is under way is one call of the script: the busier the process, the less a request costs.
 * Without the server every process counts by itself, from zero, and no request waits for long (decision record 0170).
 */
@Injectable()
export class RedisLimiterStore extends LimiterStore implements OnApplicationShutdown {
  private readonly logger = new Logger('Limits');
  private readonly memory = new MemoryLimiterStore();
  private readonly script: RedisScript;
  private waiting: Waiting[] = [];
  /** Undefined until the server was reached or missed for the first time. */
  private shared: boolean | undefined;
  private pausedUntil = 0;
  private callsUnderWay = 0;

  /** @param answerMs how long a request waits for its limits at most */
  constructor(
    url: string,
    private readonly service: string,
    private readonly answerMs = ANSWER_TIMEOUT_MS,
  ) {
    super();
    this.script = new RedisScript(url, GCRA_SCRIPT, {
      onReady: () => this.resume(),
      onError: (error) => this.goLocal(error),
    });
    this.script.open();
  }

  override apply(operation: Operation, claims: readonly Claim[]): Decision | Promise<Decision> {
    if (!this.canAsk()) return this.decideHere(operation, claims);
    return new Promise((decide) => {
      if (this.waiting.length === 0 && this.callsUnderWay === 0) this.askSoon();
      this.waiting.push({ operation, claims, decide });
    });
  }

  onApplicationShutdown(): void {
    this.script.close();
  }

  private canAsk(): boolean {
    return this.script.isReady && (this.pausedUntil === 0 || performance.now() >= this.pausedUntil);
  }

  private ask(): void {
    const { waiting } = this;
    this.waiting = [];
    for (let from = 0; from < waiting.length; from += MOST_TOGETHER) {
      this.askTogether(waiting.slice(from, from + MOST_TOGETHER));
    }
  }

  private askTogether(waiting: readonly Waiting[]): void {
    let isDecided = false;
    this.callsUnderWay += 1;
    const fail = (reason: unknown) => {
      if (isDecided) return;
      isDecided = true;
      clearTimeout(timer);
      this.pausedUntil = performance.now() + PAUSE_MS;
      this.goLocal(reason);
      for (const { operation, claims, decide } of waiting) decide(this.decideHere(operation, claims));
      this.goOn();
    };
    const giveUp = () => fail(new Error('The server did not answer in time'));
    // Not before what has come is read: when this process was late itself, the answer waits behind the timer.
    const timer = setTimeout(() => setImmediate(giveUp), this.answerMs);
    const call = new ScriptCall(waiting);
    this.script
      .call(call.arguments(`limit:${this.service}:`))
      .then((answer) => {
        if (isDecided) return;
        const decisions = call.decisions(answer);
        isDecided = true;
        clearTimeout(timer);
        this.resume();
        waiting.forEach(({ decide }, index) => {
          decide(decisions[index] as Decision);
        });
        this.goOn();
      })
      .catch(fail);
  }

  private goOn(): void {
    this.callsUnderWay -= 1;
    if (this.callsUnderWay > 0 || this.waiting.length === 0) return;
    if (this.canAsk()) {
      this.askSoon();
      return;
    }
    for (const { operation, claims, decide } of this.waiting.splice(0)) decide(this.decideHere(operation, claims));
  }

  /** After a few turns of the event loop: what other sockets bring in them goes along. A process that is idle turns at once. */
  private askSoon(turns = TURNS_TO_GATHER): void {
    setImmediate(() => {
      if (turns > 1 && this.waiting.length < ENOUGH_TO_ASK) this.askSoon(turns - 1);
      else this.ask();
    });
  }

  private decideHere(operation: Operation, claims: readonly Claim[]): Decision {
    localDecisions.inc();
    return this.memory.apply(operation, claims);
  }

  private resume(): void {
    this.pausedUntil = 0;
    if (this.shared === true) return;
    this.shared = true;
    isShared.set(1);
    this.logger.log('Limits are counted in Redis, for all replicas together');
  }

  private goLocal(reason: unknown): void {
    isShared.set(0);
    if (this.shared === false) return;
    this.shared = false;
    this.logger.warn({
      msg: 'Redis cannot be asked; every replica counts limits by itself until it answers again',
      err: reason,
    });
  }
}
