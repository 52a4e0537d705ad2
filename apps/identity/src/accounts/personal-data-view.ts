import { millisecondsOfId } from '@crm/database';
import { apiKeyView } from '../api-keys/api-key.dto.js';
import type { AuditEntryView } from '../audit/audit-log.dto.js';
import { grantView } from '../oauth/grant-view.js';
import { sessionView } from '../sessions/session-view.js';
import { passkeyView } from '../sign-in/passkey-view.js';
import type { PersonalData } from './personal-data.repository.js';

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;
const createdAt = ({ id }: { id: string }): string => new Date(millisecondsOfId(id)).toISOString();

/** The members of an archive but the audit trail. No hash, no sealed secret and no code is among them. */
export function archiveOf(data: PersonalData, currentSessionId: string | undefined) {
  const { user, sessions, authenticator, recoveryCodesLeft, passkeys, invitations, emailChanges } = data;
  const { id, email, name, roles, status, origin, mfaEnabled } = user;
  return {
    account: {
      id,
      email,
      name,
      roles,
      status,
      origin,
      hasPassword: user.passwordHash !== null,
      createdAt: user.createdAt.toISOString(),
    },
    secondFactor: {
      enabled: mfaEnabled,
      authenticatorSince: iso(authenticator?.confirmedAt ?? null),
      recoveryCodesLeft,
      passkeys: passkeys.map(passkeyView),
    },
    sessions: sessions.map((session) => sessionView(session, currentSessionId)),
    invitations: invitations.map((invitation) => ({
      sentAt: createdAt(invitation),
      expiresAt: invitation.expiresAt.toISOString(),
      acceptedAt: iso(invitation.acceptedAt),
    })),
    emailChanges: emailChanges.map((change) => ({
      from: change.oldEmail,
      to: change.newEmail,
      requestedAt: createdAt(change),
      confirmedAt: iso(change.confirmedAt),
    })),
    embedLinks: data.embedLinks.map(({ appKey, sub, undoneAt }) => ({ appKey, sub, undoneAt: iso(undoneAt) })),
    providerLinks: data.providerLinks.map(({ issuer, sub, createdAt }) => ({ issuer, sub, since: iso(createdAt) })),
    apiKeys: data.apiKeys.map(apiKeyView),
    appGrants: data.grants.map(grantView),
  };
}

/** An entry of the audit trail as the person gets it: from where others acted is those others' data. */
export function ownEntry(entry: AuditEntryView, userId: string): AuditEntryView {
  const isOthers = entry.actor.kind !== 'system' && entry.actor.id !== userId;
  return isOthers ? { ...entry, address: null, device: null } : entry;
}
