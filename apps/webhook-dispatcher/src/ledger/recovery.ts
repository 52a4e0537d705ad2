/** `stopped`: the subscription was paused or disabled meanwhile; what is left is held. */
export const RECOVERY_STATES = ['running', 'completed', 'stopped'] as const;
export type RecoveryState = (typeof RECOVERY_STATES)[number];

/** Sending what a subscription holds. A subscription has one at a time; the last one is kept. */
export interface Recovery {
  readonly state: RecoveryState;
  /** Of events that happened then or later; null for all. */
  readonly since: Date | null;
  /** Whether failed deliveries are sent too. */
  readonly includeFailed: boolean;
  /** How many deliveries there were when it began, at most as many as were asked for. */
  readonly total: number;
  /** How many of them were made due. */
  readonly done: number;
  readonly startedAt: Date;
  /** When nothing was left to make due; null while it runs. */
  readonly finishedAt: Date | null;
}

/** What a recovery sends: which deliveries of the subscription, the oldest events first. */
export interface RecoveryRequest {
  readonly subscriptionId: string;
  readonly since: Date | null;
  readonly includeFailed: boolean;
  /** How many at most. */
  readonly limit: number;
}
