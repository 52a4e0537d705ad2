import { WebhookVerificationError } from './verification-error.js';

/** One secret, or several: during a rotation the new and the previous one. */
export type Secrets = string | readonly string[];

/**
 * @returns at least one secret, each a text that is not empty
 * @throws WebhookVerificationError `malformed_secret`
 */
export function listSecrets(secrets: Secrets): readonly string[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) throw new WebhookVerificationError('malformed_secret', 'No secret was given');
  list.forEach((secret, index) => {
    if (typeof secret !== 'string') throw malformedSecret(index, list.length, 'is not a string');
    if (secret === '') throw malformedSecret(index, list.length, 'is empty');
  });
  return list as readonly string[];
}

/**
 * @param index from 0
 * @param fault says nothing of the secret's content
 */
export function malformedSecret(index: number, count: number, fault: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'malformed_secret',
    count === 1 ? `The secret ${fault}` : `Secret ${index + 1} of ${count} ${fault}`,
  );
}
