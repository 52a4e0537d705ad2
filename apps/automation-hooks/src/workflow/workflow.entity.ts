import type { WorkflowDefinition } from './workflow.definition.js';

/** The installation a workflow came with. */
export interface WorkflowOrigin {
  readonly installationId: string;
  readonly appKey: string;
  /** `key` of the automation in the manifest. */
  readonly automationKey: string;
  readonly grantedScopes: readonly string[];
}

export interface Workflow {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly definition: WorkflowDefinition;
  readonly enabled: boolean;
  /** Whose rights the runs have; for an app's workflow who installed it, and the app's rights count. */
  readonly authorId: string;
  /** Null for a workflow that the tenant made itself. */
  readonly origin: WorkflowOrigin | null;
  /** Api-names declared in the package to those of the tenant. */
  readonly objectNames: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
