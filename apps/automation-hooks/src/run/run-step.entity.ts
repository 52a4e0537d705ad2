import { Column, Entity, PrimaryColumn } from 'typeorm';

export const STEP_STATUSES = ['running', 'succeeded', 'failed'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** An action of a run that was begun. */
@Entity({ name: 'run_step' })
export class RunStep {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'run_id', type: 'uuid' })
  runId: string;

  /** From 0. */
  @PrimaryColumn({ type: 'integer' })
  position: number;

  @Column({ type: 'text' })
  key: string;

  @Column({ type: 'text' })
  type: string;

  @Column({ type: 'text' })
  status: StepStatus;

  /** How many attempts have failed in a way that another attempt may not. */
  @Column({ type: 'integer' })
  attempts: number;

  /** When a step that waits continues. */
  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;

  /** What later steps can read under the step's key. */
  @Column({ type: 'json', nullable: true })
  output: Readonly<Record<string, unknown>> | null;

  @Column({ name: 'error_code', type: 'text', nullable: true })
  errorCode: string | null;

  @Column({ name: 'error_detail', type: 'text', nullable: true })
  errorDetail: string | null;
}

/** What an attempt at a step came to. */
export type StepResult = Readonly<Omit<RunStep, 'tenantId' | 'runId'>>;

/** What a list shows of a step. */
export type StepSummary = Readonly<Pick<RunStep, 'key' | 'type' | 'status' | 'errorCode' | 'errorDetail'>>;
