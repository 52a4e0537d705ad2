import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** Characters that are looked at: time grows faster than length, and a password that is weak so far is refused anyway. */
const LONGEST = 40;

/** How an attacker would get at a password. */
export interface GuessEstimate {
  readonly guesses: number;
  /** Whether the cheapest way uses what is known of its owner. */
  readonly usesOwnWords: boolean;
}

let estimator: Promise<ZxcvbnFactory> | undefined;

/**
 * How many guesses a password takes from somebody who begins with the passwords known from breaches, keyboard patterns, dates,
 * repetitions and the words given. The list is some 50,000 passwords from breaches and 8,000 words; it is read with the
 * first password, because most processes never need it.
 * @param ownWords in lower case
 */
export async function estimateGuesses(password: string, ownWords: readonly string[]): Promise<GuessEstimate> {
  estimator ??= openEstimator();
  const { guesses, sequence } = (await estimator).check(password.slice(0, LONGEST), [...ownWords]);
  return { guesses, usesOwnWords: sequence.some((part) => part.dictionaryName === 'userInputs') };
}

async function openEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: LONGEST });
}
