import type { Operation } from '../gcra.js';
import type { Claim, Decision, OpenLimit } from '../limiter-store.js';

/** One operation that waits for the server's answer. */
export interface Waiting {
  readonly operation: Operation;
  readonly claims: readonly Claim[];
  readonly decide: (decision: Decision) => void;
}

/**
 * One call of the script: each claim goes once, however many operations name it, and takes of the same claims in succession
 * go as one, because the requests of one caller usually come together.
 */
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
    const placeOf = ({ open, key }: Claim): string => {
      let ofLimit = places.get(open);
      if (!ofLimit) {
        ofLimit = new Map();
        places.set(open, ofLimit);
      }
      let place = ofLimit.get(key);
      if (place === undefined) {
        place = String(keys.push(`${prefix}${open.limit.name}:${key}`));
        ofLimit.set(key, place);
        paces.push(String(open.pace.intervalUs), String(open.pace.roomUs));
      }
      return place;
    };
    for (const { operation, times, claims } of this.runs) {
      operations.push(operation, String(times), String(claims.length));
      for (const claim of claims) operations.push(placeOf(claim));
    }
    return [String(keys.length), ...keys, ...paces, ...operations];
  }

  /**
   * What the script has decided, in the order of what waits.
   * @throws Error when the answer is not the script's
   */
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

/** The same operation, several times in succession. */
interface Run {
  readonly operation: Operation;
  readonly claims: readonly Claim[];
  times: number;
}

const areSame = (claims: readonly Claim[], others: readonly Claim[]): boolean =>
  claims.length === others.length &&
  claims.every(({ open, key }, index) => open === others[index]?.open && key === others[index]?.key);

const intervalOf = (claim: Claim | undefined): number => (claim as Claim).open.pace.intervalUs;
