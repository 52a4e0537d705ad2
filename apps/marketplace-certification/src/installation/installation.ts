import type { ProvisionedHook, ProvisionedObject, ProvisionedSubscription } from '@crm/contracts';

export const INSTALLATION_STATES = [
  'installing',
  'active',
  'compensating',
  'failed',
  'uninstalling',
  'uninstalled',
] as const;
/** `compensating` undoes an installation that failed, `uninstalling` one that is no longer wanted. */
export type InstallationState = (typeof INSTALLATION_STATES)[number];

/** States in which an installation holds something of the tenant. */
export const LIVE_STATES: readonly InstallationState[] = ['installing', 'active', 'compensating', 'uninstalling'];

/** What a package brings, in the order in which it is put in place; workflows name the objects of the tenant. */
export const STEP_NAMES = ['objects', 'workflows', 'subscriptions'] as const;
export type StepName = (typeof STEP_NAMES)[number];

export const STEP_STATES = ['pending', 'running', 'done', 'failed', 'undone'] as const;
export type StepState = (typeof STEP_STATES)[number];

/** An error as it is stored and shown: a catalogued code and a detail for humans. */
export interface StoredError {
  readonly code: string;
  readonly detail: string;
}

/** Why an installation failed, and at which step. */
export interface Failure extends StoredError {
  readonly step: StepName;
}

/** A hook without its address: the address holds a secret and stays with automation-hooks. */
export type HookRef = Omit<ProvisionedHook, 'url'>;

export interface Installation {
  readonly id: string;
  readonly appKey: string;
  readonly versionId: string;
  readonly version: string;
  readonly sandbox: boolean;
  readonly state: InstallationState;
  readonly grantedScopes: string[];
  readonly objects: ProvisionedObject[];
  readonly hooks: HookRef[];
  readonly subscriptions: ProvisionedSubscription[];
  readonly failure: Failure | null;
  readonly createdBy: string;
  /** In whose name the package is put in place; later who asked for the removal. */
  readonly actingUserId: string;
  readonly createdAt: Date;
}

export interface InstallationStep {
  readonly position: number;
  readonly name: StepName;
  readonly state: StepState;
  /** The neighbour did not answer in time, so it may still act on the request after the installation was undone. */
  readonly unsettled: boolean;
  readonly error: StoredError | null;
}
