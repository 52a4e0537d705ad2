import { DateTimeField, EnumField, IdField, JsonField, ListField, ListQuery, ObjectField, TextField } from '@crm/http';
import {
  RUN_STATUSES,
  type RunError,
  type RunStatus,
  type RunSummary,
  STEP_STATUSES,
  type StepStatus,
} from './run.entity.js';

export class ListRunsQuery extends ListQuery {
  @IdField({ optional: true, description: 'Only runs of this workflow' }) workflowId?: string;
  @EnumField(RUN_STATUSES, { optional: true, description: 'Only runs in this status' }) status?: RunStatus;
}

export class RunErrorView {
  @TextField({ maxLength: 60 }) code: string;
  @TextField({ maxLength: 2000 }) detail: string;
}

export class StepView {
  @TextField({ maxLength: 40, example: 'create_visit' }) key: string;
  @TextField({ maxLength: 40, example: 'create_record' }) type: string;
  @EnumField(STEP_STATUSES) status: StepStatus;
  @ObjectField(() => RunErrorView, { optional: true }) error?: RunErrorView;
}

export class RunView {
  @IdField() id: string;
  @IdField() workflowId: string;
  @EnumField(RUN_STATUSES) status: RunStatus;

  @JsonField({
    optional: true,
    description:
      'The payload, for admins only. A list includes up to 300 kB of payloads, newest first; get a run to read the rest',
  })
  input?: Readonly<Record<string, unknown>>;

  @ListField(() => StepView) steps: StepView[];
  @ObjectField(() => RunErrorView, { optional: true }) error?: RunErrorView;
  @DateTimeField() createdAt: string;
  @DateTimeField({ nullable: true }) startedAt: string | null;
  @DateTimeField({ nullable: true }) finishedAt: string | null;
}

/** @param withInput shows the payload, which may contain unreadable fields of a record: for administrators only */
export function toRunView(run: RunSummary, withInput: boolean): RunView {
  return {
    id: run.id,
    workflowId: run.workflowId,
    status: run.status,
    ...(withInput && run.input && { input: run.input }),
    steps: run.steps.map(({ key, type, status, ...step }) => ({ key, type, status, ...errorOf(step) })),
    ...errorOf(run),
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
  };
}

function errorOf({ errorCode, errorDetail }: Pick<RunSummary, 'errorCode' | 'errorDetail'>): { error?: RunError } {
  return errorCode === null ? {} : { error: { code: errorCode, detail: errorDetail ?? '' } };
}
