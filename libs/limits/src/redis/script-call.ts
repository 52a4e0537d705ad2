import type { Operation } from '../gcra.js';
import type { Claim, Decision } from '../limiter-store.js';

/** One operation that waits for the server's answer. */
export interface Waiting {
  readonly operation: Operation;
  readonly claims: readonly Claim[];
  readonly decide: (decision: Decision) => void;
}

/**
 * The arguments of one call of the script.
 * @param prefix of the keys: services that share a server may have limits of one name
 */
export function scriptArguments(waiting: readonly Waiting[], prefix: string): string[] {
  const keys: string[] = [];
  const values: string[] = [];
  for (const { operation, claims } of waiting) {
    values.push(operation, String(claims.length));
    for (const { open, key } of claims) {
      keys.push(`${prefix}${open.limit.name}:${key}`);
      values.push(String(open.pace.intervalUs), String(open.pace.roomUs));
    }
  }
  return [String(keys.length), ...keys, ...values];
}

/**
 * What the script has decided for each operation.
 * @throws Error when the answer is not the script's
 */
export function readAnswer(waiting: readonly Waiting[], answer: unknown): Decision[] {
  const expected = waiting.reduce((sum, { claims }) => sum + 1 + claims.length, 1);
  if (!Array.isArray(answer) || answer.length !== expected) throw new Error('The script has answered something else');
  let at = 1;
  return waiting.map(({ claims }) => {
    const refused = answer[at] as number;
    const debtsUs = answer.slice(at + 1, at + 1 + claims.length) as number[];
    at += 1 + claims.length;
    return { refused, debtsUs };
  });
}
