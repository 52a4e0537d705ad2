import Type, { type Static } from 'typebox';
import { OPERATOR_ROLES } from './roles.js';

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
  'operator.sign-in',
  'operator.sign-in-failed',
  'operator.sign-out',
  'operator.replace-recovery-codes',
] as const;
export type OperatorAct = (typeof OPERATOR_ACTS)[number];

/** What an act is about. */
export const OPERATOR_SUBJECTS = ['submission', 'app', 'tenant', 'operator', 'platform'] as const;
export type OperatorSubject = (typeof OPERATOR_SUBJECTS)[number];

const Id = Type.String({ format: 'uuid' });
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const State = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]);

export const OperatorAuditEntry = Type.Object({
  /** UUIDv7: its time is the time of the entry, and entries sort by it. */
  id: Id,
  /** Null for an act by the program on the server, which nobody signs in to. */
  operatorId: Type.Union([Id, Type.Null()]),
  /** Role of the operator at that time. */
  role: Type.Union([Type.Enum(OPERATOR_ROLES), Type.Null()]),
  act: Type.Enum(OPERATOR_ACTS),
  subjectKind: Type.Enum(OPERATOR_SUBJECTS),
  subjectId: Type.String(),
  /** For people: the app and version, the e-mail address of the operator, … */
  subjectName: TextOrNull,
  reason: TextOrNull,
  /** What the operator had before them, such as the checks that had failed. */
  findings: State,
  before: State,
  after: State,
});
export type OperatorAuditEntry = Static<typeof OperatorAuditEntry>;

export const OperatorAuditQuery = Type.Object({
  operatorId: Type.Optional(Id),
  act: Type.Optional(Type.Enum(OPERATOR_ACTS)),
  subjectKind: Type.Optional(Type.Enum(OPERATOR_SUBJECTS)),
  subjectId: Type.Optional(Type.String()),
  /** Occurs in the reason or in the name of the subject. */
  text: Type.Optional(Type.String()),
  /** Milliseconds since 1970, included. */
  from: Type.Optional(Type.Integer()),
  /** Milliseconds since 1970, not included. */
  to: Type.Optional(Type.Integer()),
  /** Entries before this one. */
  beforeId: Type.Optional(Id),
  limit: Type.Integer({ minimum: 1, maximum: 200 }),
});
export type OperatorAuditQuery = Static<typeof OperatorAuditQuery>;

/** The newest entries first. */
export const OperatorAuditPage = Type.Object({
  data: Type.Array(OperatorAuditEntry),
  /** Whether there are more after the last one. */
  more: Type.Boolean(),
});
export type OperatorAuditPage = Static<typeof OperatorAuditPage>;
