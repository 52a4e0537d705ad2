import { PlatformError } from '@crm/contracts';
import { compareVersions } from '@crm/manifest';

export const VERSION_STATUSES = [
  'draft',
  'in_review',
  'changes_requested',
  'rejected',
  'approved',
  'published',
  'deprecated',
  'suspended',
  'revoked',
  'withdrawn',
] as const;
export type VersionStatus = (typeof VERSION_STATUSES)[number];

/** Who moves a version: its publisher, an operator, or the platform itself when a newer version replaces it. */
export type Actor = 'developer' | 'operator' | 'system';

export const VERSION_ACTIONS = [
  'submit',
  'claim',
  'release',
  'request-changes',
  'reject',
  'approve',
  'publish',
  'withdraw',
  'deprecate',
  'suspend',
  'reinstate',
  'revoke',
] as const;
export type VersionAction = (typeof VERSION_ACTIONS)[number];

export const REVIEW_DECISIONS = ['claim', 'release', 'request-changes', 'reject', 'approve', 'publish'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];
export const APP_DECISIONS = ['suspend', 'reinstate', 'revoke', 'unlist'] as const;
export type AppDecision = (typeof APP_DECISIONS)[number];

interface Transition {
  readonly actor: Actor;
  readonly to: VersionStatus;
  readonly reasonRequired?: true;
}

const reject: Transition = { actor: 'operator', to: 'rejected', reasonRequired: true };
const withdraw: Transition = { actor: 'developer', to: 'withdrawn' };
const publish: Transition = { actor: 'operator', to: 'published' };
const revoke: Transition = { actor: 'operator', to: 'revoked', reasonRequired: true };

/** Every move a version can make; any other is refused. Publishing a version with open warnings requires a reason. */
export const TRANSITIONS: Readonly<Record<VersionStatus, Readonly<Partial<Record<VersionAction, Transition>>>>> = {
  draft: { submit: { actor: 'developer', to: 'in_review' } },
  in_review: {
    claim: { actor: 'operator', to: 'in_review' },
    release: { actor: 'operator', to: 'in_review' },
    'request-changes': { actor: 'operator', to: 'changes_requested', reasonRequired: true },
    reject,
    approve: { actor: 'operator', to: 'approved' },
    publish,
    withdraw,
  },
  changes_requested: { reject, withdraw },
  rejected: {},
  approved: { publish, reject, withdraw },
  published: {
    deprecate: { actor: 'system', to: 'deprecated' },
    suspend: { actor: 'operator', to: 'suspended', reasonRequired: true },
    revoke,
  },
  deprecated: { revoke },
  suspended: { reinstate: { actor: 'operator', to: 'published', reasonRequired: true }, revoke },
  revoked: {},
  withdrawn: {},
};

/**
 * Returns the status after an action.
 * @param reason why; trimmed text or nothing
 * @throws PlatformError SUBMISSION_STATE when the status does not allow the action, or allows it to another kind of actor;
 *   VALIDATION_FAILED when the action requires a reason and has none
 */
export function nextStatus(from: VersionStatus, action: VersionAction, actor: Actor, reason?: string): VersionStatus {
  const transition = TRANSITIONS[from][action];
  if (!transition || transition.actor !== actor) {
    throw new PlatformError('SUBMISSION_STATE', `A version with the status ${from} doesn't allow ${action}`);
  }
  if (transition.reasonRequired && !reason) throw reasonRequired(`Enter a reason to ${action}`);
  return transition.to;
}

export function reasonRequired(detail: string): PlatformError {
  return new PlatformError('VALIDATION_FAILED', detail, {
    errors: [{ pointer: '/reason', code: 'required', detail }],
  });
}

export const highestFirst = (one: { version: string }, other: { version: string }): number =>
  compareVersions(other.version, one.version);
