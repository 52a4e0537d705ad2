import Type, { type Static } from 'typebox';
import { defineRpc } from './define.js';

const Id = Type.String({ format: 'uuid' });

/** States of a submitted version. */
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

export const SubmissionView = Type.Object({
  id: Id,
  appKey: Type.String(),
  version: Type.String(),
  versionStatus: Type.Enum(VERSION_STATUSES),
  publisher: Type.Object({ tenantId: Id, name: Type.String() }),
  submittedAt: Type.String({ format: 'date-time' }),
  claimedBy: Type.Union([Type.String(), Type.Null()]),
  verdict: Type.Union([Type.String(), Type.Null()]),
  certification: Type.Record(Type.String(), Type.Unknown()),
});
export type SubmissionView = Static<typeof SubmissionView>;

export const listSubmissions = defineRpc({
  subject: 'rpc.marketplace-certification.submissions.list',
  server: 'marketplace-certification',
  callers: ['marketplace-admin'],
  principal: 'user',
  request: Type.Object({ status: Type.Optional(Type.Enum(VERSION_STATUSES)) }),
  response: Type.Object({ data: Type.Array(SubmissionView) }),
  timeoutMs: 5000,
});

export const REVIEW_DECISIONS = ['claim', 'request-changes', 'reject', 'approve', 'publish'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

export const decideSubmission = defineRpc({
  subject: 'rpc.marketplace-certification.submissions.decide',
  server: 'marketplace-certification',
  callers: ['marketplace-admin'],
  principal: 'user',
  request: Type.Object({
    submissionId: Id,
    decision: Type.Enum(REVIEW_DECISIONS),
    reason: Type.Optional(Type.String({ maxLength: 2000 })),
  }),
  response: SubmissionView,
  timeoutMs: 5000,
});

/**
 * The sandboxes of an app in the workspace of its publisher, which calls: active trial installations. NOT_FOUND when the
 * caller's workspace does not publish the app.
 */
export const listSandboxes = defineRpc({
  subject: 'rpc.marketplace-certification.sandboxes.list',
  server: 'marketplace-certification',
  callers: ['webhook-dispatcher'],
  principal: 'user',
  request: Type.Object({ appKey: Type.String() }),
  response: Type.Object({ installationIds: Type.Array(Id) }),
  timeoutMs: 5000,
});
