/**
 * Every action of the audit trail, with what it says to an administrator who reads it. Names are `<subject>.<what happened>`.
 * They are part of the outside contract: none is renamed, and a retention of more than a year has the old ones too.
 */
export const AUDIT_ACTIONS = {
  'sign_in.succeeded': 'A user signed in; `detail.method` says by what',
  'sign_in.failed':
    'Somebody failed to sign in to a known account; `detail.reason` says at what. Bounded per account and hour',
  'sign_in.signed_out': 'A user signed out',
  'session.ended': 'One session of a user was ended by the user or an administrator',
  'session.all_ended': 'Every session of a user was ended by the user or an administrator',
  'session.replay_noticed': 'A spent refresh token was presented again, so that two parties held it; its session ended',
  'workspace.registered': 'The workspace was registered',
  'workspace.email_verified': 'The address that the workspace was registered with was verified',
  'workspace.closed': 'The workspace was closed, because nobody verified its address',
  'workspace.suspended': 'An operator suspended the workspace; `detail.reason` says why. Everybody was signed out',
  'workspace.reinstated': 'An operator lifted the suspension of the workspace; `detail.reason` says why',
  'workspace.changed': 'An administrator changed the settings of the workspace; `detail.changed` says which',
  'workspace.plan_changed': 'An operator moved the workspace to another plan',
  'workspace.limits_changed':
    'An operator changed what the workspace may store; `detail` has what differs from its plan',
  'workspace.sign_in_policy_changed': 'What the workspace demands of sign-ins was changed',
  'user.added': 'An administrator added a user with a password',
  'user.invited': 'An administrator invited a user',
  'user.invited_again': 'An administrator sent a new invitation; the previous link stopped working',
  'user.invitation_accepted': 'An invited user accepted the invitation, or signed in at an identity provider',
  'membership.accepted':
    'The person who has the address of a user, who was not invited, accepted to be that user; whoever used it before was shut out',
  'membership.declined': 'Whoever reads the mail of the address of a user declined to be that user',
  'user.provisioned': 'A host app or an identity provider brought a new user',
  'user.renamed': 'The name of a user was changed',
  'user.roles_changed':
    'The roles of a user were changed; `detail` has those before and after and, of somebody who gave them to themselves, with `opensFields` the `fields` that they open: `unknown` when the service that knows did not answer',
  'user.disabled': 'A user was disabled; their sessions ended',
  'user.enabled': 'A user was enabled again',
  'user.removed':
    'A user was removed from the workspace, by an administrator or as a change of the address was undone; every way to act as them ended',
  'user.left': 'A user left the workspace; every way to act as them ended',
  'user.factor_reset':
    'An administrator removed the authenticator, recovery codes and passkeys of a user; their sessions ended',
  'user.data_exported': 'The personal data of a user were exported',
  'user.erased': 'A user was erased; entries about them keep the id alone',
  'password.changed': 'A user changed their password; their other sessions ended',
  'password.reset_requested': 'A link to set a new password was sent to a user',
  'password.reset': 'A user set a new password with a link from a mail; every session ended',
  'email.change_requested': 'A user asked for another e-mail address; a link went to it',
  'email.changed': 'A user confirmed another e-mail address',
  'email.change_undone': 'A change of an e-mail address was undone from the previous one; every session ended',
  'second_factor.enabled': 'A user turned the second factor on',
  'second_factor.disabled': 'A user turned the second factor off',
  'authenticator.added': 'A user put an authenticator into use',
  'authenticator.removed': 'A user removed their authenticator',
  'passkey.added': 'A user added a passkey',
  'passkey.removed':
    'A passkey of a user was removed: by the user, with a new password by mail, or because a change of the address was undone',
  'passkey.refused':
    'A passkey was refused because its counter went back: it may exist twice. Bounded per account and hour',
  'recovery_codes.replaced': 'A user replaced their recovery codes',
  'proof.failed':
    'A password, code or passkey that was asked for again within a session was wrong. Bounded per account and hour',
  'embed_credentials.issued': 'Credentials of an embedded app were issued, or its secret was replaced',
  'embed_credentials.previous_revoked': 'The previous secret of an embedded app was ended before its time',
  'embed_credentials.ended': 'Credentials of an embedded app were ended',
  'embed_credentials.settings_changed': 'The published version of an embedded app changed its origins or scopes',
  'embed_credentials.conflict':
    'A host presented an address that a person of another workspace has proven. Bounded per app and hour',
  'embed_link.made':
    'A host user was linked to a user with the same address for the first time; the user was told by mail. A failure: the user has a role above those of whoever issued the credentials',
  'embed_link.set': 'An administrator linked a host user to a user',
  'embed_link.undone': 'A user undid the link to a host user',
  'role.added': 'A role was added to the workspace',
  'role.removed': 'A role of the workspace was removed',
  'domain.added': 'A domain of e-mail addresses was added, to be proven',
  'domain.verified':
    'The record of a domain was found: its addresses sign in at the identity providers of the workspace',
  'domain.removed': 'A domain was removed',
  'domain.lost': 'The platform took a domain away, because its record is gone',
  'identity_provider.added': 'An identity provider was added',
  'identity_provider.changed': 'An identity provider was changed; `detail.changed` says what',
  'identity_provider.removed': 'An identity provider was removed',
  'identity_provider.failed': 'A sign-in at an identity provider failed for a new reason; `detail` says why',
  'provider_link.made':
    'A person at an identity provider was linked to the user with the same address; the user was told by mail',
  'provider_link.requested':
    'Someone signed in at an identity provider with the address of a user it knew by another id, and is waiting for an owner',
  'provider_link.approved': 'An owner linked an account at an identity provider to the user who has its address',
  'provider_link.denied': 'An owner refused to link an account at an identity provider to the user who has its address',
  'api_key.made': 'An API key was made, by a user or for a service account',
  'api_key.ended': 'An API key was ended',
  'api_key.all_ended': 'Every API key of a user was ended',
  'service_account.added': 'A service account was added',
  'service_account.changed':
    'A service account was changed; `detail` has its roles, scopes and status before and after',
  'service_account.removed': 'A service account was removed; its keys ended',
  'hook_secret.issued': 'The secret of a hook was replaced; written before the change',
  'hook_secret.previous_revoked': 'The previous secret of a hook was ended before its time; written before the change',
  'oauth_credentials.issued': 'Credentials of an installed app were issued, or its secret was replaced',
  'oauth_credentials.previous_revoked': 'The previous secret of an installed app was ended before its time',
  'oauth_credentials.ended': 'Credentials of an installed app ended with its installation',
  'oauth_grant.approved':
    'A user allowed an app to act for them; `detail` has the scopes that were given, and those asked for that were withheld',
  'oauth_grant.narrowed':
    'A user left an app fewer scopes; `detail` has those that were removed and those that are left',
  'oauth_grant.denied': 'A user refused to let an app act for them',
  'oauth_grant.ended': 'An app stopped acting for a user: ended by the user or by the app',
  'oauth_grant.replay_noticed':
    'A spent code or refresh token of an app was presented again, so that two parties held it; the app stopped acting for the user',
  'quota.exhausted': 'A quota of the workspace was used up and refused a call. Once per quota and hour',
  'app.installed': 'An app was installed',
  'app.upgraded': 'An installation moved to another version',
  'app.uninstalled': 'An app was removed',
  'webhook.added': 'A webhook subscription was added; written before the change',
  'webhook.changed': 'A webhook subscription was changed; `detail.changed` says what. Written before the change',
  'webhook.paused': 'A webhook subscription was paused. Written before the change',
  'webhook.resumed': 'A webhook subscription that was paused or disabled was resumed. Written before the change',
  'webhook.removed': 'A webhook subscription was removed; written before the change',
  'webhook_secret.issued': 'The signing secret of a webhook subscription was replaced; written before the change',
  'webhook_secret.previous_revoked':
    'The previous signing secret of a webhook subscription was ended before its time; written before the change',
  'app_webhook_secret.issued': 'The signing secret of the webhooks of an app was replaced; written before the change',
  'webhook.disabled': 'The platform disabled a webhook subscription that kept failing',
  'record.erased':
    'An administrator erased a record for good; `detail.object` says of which object, `detail.along` what went with it and, to owners alone, `detail.unseen` what of that the administrator could not see. Written before the change',
  'audit.exported': 'Entries of the audit trail were exported',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as AuditAction[];

/** Who acted. */
export const AUDIT_ACTOR_KINDS = ['user', 'service_account', 'operator', 'app', 'system'] as const;
export type AuditActorKind = (typeof AUDIT_ACTOR_KINDS)[number];

/** What was acted on. */
export const AUDIT_SUBJECT_KINDS = [
  'user',
  'workspace',
  'app',
  'installation',
  'subscription',
  'workflow',
  'quota',
  'service_account',
  'domain',
  'identity_provider',
  'role',
  'record',
] as const;
export type AuditSubjectKind = (typeof AUDIT_SUBJECT_KINDS)[number];

export const AUDIT_OUTCOMES = ['success', 'failure'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
