import { createHash } from 'node:crypto';

/**
 * A number in [0, 1) that the seed and a name determine: the same in every run, whatever happens before.
 * @param name what it decides, such as the answer to the second attempt of a delivery
 */
export function fractionOf(seed: number, name: string): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE(0) / 2 ** 32;
}
