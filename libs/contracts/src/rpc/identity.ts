import Type, { type Static } from 'typebox';
import { LANGUAGES } from '../languages.js';
import { PLANS } from '../plans.js';
import { SERVICES } from '../services.js';
import { defineRpc } from './define.js';

export * from './oauth.js';

const Id = Type.String({ format: 'uuid' });
/** The fingerprint of a secret: see `fingerprintOf`. */
const Fingerprint = Type.String({ pattern: '^[0-9a-f]{64}$' });

export const TenantView = Type.Object({
  id: Id,
  name: Type.String(),
  plan: Type.Enum(PLANS),
  /** IANA name, e.g. `Europe/Berlin`. */
  timeZone: Type.String(),
  /** ISO 3166-1 alpha-2; the country of phone numbers written without one. */
  country: Type.Union([Type.String(), Type.Null()]),
  /** ISO 4217, of new amounts. */
  currency: Type.Optional(Type.String()),
  language: Type.Optional(Type.Enum(LANGUAGES)),
  /** False until the address that the workspace was registered with is verified. */
  verified: Type.Optional(Type.Boolean()),
  /** The limits of its plan, or what operators have set for it. */
  limits: Type.Optional(Type.Object({ records: Type.Integer(), bytes: Type.Integer(), users: Type.Integer() })),
});
export type TenantView = Static<typeof TenantView>;

/** Public keys of both issuers, as a JSON Web Key Set (RFC 7517). */
export const getKeys = defineRpc({
  subject: 'rpc.identity.keys.get',
  callers: SERVICES.filter((name) => name !== 'identity'),
  principal: 'service',
  request: Type.Object({}),
  response: Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
  timeoutMs: 3000,
});

export const getTenant = defineRpc({
  subject: 'rpc.identity.tenants.get',
  callers: ['custom-objects', 'marketplace-certification', 'automation-hooks', 'webhook-dispatcher'],
  principal: 'service',
  request: Type.Object({ tenantId: Id }),
  response: TenantView,
  timeoutMs: 3000,
});

/** A workspace uses so much of what it may store that its administrators are told, once a week. */
export const noteStorageUse = defineRpc({
  subject: 'rpc.identity.tenants.noteStorageUse',
  callers: ['custom-objects'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, records: Type.Integer(), bytes: Type.Integer() }),
  response: Type.Object({}),
  timeoutMs: 3000,
});

/** Returns the ids that belong to users of the tenant, including disabled users, but not to erased users or service accounts. */
export const findUsers = defineRpc({
  subject: 'rpc.identity.users.find',
  callers: ['custom-objects'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, userIds: Type.Array(Id, { maxItems: 100 }) }),
  response: Type.Object({ userIds: Type.Array(Id) }),
  timeoutMs: 3000,
});

/**
 * Issues a token of 60 s for work that outlives the call that started it. For a user it contains their present roles; for
 * an app (`actor`) the role `app:<key>` and the scopes that were granted to the installation.
 */
export const mintInternalToken = defineRpc({
  subject: 'rpc.identity.tokens.mintInternal',
  callers: ['marketplace-certification', 'automation-hooks'],
  principal: 'service',
  request: Type.Object({
    tenantId: Id,
    userId: Id,
    actor: Type.Optional(
      Type.Object({
        appKey: Type.String(),
        installationId: Id,
        sandbox: Type.Optional(Type.Boolean()),
        scopes: Type.Array(Type.String()),
      }),
    ),
  }),
  response: Type.Object({ token: Type.String(), expiresIn: Type.Integer() }),
  timeoutMs: 3000,
});

/**
 * Exchanges an API key for an access token with the present rights of its owner. The gateway asks once for many calls; the key
 * itself never leaves the gateway.
 */
export const exchangeApiKey = defineRpc({
  subject: 'rpc.identity.apiKeys.exchange',
  callers: ['gateway'],
  principal: 'service',
  request: Type.Object({
    tenantId: Id,
    keyId: Id,
    fingerprint: Fingerprint,
    /** Where the key was presented; shown to its owner. */
    address: Type.String({ maxLength: 64 }),
  }),
  response: Type.Object({ token: Type.String(), expiresIn: Type.Integer() }),
  timeoutMs: 3000,
});

/** The parts of a manifest's `embed` section that identity uses. */
const EmbedSettings = {
  allowedOrigins: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  linkUsersBy: Type.Enum(['email', 'explicit']),
};

/**
 * Credentials of an embed app; the app's own workspace is the tenant whose users it embeds. The caller makes the secret and shows
 * it, so that it is in no message.
 */
export const issueEmbedCredentials = defineRpc({
  subject: 'rpc.identity.embedClients.issue',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({
    appKey: Type.String(),
    /** The new secret's. */
    fingerprint: Fingerprint,
    ...EmbedSettings,
    /** True when an operator has reviewed a version of the app; default false. */
    reviewed: Type.Optional(Type.Boolean()),
    /** `http://localhost` origins that may frame the page as well, until the app is reviewed. */
    developmentOrigins: Type.Optional(Type.Array(Type.String())),
    /** Seconds for which the previous secret stays valid; default 0. */
    overlapSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  response: Type.Object({
    clientId: Type.String(),
    /** Null when there is no previous secret, or it has stopped working. */
    previousSecretValidUntil: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  }),
  timeoutMs: 5000,
});

const EmbedSecret = Type.Object({
  createdAt: Type.String({ format: 'date-time' }),
  /** When a token was last minted with it, to five minutes; null when none was. */
  lastUsedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});

/** What the publisher of an app sees of its credentials. */
export const EmbedCredentialsSummary = Type.Object({
  clientId: Type.String(),
  allowedOrigins: Type.Array(Type.String()),
  developmentOrigins: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  reviewed: Type.Boolean(),
  secret: EmbedSecret,
  previousSecret: Type.Union([
    Type.Object({ ...EmbedSecret.properties, validUntil: Type.String({ format: 'date-time' }) }),
    Type.Null(),
  ]),
});
export type EmbedCredentialsSummary = Static<typeof EmbedCredentialsSummary>;

/** The credentials of an app of the caller's workspace, without secrets; null when none were issued. */
export const describeEmbedCredentials = defineRpc({
  subject: 'rpc.identity.embedClients.describe',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({ appKey: Type.String() }),
  response: Type.Object({ credentials: Type.Union([EmbedCredentialsSummary, Type.Null()]) }),
  timeoutMs: 3000,
});

/** Ends the previous secret of an app of the caller's workspace before its time. */
export const revokePreviousEmbedSecret = defineRpc({
  subject: 'rpc.identity.embedClients.revokePrevious',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({ appKey: Type.String() }),
  response: Type.Object({ revoked: Type.Boolean() }),
  timeoutMs: 5000,
});

/** Ends the credentials of an app of the caller's workspace, and within a second the tokens that were minted with them. */
export const endEmbedCredentials = defineRpc({
  subject: 'rpc.identity.embedClients.end',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({ appKey: Type.String() }),
  response: Type.Object({ ended: Type.Boolean() }),
  timeoutMs: 5000,
});

/**
 * Gives the credentials of an app the settings of another version and leaves the secret alone: what a published version
 * says of embedding counts at once. An app without credentials answers `updated: false`.
 */
export const updateEmbedSettings = defineRpc({
  subject: 'rpc.identity.embedClients.update',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, appKey: Type.String(), ...EmbedSettings }),
  response: Type.Object({ updated: Type.Boolean() }),
  timeoutMs: 3000,
});

/** Exchanges embed credentials and a host user for an embed token. */
export const mintEmbedToken = defineRpc({
  subject: 'rpc.identity.embedTokens.mint',
  callers: ['embed-gateway'],
  principal: 'service',
  request: Type.Object({
    clientId: Type.String(),
    /** The presented secret's. */
    fingerprint: Fingerprint,
    sub: Type.String({ minLength: 1, maxLength: 255 }),
    email: Type.String({ maxLength: 254 }),
    name: Type.String({ maxLength: 200 }),
    /** By default all scopes that were granted to the app. */
    scopes: Type.Optional(Type.Array(Type.String())),
  }),
  response: Type.Object({ embedToken: Type.String(), expiresIn: Type.Integer() }),
  timeoutMs: 5000,
  batched: true,
});

/**
 * Checks whether the session of the caller was proven recently, for rules that ask for it. Refused with STEP_UP_REQUIRED, which names the
 * proofs that are possible. Asked each time and not read from the token: a proof counts at once, and one that was taken back does not.
 */
export const assertProof = defineRpc({
  subject: 'rpc.identity.proofs.assert',
  callers: SERVICES.filter((name) => name !== 'identity'),
  principal: 'user',
  operators: true,
  request: Type.Object({}),
  response: Type.Object({}),
  timeoutMs: 3000,
});

/** Acts that other services write to the audit trail, each with the kind of its subject. */
export const RECORDED_ACTS = {
  'hook_secret.issued': 'workflow',
  'hook_secret.previous_revoked': 'workflow',
  'webhook.added': 'subscription',
  'webhook.changed': 'subscription',
  'webhook.paused': 'subscription',
  'webhook.resumed': 'subscription',
  'webhook.removed': 'subscription',
  'webhook_secret.issued': 'subscription',
  'webhook_secret.previous_revoked': 'subscription',
  'app_webhook_secret.issued': 'app',
  'record.erased': 'record',
} as const;
export type RecordedAct = keyof typeof RECORDED_ACTS;

/**
 * Writes an act of administration to the audit trail of the caller's workspace, before it is carried out: none is missing there, and
 * one that failed afterwards is possible.
 */
export const recordAct = defineRpc({
  subject: 'rpc.identity.acts.record',
  callers: ['automation-hooks', 'custom-objects', 'marketplace-certification', 'webhook-dispatcher'],
  principal: 'user',
  request: Type.Object({
    action: Type.Enum(Object.keys(RECORDED_ACTS) as RecordedAct[]),
    /** Id of what it is about; of an app the key. */
    subjectId: Type.String({ maxLength: 300 }),
    detail: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Array(Type.String())])),
    ),
  }),
  response: Type.Object({}),
  timeoutMs: 5000,
});

/** Origins that may frame an embed app's page; none for an unknown client, an app that has ended and a workspace that is suspended. */
export const getEmbedOrigins = defineRpc({
  subject: 'rpc.identity.embedClients.origins',
  callers: ['embed-gateway'],
  principal: 'service',
  request: Type.Object({ clientId: Type.String() }),
  response: Type.Object({ allowedOrigins: Type.Array(Type.String()) }),
  timeoutMs: 3000,
});
