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

export const LIVE_STATES: readonly InstallationState[] = ['installing', 'active', 'compensating', 'uninstalling'];

/**
 * The parts of a package, in the order in which they are provisioned: workflows name the objects of the tenant, and users can
 * authorize an app when everything else is in place.
 */
export const STEP_NAMES = ['objects', 'workflows', 'subscriptions', 'authorization'] as const;
export type StepName = (typeof STEP_NAMES)[number];

export const STEP_STATES = ['pending', 'running', 'done', 'failed', 'undone'] as const;
export type StepState = (typeof STEP_STATES)[number];

/** An error as it is stored and shown: a catalogued code and a detail for people. */
export interface StoredError {
  readonly code: string;
  readonly detail: string;
}

export interface Failure extends StoredError {
  readonly step: StepName;
}
