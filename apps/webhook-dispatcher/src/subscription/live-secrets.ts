/** The secrets of a row as they are stored, sealed. */
export interface SecretRow {
  readonly secret: Buffer | null;
  readonly previous_secret: Buffer | null;
  readonly previous_secret_until: Date | null;
}

/** Those that sign at `now`, the newest first: after a rotation both, until the time of the older one is over. */
export function liveAt(row: SecretRow | undefined, now: Date): Buffer[] {
  if (!row?.secret) return [];
  const { previous_secret: previous, previous_secret_until: until } = row;
  return previous !== null && until !== null && until > now ? [row.secret, previous] : [row.secret];
}
