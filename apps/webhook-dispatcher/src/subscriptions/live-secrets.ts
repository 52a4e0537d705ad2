/** The current and the previous secret of a row, sealed. */
export interface StoredSecrets {
  readonly secret: Buffer | null;
  readonly previousSecret: Buffer | null;
  readonly previousSecretUntil: Date | null;
}

/** The secrets that are valid at `now`, newest first: after a rotation both, until the previous one expires. */
export function liveSecrets({ secret, previousSecret, previousSecretUntil }: StoredSecrets, now: Date): Buffer[] {
  if (secret === null) return [];
  const isPreviousLive = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now;
  return isPreviousLive ? [secret, previousSecret] : [secret];
}
