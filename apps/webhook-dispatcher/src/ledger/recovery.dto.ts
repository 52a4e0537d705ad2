import { BooleanField, DateTimeField, EnumField, IntegerField } from '@crm/http';
import { RECOVERY_STATES, type Recovery, type RecoveryState } from './recovery.repository.js';

/** Deliveries of one recovery: as many as a subscription holds by default. */
export const MOST_DELIVERIES = 100_000;

export class StartRecoveryInput {
  @DateTimeField({
    optional: true,
    description: 'Only events that happened then or later; all that are kept when left out',
    example: '2026-03-01T09:30:00.000Z',
  })
  since?: string;

  @IntegerField({
    optional: true,
    minimum: 1,
    maximum: MOST_DELIVERIES,
    description: `How many deliveries at most, the oldest events first; ${MOST_DELIVERIES} when left out`,
    example: 1000,
  })
  limit?: number;

  @BooleanField({
    optional: true,
    description:
      'Whether to send those again, too, that failed (`failed`, `blocked`). Each gets one attempt, and whatever is left of its schedule',
    example: false,
  })
  includeFailed?: boolean;
}

export class RecoveryView {
  @EnumField(RECOVERY_STATES, {
    description:
      '`stopped`: the subscription was paused or disabled before all were on their way; what is left stays held',
  })
  state: RecoveryState;

  @DateTimeField({ nullable: true }) since: string | null;
  @BooleanField() includeFailed: boolean;
  @IntegerField({ minimum: 0, description: 'Deliveries that it began with', example: 1000 }) total: number;

  @IntegerField({
    minimum: 0,
    description: 'How many of them are on their way; the ledger shows what becomes of each',
    example: 256,
  })
  done: number;

  @IntegerField({
    minimum: 0,
    description: 'How many are still to come. Those that were sent by hand meanwhile or are no longer kept do not come',
    example: 744,
  })
  remaining: number;

  @DateTimeField() startedAt: string;

  @DateTimeField({ nullable: true, description: 'When it was completed or stopped; null while it runs', example: null })
  finishedAt: string | null;
}

export const recoveryView = (recovery: Recovery): RecoveryView => ({
  state: recovery.state,
  since: recovery.since?.toISOString() ?? null,
  includeFailed: recovery.includeFailed,
  total: recovery.total,
  done: recovery.done,
  remaining: recovery.state === 'completed' ? 0 : recovery.total - recovery.done,
  startedAt: recovery.startedAt.toISOString(),
  finishedAt: recovery.finishedAt?.toISOString() ?? null,
});
