/**
 * A time by the clock of the database server, as a value for TypeORM to write: the clocks of processes may differ.
 * `repository.insert({ expiresAt: secondsFromNow(60) })`
 * @param seconds from the start of the transaction; may be negative
 */
export function secondsFromNow(seconds: number): () => string {
  if (!Number.isFinite(seconds)) throw new Error('A time needs a finite number of seconds');
  return () => `now() + make_interval(secs => ${seconds})`;
}
