import type { TransactionOrigin } from '@crm/database';
import type { AuditActorKind } from './audit-actions.js';

/** Who acted: a user, a service account or an operator by id, an app by key, or the platform itself. */
export interface AuditActor {
  readonly kind: AuditActorKind;
  readonly id?: string | null;
}

/** Nobody in particular: the platform by itself, or somebody who has not proven who they are. */
export const SYSTEM: AuditActor = { kind: 'system' };

export const userActor = (id: string): AuditActor => ({ kind: 'user', id });

export const appActor = (key: string): AuditActor => ({ kind: 'app', id: key });

/** Who works in a transaction, according to the token of the call that it was opened for. */
export function actorOf(origin: TransactionOrigin | undefined): AuditActor {
  const { kind, userId, appKey, serviceAccount } = origin ?? {};
  if (kind === 'app') return { kind: 'app', id: appKey ?? userId ?? null };
  if (kind === 'operator') return { kind: 'operator', id: userId ?? null };
  if (serviceAccount) return { kind: 'service_account', id: userId ?? null };
  // Also what works on behalf of a user: inside an embedded page, or after the call.
  return userId === undefined ? SYSTEM : userActor(userId);
}
