import type { OperatorRole } from './rights.js';

// The trail of what operators do. identity and marketplace-certification each keep their part, in the transaction of the act
// itself; marketplace-admin shows both as one.

/**
 * The tenant of the platform itself, to which operators belong. Their accounts, sessions and second factors lie in the tables
 * of those of users, kept apart by the same policy, so that one implementation serves both (decision record 0179). No
 * workspace can have this id: the ids of workspaces are UUIDv7 of the present.
 */
export const PLATFORM_TENANT = '00000000-0000-7000-8000-000000000001';

/** What is recorded. */
export const OPERATOR_ACTS = [
  'submission.claim',
  'submission.release',
  'submission.request-changes',
  'submission.reject',
  'submission.approve',
  'submission.publish',
  'app.suspend',
  'app.reinstate',
  'app.revoke',
  'app.unlist',
  'tenant.set-plan',
  'tenant.suspend',
  'tenant.reinstate',
  'embed-conflict.view',
  'operator.create',
  'operator.change',
  'operator.end-sessions',
  'operator.reset-authenticator',
  'operator.change-password',
  'operator.sign-in',
  'operator.sign-in-failed',
  'operator.sign-out',
  'operator.replace-recovery-codes',
] as const;
export type OperatorAct = (typeof OPERATOR_ACTS)[number];

/** What an act is about. */
export const OPERATOR_SUBJECTS = ['submission', 'app', 'tenant', 'operator', 'platform'] as const;
export type OperatorSubject = (typeof OPERATOR_SUBJECTS)[number];

type State = Readonly<Record<string, unknown>>;

export interface OperatorAuditEntry {
  /** UUIDv7: its time is the time of the entry, and entries sort by it. */
  readonly id: string;
  /** Null for an act by the program on the server, which nobody signs in to. */
  readonly operatorId: string | null;
  /** Role of the operator at that time. */
  readonly role: OperatorRole | null;
  readonly act: OperatorAct;
  readonly subjectKind: OperatorSubject;
  readonly subjectId: string;
  /** For people: the app and version, the e-mail address of the operator, … */
  readonly subjectName: string | null;
  readonly reason: string | null;
  /** What the operator had before them, such as the checks that had failed. */
  readonly findings: State | null;
  readonly before: State | null;
  readonly after: State | null;
}

/** The newest entries first. */
export interface OperatorAuditPage {
  readonly data: OperatorAuditEntry[];
  /** True when there are more after the last one. */
  readonly more: boolean;
}
