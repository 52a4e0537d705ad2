import type { EventName } from '@crm/contracts';
import { FIELD_TYPE_NAMES } from '@crm/fields';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key of the payload whose type the author declares, so that conditions can use it by that type. */
export interface PayloadKey {
  readonly name: string;
  readonly type: string;
}

export type Trigger =
  | { readonly type: 'webhook_received'; readonly payload?: readonly PayloadKey[] }
  | { readonly type: 'event'; readonly event: EventName; readonly payload?: readonly PayloadKey[] };

interface ActionHead {
  /** Names the step; later templates read its output by this name, e.g. `{{lead.id}}`. */
  readonly key?: string;
}

export type Values = Readonly<Record<string, unknown>>;

/** The actions that runs execute. Texts in their values are templates. */
export type Action = ActionHead &
  (
    | { readonly type: 'create_record'; readonly object: string; readonly values: Values }
    | { readonly type: 'update_record'; readonly object: string; readonly id: string; readonly values: Values }
    | {
        readonly type: 'create_task';
        readonly title: string;
        readonly description?: string;
        readonly dueInDays?: number;
        readonly assignee?: string;
      }
    | {
        readonly type: 'http_request';
        readonly url: string;
        readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: unknown;
      }
    | { readonly type: 'wait'; readonly seconds: number }
  );

/** The behaviour of a workflow, from a manifest or from the tenant. */
export interface WorkflowDefinition {
  readonly trigger: Trigger;
  /** A formula over the top-level keys of the payload. */
  readonly condition?: string;
  readonly actions: readonly Action[];
}

/** The key that the author gave the step, otherwise made of its number, from 1. */
export const stepKey = (action: Action, position: number): string => action.key ?? `step${position + 1}`;

/** Types that a payload key can be declared with: those of fields except formulas, and `boolean` as JSON calls it. */
export const PAYLOAD_TYPES: readonly string[] = [...FIELD_TYPE_NAMES.filter((name) => name !== 'formula'), 'boolean'];

/** The installation that a workflow belongs to. */
export interface WorkflowOrigin {
  readonly installationId: string;
  readonly appKey: string;
  /** `key` of the automation in the manifest. */
  readonly automationKey: string;
  readonly grantedScopes: readonly string[];
}

@Entity({ name: 'workflow' })
export class Workflow {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'integer' })
  version: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'json' })
  definition: WorkflowDefinition;

  /** Counts the definitions; a run keeps to the one that it was accepted with. */
  @Column({ name: 'definition_version', type: 'integer' })
  definitionVersion: number;

  @Column({ name: 'trigger_type', type: 'text' })
  triggerType: Trigger['type'];

  /** Null unless an event starts it. */
  @Column({ name: 'event_name', type: 'text', nullable: true })
  eventName: string | null;

  @Column({ type: 'boolean' })
  enabled: boolean;

  /** The user whose rights the runs have; of an app's workflow, who installed the app, and the app's rights count. */
  @Column({ name: 'author_id', type: 'uuid' })
  authorId: string;

  /** This and the next three are null in a workflow that the tenant created. */
  @Column({ name: 'installation_id', type: 'uuid', nullable: true })
  installationId: string | null;

  @Column({ name: 'automation_key', type: 'text', nullable: true })
  automationKey: string | null;

  @Column({ name: 'app_key', type: 'text', nullable: true })
  appKey: string | null;

  @Column({ name: 'granted_scopes', type: 'text', array: true, nullable: true })
  grantedScopes: string[] | null;

  /** API names that the package declares, to those in the tenant. */
  @Column({ name: 'object_names', type: 'json' })
  objectNames: Readonly<Record<string, string>>;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;

  /** Null for a workflow that the tenant created. */
  get origin(): WorkflowOrigin | null {
    const { installationId, appKey, automationKey, grantedScopes } = this;
    return installationId === null
      ? null
      : ({ installationId, appKey, automationKey, grantedScopes } as WorkflowOrigin);
  }
}
