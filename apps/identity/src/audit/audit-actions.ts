/**
 * Every action of the audit trail, with what it says to an administrator who reads it. Names are `<subject>.<what happened>`.
 * They are part of the outside contract: none is renamed, and a retention of more than a year has the old ones too.
 */
export const AUDIT_ACTIONS = {
  'sign_in.succeeded': 'A user signed in. `detail.method` is the sign-in method',
  'sign_in.failed': 'A sign-in to a known account failed. `detail.reason` says why. Limited per account and hour',
  'sign_in.signed_out': 'A user signed out',
  'session.ended': 'A session of a user was ended by the user or an admin',
  'session.all_ended': 'All sessions of a user were ended by the user or an admin',
  'session.replay_noticed': 'A refresh token was reused, which suggests it was stolen. Its session was ended',
  'workspace.registered': 'The workspace was registered',
  'workspace.email_verified': "The workspace's email address was verified",
  'workspace.closed': 'The workspace was closed because its address was never verified',
  'workspace.suspended': 'An operator suspended the workspace; `detail.reason` says why. Everyone was signed out',
  'workspace.reinstated': 'An operator reinstated the workspace; `detail.reason` says why',
  'workspace.changed': 'An admin changed the workspace settings; `detail.changed` lists them',
  'workspace.plan_changed': "An operator changed the workspace's plan",
  'workspace.limits_changed':
    "An operator changed the workspace's limits; `detail` has those that differ from its plan",
  'workspace.sign_in_policy_changed': 'The sign-in policy was changed',
  'user.added': 'An admin added a user with a password',
  'user.invited': 'An admin invited a user',
  'user.invited_again': 'An admin sent a new invitation; the previous link stopped working',
  'user.invitation_accepted': 'An invited user accepted the invitation or signed in with an identity provider',
  'membership.accepted':
    "The owner of a user's email address took over the account; anyone using it before was signed out",
  'membership.declined': "The owner of a user's email address declined the account",
  'user.provisioned': 'A user was created by a host app or identity provider',
  'user.renamed': 'The name of a user was changed',
  'user.roles_changed':
    "The roles of a user were changed; `detail` has the old and new ones. If users gave themselves a role, `opensFields` and `fields` say which fields it opens; `unknown` if the service didn't respond",
  'user.disabled': 'A user was disabled; their sessions ended',
  'user.enabled': 'A user was enabled again',
  'user.removed': 'A user was removed by an admin or because an email change was undone; all of their access ended',
  'user.left': 'A user left the workspace; all of their access ended',
  'user.factor_reset':
    'An admin reset two-step verification of a user: authenticator app, recovery codes, and passkeys were removed, and their sessions ended',
  'user.data_exported': 'The personal data of a user was exported',
  'user.erased': 'A user was permanently deleted; entries about them keep only the ID',
  'password.changed': 'A user changed their password; their other sessions ended',
  'password.reset_requested': 'A password reset link was sent to a user',
  'password.reset': 'A user reset the password with an emailed link; every session ended',
  'email.change_requested': 'A user requested a new email address; a link was sent to it',
  'email.changed': 'A user confirmed a new email address',
  'email.change_undone': 'An email change was undone from the previous address; every session ended',
  'second_factor.enabled': 'A user turned two-step verification on',
  'second_factor.disabled': 'A user turned two-step verification off',
  'authenticator.added': 'A user added an authenticator app',
  'authenticator.removed': 'A user removed their authenticator app',
  'passkey.added': 'A user added a passkey',
  'passkey.removed': 'A passkey was removed: by the user, with a password reset, or because an email change was undone',
  'passkey.refused':
    'A passkey was blocked because its counter went backwards: it may have been copied. Limited per account and hour',
  'recovery_codes.replaced': 'A user replaced their recovery codes',
  'proof.failed': 'A re-authentication failed. Limited per account and hour',
  'embed_credentials.issued': 'Embed credentials were issued, or their secret was replaced',
  'embed_credentials.previous_revoked': 'The previous embed secret was revoked early',
  'embed_credentials.ended': 'Embed credentials were revoked',
  'embed_credentials.settings_changed': 'The published version of an embedded app changed its origins or scopes',
  'embed_credentials.conflict':
    'A host presented an address verified by a person of another workspace. Limited per app and hour',
  'embed_link.made':
    'A host user was linked to a user with the same address for the first time; the user was emailed. A failure means the user has a role higher than those of the user who issued the credentials',
  'embed_link.set': 'An admin linked a host user to a user',
  'embed_link.undone': 'A user undid the link to a host user',
  'role.added': 'A role was added to the workspace',
  'role.removed': 'A role of the workspace was removed',
  'domain.added': 'An email domain was added for verification',
  'domain.verified': 'A domain was verified; its addresses can use single sign-on',
  'domain.removed': 'A domain was removed',
  'domain.lost': 'A domain was removed because its DNS record is missing',
  'identity_provider.added': 'An identity provider was added',
  'identity_provider.changed': 'An identity provider was changed; `detail.changed` says what',
  'identity_provider.removed': 'An identity provider was removed',
  'identity_provider.failed': 'A single sign-on failed for a new reason; `detail` says why',
  'provider_link.made':
    'An account at an identity provider was linked to the user with the same address; the user was emailed',
  'provider_link.requested':
    'Someone signed in at an identity provider with the address of a user it knew by another id, and is waiting for an owner',
  'provider_link.approved': 'An owner linked an account at an identity provider to the user who has its address',
  'provider_link.denied': 'An owner refused to link an account at an identity provider to the user who has its address',
  'api_key.made': 'An API key was created, by a user or for a service account',
  'api_key.ended': 'An API key was revoked',
  'api_key.all_ended': 'All API keys of a user were revoked',
  'service_account.added': 'A service account was added',
  'service_account.changed': 'A service account was changed; `detail` has its old and new roles, scopes, and status',
  'service_account.removed': 'A service account was removed; its keys ended',
  'hook_secret.issued': 'The secret of a hook was replaced; written before the change',
  'hook_secret.previous_revoked': 'The previous secret of a hook was revoked early; written before the change',
  'oauth_credentials.issued': 'Client credentials of an installation were issued, or their secret was replaced',
  'oauth_credentials.previous_revoked': 'The previous client secret of an installation was revoked early',
  'oauth_credentials.ended': 'Client credentials ended with their installation',
  'oauth_grant.approved': 'A user connected an app; `detail` has the scopes granted and those withheld',
  'oauth_grant.narrowed': 'A user removed scopes from a connected app. `detail` lists the removed and remaining scopes',
  'oauth_grant.denied': "A user denied an app's authorization request",
  'oauth_grant.ended': 'An app was disconnected by the user or by the app',
  'oauth_grant.replay_noticed':
    'A code or refresh token of an app was reused, which suggests it was stolen. The app was disconnected from the user',
  'quota.exhausted': 'A call was rejected because a quota of the workspace was used up. Once per quota and hour',
  'app.installed': 'An app was installed',
  'app.upgraded': 'An installation changed to another version',
  'app.uninstalled': 'An app was removed',
  'webhook.added': 'A webhook subscription was added; written before the change',
  'webhook.changed': 'A webhook subscription was changed; `detail.changed` says what. Written before the change',
  'webhook.paused': 'A webhook subscription was paused. Written before the change',
  'webhook.resumed': 'A webhook subscription that was paused or disabled was resumed. Written before the change',
  'webhook.removed': 'A webhook subscription was removed; written before the change',
  'webhook_secret.issued': 'The signing secret of a webhook subscription was replaced; written before the change',
  'webhook_secret.previous_revoked':
    'The previous signing secret of a webhook subscription was revoked early; written before the change',
  'app_webhook_secret.issued': 'The signing secret of the webhooks of an app was replaced; written before the change',
  'webhook.disabled': 'The platform disabled a webhook subscription that kept failing',
  'record.erased':
    "An admin permanently deleted a record; `detail.object` names its object, `detail.along` what was deleted with it and, for owners only, `detail.unseen` what the admin couldn't see. Written before the change",
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
