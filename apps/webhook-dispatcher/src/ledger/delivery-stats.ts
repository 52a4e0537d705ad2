/** What became of the deliveries of the events of an hour. */
export interface HourStats {
  /** When it begins. */
  readonly at: Date;
  readonly deliveries: number;
  readonly delivered: number;
  /** Those whose last attempt was refused by the address policy included. */
  readonly failed: number;
  /** Of all its deliveries, whenever they were made. */
  readonly attempts: number;
  /** Of the last attempts, in milliseconds; null when none was made. */
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
}
