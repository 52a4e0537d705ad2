export const RUN_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const STEP_STATUSES = ['running', 'succeeded', 'failed'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** Why a run or a step did not succeed. */
export interface RunError {
  readonly code: string;
  readonly detail: string;
}

export interface Step {
  /** From 0. */
  readonly position: number;
  readonly key: string;
  readonly type: string;
  readonly status: StepStatus;
  /** How often it was tried and failed in a way that may pass. */
  readonly attempts: number;
  /** Until when a waiting step waits. */
  readonly dueAt: Date | null;
  /** What later steps can read under the step's key. */
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly error: RunError | null;
}

export interface Run {
  readonly id: string;
  readonly workflowId: string;
  readonly eventId: string | null;
  /** 0 for a run that nothing but the outside started, otherwise one more than the run that caused its event. */
  readonly depth: number;
  readonly input: Readonly<Record<string, unknown>>;
  readonly status: RunStatus;
  readonly error: RunError | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly steps: readonly Step[];
}

/** A step and a run as lists hold them: without what may be long. */
export type StepSummary = Omit<Step, 'output'>;

export interface RunSummary extends Omit<Run, 'input' | 'steps'> {
  /** Null when it was not asked for, or is more than a page has room for. */
  readonly input: Run['input'] | null;
  readonly steps: readonly StepSummary[];
}
