import type { ExecutedAction, ExecutedTrigger } from '@crm/manifest';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Texts in the values of actions are templates. */
export type Trigger = ExecutedTrigger;
export type Action = ExecutedAction;

/** The behaviour of a workflow, from a manifest or from the tenant. */
export interface WorkflowDefinition {
  readonly trigger: Trigger;
  /** A formula over the top-level keys of the payload. */
  readonly condition?: string;
  readonly actions: readonly Action[];
}

/** The key that the author gave the step, otherwise made of its number, from 1. */
export const stepKey = (action: Action, position: number): string => action.key ?? `step${position + 1}`;

export interface WorkflowOrigin {
  readonly installationId: string;
  readonly appKey: string;
  readonly sandbox: boolean;
  /** `key` of the automation in the manifest. */
  readonly automationKey: string;
  readonly grantedScopes: readonly string[];
}

@Entity({ name: 'workflow' })
export class Workflow {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ type: 'integer' }) version: number;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'json' }) definition: WorkflowDefinition;

  /** Counts the definitions; a run keeps to the one that it was accepted with. */
  @Column({ name: 'definition_version', type: 'integer' }) definitionVersion: number;
  @Column({ name: 'trigger_type', type: 'text' }) triggerType: Trigger['type'];

  /** Null unless an event starts it. */
  @Column({ name: 'event_name', type: 'text', nullable: true }) eventName: string | null;
  @Column({ type: 'boolean' }) enabled: boolean;

  /** The user whose rights the runs have; of an app's workflow, who installed the app, and the app's rights count. */
  @Column({ name: 'author_id', type: 'uuid' }) authorId: string;

  /** This and the next three are null in a workflow that the tenant created. */
  @Column({ name: 'installation_id', type: 'uuid', nullable: true }) installationId: string | null;
  @Column({ name: 'automation_key', type: 'text', nullable: true }) automationKey: string | null;
  @Column({ name: 'app_key', type: 'text', nullable: true }) appKey: string | null;
  @Column({ type: 'boolean' }) sandbox: boolean;
  @Column({ name: 'granted_scopes', type: 'text', array: true, nullable: true }) grantedScopes: string[] | null;

  /** API names that the package declares, to those in the tenant. */
  @Column({ name: 'object_names', type: 'json' }) objectNames: Readonly<Record<string, string>>;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;

  /** Null for a workflow that the tenant created. */
  get origin(): WorkflowOrigin | null {
    const { installationId, appKey, sandbox, automationKey, grantedScopes } = this;
    return installationId === null
      ? null
      : ({ installationId, appKey, sandbox, automationKey, grantedScopes } as WorkflowOrigin);
  }
}

/** What is shown of a workflow. */
export type ShownWorkflow = Pick<
  Workflow,
  'id' | 'version' | 'name' | 'definition' | 'enabled' | 'appKey' | 'installationId' | 'createdAt' | 'updatedAt'
>;
