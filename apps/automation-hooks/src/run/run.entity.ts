import { Column, Entity, PrimaryColumn } from 'typeorm';

export const RUN_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export interface RunError {
  readonly code: string;
  readonly detail: string;
}

@Entity({ name: 'run' })
export class Run {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'workflow_id', type: 'uuid' }) workflowId: string;

  /** Version of the workflow's definition that it was accepted with, which it executes. */
  @Column({ name: 'workflow_version', type: 'integer' }) workflowVersion: number;

  /** The event that started it; null for a hook call. */
  @Column({ name: 'event_id', type: 'uuid', nullable: true }) eventId: string | null;

  /** 0 for a run that was started from outside, otherwise one more than the run that caused its event or called its hook. */
  @Column({ type: 'integer' }) depth: number;
  @Column({ type: 'json' }) input: Readonly<Record<string, unknown>>;
  @Column({ type: 'text' }) status: RunStatus;
  @Column({ name: 'error_code', type: 'text', nullable: true }) errorCode: string | null;
  @Column({ name: 'error_detail', type: 'text', nullable: true }) errorDetail: string | null;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'started_at', type: 'timestamptz', nullable: true }) startedAt: Date | null;
  @Column({ name: 'finished_at', type: 'timestamptz', nullable: true }) finishedAt: Date | null;
}

export type RunWithSteps = Run & { readonly steps: readonly RunStep[] };

/** A run in a list: without what may be long. */
export interface RunSummary
  extends Readonly<Omit<Run, 'tenantId' | 'workflowVersion' | 'eventId' | 'depth' | 'input'>> {
  /** Null when it was not asked for, or when the page has no space for it. */
  readonly input: Run['input'] | null;
  readonly steps: readonly StepSummary[];
}

export const STEP_STATUSES = ['running', 'succeeded', 'failed'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** An action of a run that was begun. */
@Entity({ name: 'run_step' })
export class RunStep {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ name: 'run_id', type: 'uuid' }) runId: string;

  /** From 0. */
  @PrimaryColumn({ type: 'integer' }) position: number;
  @Column({ type: 'text' }) key: string;
  @Column({ type: 'text' }) type: string;
  @Column({ type: 'text' }) status: StepStatus;

  /** How many attempts have failed in a way that another attempt may not. */
  @Column({ type: 'integer' }) attempts: number;

  /** When a step that waits continues. */
  @Column({ name: 'due_at', type: 'timestamptz', nullable: true }) dueAt: Date | null;

  /** The output that later steps can read. */
  @Column({ type: 'json', nullable: true }) output: Readonly<Record<string, unknown>> | null;
  @Column({ name: 'error_code', type: 'text', nullable: true }) errorCode: string | null;
  @Column({ name: 'error_detail', type: 'text', nullable: true }) errorDetail: string | null;
}

export type StepResult = Readonly<Omit<RunStep, 'tenantId' | 'runId'>>;

export type StepSummary = Readonly<Pick<RunStep, 'key' | 'type' | 'status' | 'errorCode' | 'errorDetail'>>;
