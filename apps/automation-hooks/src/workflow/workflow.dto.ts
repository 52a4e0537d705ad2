import { BooleanField, DateTimeField, field, IdField, IntegerField, JsonField, ListField, TextField } from '@crm/http';
import type { Action, ShownWorkflow } from './workflow.entity.js';

/** Longest formula, in characters: the limit of the formula language. */
const MAX_CONDITION = 4000;

export class CreateWorkflowInput {
  @TextField({ maxLength: 200, example: 'Create a task for large leads' }) name: string;

  @JsonField({
    description: '`{type: "webhook_received"}` or `{type: "event", event}`, with `payload` as in a manifest',
    example: { type: 'webhook_received', payload: [{ name: 'amount', type: 'number' }] },
  })
  trigger: Record<string, unknown>;

  @TextField({
    maxLength: MAX_CONDITION,
    optional: true,
    nullable: true,
    description: 'A formula over payload keys',
    example: 'amount > 1000',
  })
  condition?: string | null;

  @ListField(field.json(), {
    minItems: 1,
    description: 'Actions as in a manifest',
    example: [{ type: 'create_task', title: 'Call about {{amount}}' }],
  })
  actions: Record<string, unknown>[];
}

export class ChangeWorkflowInput {
  @BooleanField() enabled: boolean;
}

export class WorkflowView {
  @IdField() id: string;
  @IntegerField() version: number;
  @TextField({ maxLength: 200 }) name: string;
  @JsonField() trigger: unknown;

  @TextField({ maxLength: MAX_CONDITION, optional: true, nullable: true, description: 'For admins only' })
  condition?: string | null;

  @ListField(field.json(), {
    description:
      'Complete for admins; everyone else sees `type` and `key`. A list includes up to 400 kB of complete definitions, newest first, and `type` and `key` of the rest; get a workflow to read all of it',
  })
  actions: readonly unknown[];

  @BooleanField() enabled: boolean;

  @TextField({ maxLength: 100, nullable: true, description: 'Key of the app that the workflow belongs to' })
  appKey: string | null;

  @IdField({ nullable: true }) installationId: string | null;
  @DateTimeField() createdAt: string;
  @DateTimeField() updatedAt: string;
}

export class CreatedWorkflowView extends WorkflowView {
  @TextField({ maxLength: 2048, optional: true, description: 'The URL that starts the workflow; keep it secret' })
  hookUrl?: string;
}

/**
 * @param inFull shows conditions and whole actions, which may contain secrets of other systems: for administrators only
 */
export function toWorkflowView(workflow: ShownWorkflow, inFull: boolean): WorkflowView {
  const { trigger, condition, actions } = workflow.definition;
  return {
    id: workflow.id,
    version: workflow.version,
    name: workflow.name,
    trigger,
    ...(inFull && { condition: condition ?? null }),
    actions: inFull ? actions : actions.map(outlineOf),
    enabled: workflow.enabled,
    appKey: workflow.appKey,
    installationId: workflow.installationId,
    createdAt: workflow.createdAt.toISOString(),
    updatedAt: workflow.updatedAt.toISOString(),
  };
}

/** The part of an action that runs show of its step. */
const outlineOf = ({ type, key }: Action): Pick<Action, 'type' | 'key'> => ({
  type,
  ...(key !== undefined && { key }),
});
