import { Injectable } from '@nestjs/common';
import type { Cell } from './cells.js';
import { debtAfter, hasRoom, type Operation } from './gcra.js';
import { type Claim, type Decision, LimiterStore, type OpenLimit } from './limiter-store.js';

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
    if (operation === 'look') return { refused: -1, debtsUs: claims.map(({ open, key }) => look(open, key, nowUs)) };
    // One search for each key: this is done for every request.
    const cells: Cell[] = [];
    const debtsUs: number[] = [];
    let refused = -1;
    for (let index = 0; index < claims.length; index += 1) {
      const { open, key } = claims[index] as Claim;
      const cell = open.cells.cellOf(key, nowUs);
      const debtUs = Math.max(0, cell.emptyAtUs - nowUs);
      if (refused < 0 && operation === 'take' && !hasRoom(open.pace, debtUs)) refused = index;
      cells.push(cell);
      debtsUs.push(debtUs);
    }
    if (refused >= 0) return { refused, debtsUs };
    for (let index = 0; index < claims.length; index += 1) {
      const debtUs = debtAfter(operation, (claims[index] as Claim).open.pace, debtsUs[index] as number);
      (cells[index] as Cell).emptyAtUs = nowUs + debtUs;
      debtsUs[index] = debtUs;
    }
    return { refused, debtsUs };
  }
}

const look = ({ cells }: OpenLimit, key: string, nowUs: number): number =>
  Math.max(0, (cells.find(key)?.emptyAtUs ?? nowUs) - nowUs);
