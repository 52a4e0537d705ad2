import { BooleanField, DateTimeField, EnumField, IntegerField } from '@crm/http';
import { RECOVERY_STATES, type Recovery, type RecoveryState } from './recovery.repository.js';

/** Deliveries of one recovery: as many as a subscription holds by default. */
export const MOST_DELIVERIES = 100_000;

export class StartRecoveryInput {
  @DateTimeField({
    optional: true,
    description: 'Only events at or after this time; all kept events by default',
    example: '2026-03-01T09:30:00.000Z',
  })
  since?: string;

  @IntegerField({
    optional: true,
    minimum: 1,
    maximum: MOST_DELIVERIES,
    description: `Maximum number of deliveries, oldest events first; ${MOST_DELIVERIES} by default`,
    example: 1000,
  })
  limit?: number;

  @BooleanField({
    optional: true,
    description:
      'Whether to also resend failed deliveries (`failed`, `blocked`). Each gets one attempt, plus what is left of its schedule',
    example: false,
  })
  includeFailed?: boolean;
}

export class RecoveryView {
  @EnumField(RECOVERY_STATES, {
    description: '`stopped`: the subscription was paused or disabled before all were sent; the rest stays held',
  })
  state: RecoveryState;

  @DateTimeField({ nullable: true }) since: string | null;
  @BooleanField() includeFailed: boolean;
  @IntegerField({ minimum: 0, description: 'Number of deliveries at the start', example: 1000 }) total: number;

  @IntegerField({
    minimum: 0,
    description: 'How many have been sent; the list of deliveries shows the outcome of each',
    example: 256,
  })
  done: number;

  @IntegerField({
    minimum: 0,
    description: 'How many are left, without those resent manually in the meantime or no longer kept',
    example: 744,
  })
  remaining: number;

  @DateTimeField() startedAt: string;

  @DateTimeField({ nullable: true, description: 'When it completed or stopped; null while it runs', example: null })
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
