import { Injectable } from '@nestjs/common';
import { debtAfter, hasRoom, type Operation } from './gcra.js';
import { type Claim, type Decision, LimiterStore } from './limiter-store.js';

const US_PER_MS = 1000;

/** No step of the machine's clock can open or close a limit. */
const monotonicUs = (): number => Math.floor(performance.now() * US_PER_MS);

/** Counts in the memory of the process: N replicas allow N times as much. */
@Injectable()
export class MemoryLimiterStore extends LimiterStore {
  /** Whole microseconds; a test sets another clock. */
  protected nowUs: () => number = monotonicUs;

  override apply(operation: Operation, claims: readonly Claim[]): Decision {
    const nowUs = this.nowUs();
    const debtsUs: number[] = [];
    let refused = -1;
    for (let index = 0; index < claims.length; index += 1) {
      const { open, key } = claims[index] as Claim;
      const debtUs = Math.max(0, (open.cells.find(key)?.emptyAtUs ?? nowUs) - nowUs);
      if (refused < 0 && operation === 'take' && !hasRoom(open.pace, debtUs)) refused = index;
      debtsUs.push(debtUs);
    }
    if (refused >= 0 || operation === 'look') return { refused, debtsUs };
    for (let index = 0; index < claims.length; index += 1) {
      const { open, key } = claims[index] as Claim;
      const debtUs = debtAfter(operation, open.pace, debtsUs[index] as number);
      open.cells.cellOf(key, nowUs).emptyAtUs = nowUs + debtUs;
      debtsUs[index] = debtUs;
    }
    return { refused, debtsUs };
  }
}
