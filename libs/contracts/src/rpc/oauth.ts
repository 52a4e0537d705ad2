import Type, { type Static } from 'typebox';
import { defineRpc } from './define.js';

const Id = Type.String({ format: 'uuid' });
const DateTime = Type.String({ format: 'date-time' });

/** States of an app as far as its tokens are concerned. */
export const OAUTH_APP_STATUSES = ['active', 'suspended', 'revoked'] as const;
export type OAuthAppStatus = (typeof OAUTH_APP_STATUSES)[number];

/**
 * Applies the `oauth` section of a version that is being published: the redirect URIs that every workspace relies on. A version
 * without the section has none, which ends new authorizations.
 */
export const updateOAuthApp = defineRpc({
  subject: 'rpc.identity.oauthApps.update',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ appKey: Type.String(), redirectUris: Type.Array(Type.String()) }),
  response: Type.Object({}),
  timeoutMs: 3000,
});

/**
 * What operators decide about an app. A suspended app gets no new authorizations; a revoked one gets no tokens either, and
 * those that it has are cut off within a second, embed tokens included.
 */
export const setOAuthAppStatus = defineRpc({
  subject: 'rpc.identity.oauthApps.setStatus',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ appKey: Type.String(), status: Type.Enum(OAUTH_APP_STATUSES) }),
  response: Type.Object({}),
  timeoutMs: 5000,
});

/** What identity has to know of an installation to issue tokens for it. */
const InstallationFacts = {
  installationId: Id,
  appKey: Type.String(),
  /** Name of the app and of its publisher, for the page on which a user consents. */
  appName: Type.String(),
  publisher: Type.String(),
  sandbox: Type.Boolean(),
  scopes: Type.Array(Type.String()),
  /** Those of the scopes that the package does not call optional: users cannot leave them out. */
  requiredScopes: Type.Array(Type.String()),
  /** Those of the installed version. They count for sandboxes; other installations have those of the published version. */
  redirectUris: Type.Array(Type.String()),
};

/** Lets the users of a tenant authorize an installed app. Idempotent; an installation that has ended stays ended. */
export const registerOAuthInstallation = defineRpc({
  subject: 'rpc.identity.oauthInstallations.register',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, ...InstallationFacts }),
  response: Type.Object({}),
  timeoutMs: 3000,
});

/**
 * Ends the credentials of an installation, what it may do for users, and its tokens within a second; for good. Idempotent, also
 * for an installation that identity does not know. Embedding ends with an installation that was there, and not with one that
 * failed (`discard`).
 */
export const endOAuthInstallation = defineRpc({
  subject: 'rpc.identity.oauthInstallations.end',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({
    tenantId: Id,
    installationId: Id,
    appKey: Type.String(),
    sandbox: Type.Boolean(),
    discard: Type.Boolean(),
  }),
  response: Type.Object({}),
  timeoutMs: 5000,
});

/** Credentials of an installation of the caller's workspace. The caller makes the secret and shows it: it is in no message. */
export const issueOAuthCredentials = defineRpc({
  subject: 'rpc.identity.oauthCredentials.issue',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({
    ...InstallationFacts,
    /** The new secret's fingerprint: see `fingerprintOf`. */
    fingerprint: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    /** Seconds for which the previous secret stays valid. */
    overlapSeconds: Type.Integer({ minimum: 0 }),
  }),
  response: Type.Object({
    clientId: Type.String(),
    /** Null when there is no previous secret, or it has stopped working. */
    previousSecretValidUntil: Type.Union([DateTime, Type.Null()]),
  }),
  timeoutMs: 5000,
});

const OAuthSecret = Type.Object({
  createdAt: DateTime,
  /** When a token was last issued for it, to five minutes; null when none was. */
  lastUsedAt: Type.Union([DateTime, Type.Null()]),
});

/** What the administrators of a workspace see of the credentials of an installation. */
export const OAuthCredentialsSummary = Type.Object({
  clientId: Type.String(),
  scopes: Type.Array(Type.String()),
  secret: OAuthSecret,
  previousSecret: Type.Union([Type.Object({ ...OAuthSecret.properties, validUntil: DateTime }), Type.Null()]),
});
export type OAuthCredentialsSummary = Static<typeof OAuthCredentialsSummary>;

/** The credentials of an installation of the caller's workspace, without secrets; null when none were issued. */
export const describeOAuthCredentials = defineRpc({
  subject: 'rpc.identity.oauthCredentials.describe',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({ installationId: Id }),
  response: Type.Object({ credentials: Type.Union([OAuthCredentialsSummary, Type.Null()]) }),
  timeoutMs: 3000,
});

/** Ends the previous secret of an installation of the caller's workspace before its time. */
export const revokePreviousOAuthSecret = defineRpc({
  subject: 'rpc.identity.oauthCredentials.revokePrevious',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({ installationId: Id }),
  response: Type.Object({ revoked: Type.Boolean() }),
  timeoutMs: 5000,
});
