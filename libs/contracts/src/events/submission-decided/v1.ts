import Type from 'typebox';
import { defineEvent } from '../define.js';

/** What operators decide about a submission; the last four also about the app of a version that was published. */
export const SUBMISSION_OUTCOMES = [
  'changes_requested',
  'rejected',
  'approved',
  'published',
  'suspended',
  'reinstated',
  'revoked',
  'unlisted',
] as const;
export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number];

/**
 * An event of the publisher. It does not say which operator decided, as the publisher is told nowhere, and its envelope names
 * no app, so that no app that the publisher has installed receives it (`isVisibleToApp`).
 */
export const submissionDecidedV1 = defineEvent({
  name: 'submission.decided',
  version: 1,
  producer: 'marketplace-certification',
  description:
    'An operator of the platform decided about a version that the workspace submitted, or about the app that it publishes; no app receives it',
  data: Type.Object({
    submissionId: Type.String({ format: 'uuid' }),
    appKey: Type.String(),
    appName: Type.String({ description: 'As the submitted version says' }),
    version: Type.String({
      description: 'The version decided on; of a decision about the app, the one that was published or suspended',
    }),
    decision: Type.Enum(SUBMISSION_OUTCOMES),
    reason: Type.Optional(
      Type.String({ description: 'In the words of the operator; always given but to approve and publish' }),
    ),
    submittedBy: Type.String({ format: 'uuid', description: 'The user or service account that submitted the version' }),
  }),
  example: {
    submissionId: '019ca8c6-3d0e-7a44-8b2f-5e9d1c7a6b03',
    appKey: 'acme-visits',
    appName: 'Acme Visits',
    version: '1.2.0',
    decision: 'rejected',
    reason: 'The demo account of the review packet cannot sign in.',
    submittedBy: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17',
  },
});
