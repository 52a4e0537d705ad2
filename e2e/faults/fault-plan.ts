import { fractionOf } from '../event-path/seeded.js';

/** What is killed. The relay owner is the process of custom-objects whose relay is active at that moment. */
export const TARGETS = ['dispatcher 1', 'dispatcher 2', 'relay owner', 'NATS', 'PostgreSQL'] as const;
/** The store of JetStream is deleted while NATS is down. */
const STORE_LOST = 'NATS, store deleted';

export type FaultTarget = (typeof TARGETS)[number] | typeof STORE_LOST;

export interface Fault {
  readonly target: FaultTarget;
  /** It is killed once so many leads have been accepted. */
  readonly after: number;
  /** Milliseconds until it is started again. */
  readonly downMs: number;
}

export interface FaultPlan {
  readonly seed: number;
  /** Leads that are accepted while faults happen. */
  readonly leads: number;
  /** In the order of `after`. */
  readonly faults: readonly Fault[];
  /** The hanging receiver begins to answer once so many leads have been accepted and a request has reached it. */
  readonly hangEndsAfter: number;
}

const LONGEST_DOWN_MS = 1_500;

/**
 * In each round everything is killed once, in an order and at moments that the seed determines; in one of the rounds NATS is
 * killed twice, and loses its store the second time.
 */
export function planFaults({ seed, leads, rounds }: { seed: number; leads: number; rounds: number }): FaultPlan {
  const lossRound = Math.floor(fractionOf(seed, 'round of the loss') * rounds);
  const targets = Array.from({ length: rounds }, (_, round) => {
    const ofRound: FaultTarget[] = round === lossRound ? [...TARGETS, STORE_LOST] : [...TARGETS];
    const place = (target: FaultTarget) => fractionOf(seed, `place of ${target} in round ${round}`);
    return ofRound.sort((left, right) => place(left) - place(right));
  }).flat();
  const moments = targets.map((_, index) => Math.ceil(fractionOf(seed, `moment ${index}`) * leads));
  moments.sort((left, right) => left - right);
  return {
    seed,
    leads,
    faults: targets.map((target, index) => ({
      target,
      after: moments[index] ?? leads,
      downMs: Math.round(fractionOf(seed, `down time ${index}`) * LONGEST_DOWN_MS),
    })),
    hangEndsAfter: Math.ceil(leads / 2),
  };
}
