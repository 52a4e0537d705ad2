import Type, { type Static } from 'typebox';
import { OperatorAuditPage, OperatorAuditQuery } from '../operator-audit.js';
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
  /** Who reviews it, or did last; null while nobody's claim counts. */
  claimedBy: Type.Union([Type.String(), Type.Null()]),
  /** When the claim lapses; null when there is none, and after the decision. */
  claimedUntil: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  verdict: Type.Union([Type.String(), Type.Null()]),
  certification: Type.Record(Type.String(), Type.Unknown()),
});
export type SubmissionView = Static<typeof SubmissionView>;

/**
 * Orders of the review queue. `fair`: the oldest submission of every publisher, then the second oldest, and so on; those of
 * a turn by age.
 */
export const QUEUE_SORTS = ['fair', 'submittedAt', '-submittedAt'] as const;
export type QueueSort = (typeof QUEUE_SORTS)[number];

/** Whose claim counts, as the operator who asks sees it. */
export const QUEUE_CLAIMS = ['mine', 'others', 'none'] as const;

export const listSubmissions = defineRpc({
  subject: 'rpc.marketplace-certification.submissions.list',
  server: 'marketplace-certification',
  callers: ['marketplace-admin'],
  principal: 'user',
  request: Type.Object({
    status: Type.Optional(Type.Enum(VERSION_STATUSES)),
    appKey: Type.Optional(Type.String()),
    /** The tenant that publishes. */
    publisherId: Type.Optional(Id),
    submittedBefore: Type.Optional(Type.String({ format: 'date-time' })),
    submittedSince: Type.Optional(Type.String({ format: 'date-time' })),
    /** Occurs in the key or name of the app or in the name of its publisher. */
    text: Type.Optional(Type.String()),
    claim: Type.Optional(Type.Enum(QUEUE_CLAIMS)),
    sort: Type.Optional(Type.Enum(QUEUE_SORTS)),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    cursor: Type.Optional(Type.String()),
    count: Type.Optional(Type.Enum(['exact', 'estimated', 'none'])),
  }),
  response: Type.Object({
    data: Type.Array(SubmissionView),
    page: Type.Integer(),
    size: Type.Integer(),
    total: Type.Union([Type.Integer(), Type.Null()]),
    totalIsExact: Type.Boolean(),
    hasMore: Type.Boolean(),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
  }),
  timeoutMs: 5000,
});

/** What changed against the version that tenants have; `libs/manifest` computes and describes it. */
export const DifferenceView = Type.Object({
  against: Type.Object({ submissionId: Id, version: Type.String(), versionStatus: Type.Enum(VERSION_STATUSES) }),
  entries: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  counts: Type.Record(Type.String(), Type.Integer()),
  complete: Type.Boolean(),
});
export type DifferenceView = Static<typeof DifferenceView>;

/** One step of a submission's way. */
const SubmissionStep = Type.Object({
  at: Type.String({ format: 'date-time' }),
  actorKind: Type.Enum(['developer', 'operator', 'system']),
  actorId: Type.String(),
  action: Type.String(),
  from: Type.String(),
  to: Type.String(),
  reason: Type.Union([Type.String(), Type.Null()]),
});

/** A submission for its reviewer, without its long documents. */
export const getSubmission = defineRpc({
  subject: 'rpc.marketplace-certification.submissions.get',
  server: 'marketplace-certification',
  callers: ['marketplace-admin'],
  principal: 'user',
  request: Type.Object({ submissionId: Id }),
  response: Type.Object({
    submission: SubmissionView,
    name: Type.String(),
    kind: Type.String(),
    manifestSha256: Type.String(),
    /** An operator has unlisted the app: publishing a version does not list it. */
    unlistedByOperator: Type.Optional(Type.Boolean()),
    /** Null for the first version of an app. */
    difference: Type.Union([DifferenceView, Type.Null()]),
    /** Oldest first; of a very long way the latest steps. */
    history: Type.Array(SubmissionStep),
  }),
  timeoutMs: 10_000,
});

export const SUBMISSION_DOCUMENTS = ['manifest', 'reviewPacket', 'certification'] as const;
export type SubmissionDocument = (typeof SUBMISSION_DOCUMENTS)[number];

/** A piece of one of the documents of a submission, as JSON text: a document may be longer than a message. */
export const readSubmissionDocument = defineRpc({
  subject: 'rpc.marketplace-certification.submissions.readDocument',
  server: 'marketplace-certification',
  callers: ['marketplace-admin'],
  principal: 'user',
  request: Type.Object({
    submissionId: Id,
    document: Type.Enum(SUBMISSION_DOCUMENTS),
    /** In characters of the text. */
    offset: Type.Integer({ minimum: 0 }),
  }),
  response: Type.Object({
    text: Type.String(),
    /** Where the next piece begins; null for the last one. */
    nextOffset: Type.Union([Type.Integer(), Type.Null()]),
  }),
  timeoutMs: 5000,
});

export const REVIEW_DECISIONS = ['claim', 'release', 'request-changes', 'reject', 'approve', 'publish'] as const;
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

/**
 * Whether there is an app that the caller's workspace may know: one that it publishes or has installed at some time, and one that
 * was published for others too. What it may not know is not told apart from what does not exist.
 */
export const isAppKnown = defineRpc({
  subject: 'rpc.marketplace-certification.apps.isKnown',
  server: 'marketplace-certification',
  callers: ['custom-objects'],
  principal: 'user',
  request: Type.Object({ appKey: Type.String() }),
  response: Type.Object({ known: Type.Boolean() }),
  timeoutMs: 3000,
});

/** How much depends on an app. */
export const AppImpact = Type.Object({
  appKey: Type.String(),
  name: Type.String(),
  publisher: Type.Object({ tenantId: Id, name: Type.String() }),
  visibility: Type.String(),
  /** It stays unlisted where a version says `public`. */
  unlistedByOperator: Type.Optional(Type.Boolean()),
  /** Null while no version can be installed. */
  publishedVersion: Type.Union([Type.String(), Type.Null()]),
  suspendedVersion: Type.Union([Type.String(), Type.Null()]),
  /** For good: nothing of it is published again. */
  revoked: Type.Optional(Type.Boolean()),
  /** Live installations, those that are being made or undone included; sandboxes apart. */
  installations: Type.Integer(),
  /** Tenants that have one. */
  tenants: Type.Integer(),
  sandboxes: Type.Integer(),
});
export type AppImpact = Static<typeof AppImpact>;

export const getAppImpact = defineRpc({
  subject: 'rpc.marketplace-certification.apps.getImpact',
  server: 'marketplace-certification',
  callers: ['marketplace-admin'],
  principal: 'user',
  request: Type.Object({ appKey: Type.String() }),
  response: AppImpact,
  timeoutMs: 5000,
});

export const APP_DECISIONS = ['suspend', 'reinstate', 'revoke', 'unlist'] as const;
export type AppDecision = (typeof APP_DECISIONS)[number];

/** What operators do to an app that is published. The reason is told to its publisher. */
export const decideApp = defineRpc({
  subject: 'rpc.marketplace-certification.apps.decide',
  server: 'marketplace-certification',
  callers: ['marketplace-admin'],
  principal: 'user',
  request: Type.Object({
    appKey: Type.String(),
    decision: Type.Enum(APP_DECISIONS),
    reason: Type.String({ maxLength: 2000 }),
  }),
  response: AppImpact,
  timeoutMs: 5000,
});

/** What operators have decided on submissions and apps. */
export const listOperatorAudit = defineRpc({
  subject: 'rpc.marketplace-certification.operatorAudit.list',
  server: 'marketplace-certification',
  callers: ['marketplace-admin'],
  principal: 'user',
  request: OperatorAuditQuery,
  response: OperatorAuditPage,
  timeoutMs: 10_000,
});
