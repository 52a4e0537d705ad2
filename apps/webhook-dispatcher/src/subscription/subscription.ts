/** A subscription without its secrets. */
export interface Subscription {
  readonly id: string;
  /** The installation that brought it; null when the tenant made it. */
  readonly installationId: string | null;
  readonly appKey: string | null;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  /** A formula over the delivery's data; null delivers all. */
  readonly filter: string | null;
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  readonly createdAt: Date;
}
