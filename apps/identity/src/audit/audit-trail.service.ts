import { millisecondsOfId, newId, type TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { WorkspaceTransaction } from '../tenant-row.js';
import type { AuditAction, AuditActorKind, AuditOutcome, AuditSubjectKind } from './audit-actions.js';
import type { AuditDetail } from './audit-entry.entity.js';
import { deviceOf } from './request-origin.decorator.js';

/** Who acted: a user, a service account or an operator by id, an app by key, or the platform itself. */
export interface AuditActor {
  readonly kind: AuditActorKind;
  readonly id?: string | null;
}

/** Nobody in particular: the platform by itself, or someone who has not proven who they are. */
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

/**
 * Adds an entry. One that is there already, because its cause came twice, stays as it is.
 * $1: tenant, $2: id, $3: time, $4: action, $5: outcome, $6: kind and $7: id of who acted, $8: kind and $9: id of what was acted on,
 * $10: address, $11: device, $12: request, $13: detail.
 */
export const RECORD_AUDIT_ENTRY = `
  INSERT INTO audit_entry (tenant_id, id, at, action, outcome, actor_kind, actor_id, subject_kind, subject_id,
    address, device, request_id, detail)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (tenant_id, id) DO NOTHING`;

/** Forgets where a user acted from; runs with the rights of the owner, see the migration. $1: user. */
export const FORGET_AUDIT_ORIGINS = 'SELECT forget_audit_places($1)';

const MOST_MEMBERS = 12;

const MOST_ITEMS = 50;

const LONGEST_TEXT = 200;

const textOf = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text);

const boundedValue = (value: AuditDetail[string]): AuditDetail[string] =>
  typeof value === 'string' ? textOf(value) : Array.isArray(value) ? value.slice(0, MOST_ITEMS).map(textOf) : value;

/** What is stored of a detail: whatever a caller chose in it, an entry stays small. */
function boundedDetail(detail: AuditDetail = {}): AuditDetail {
  return Object.fromEntries(
    Object.entries(detail)
      .slice(0, MOST_MEMBERS)
      .map(([name, value]) => [name, boundedValue(value)]),
  );
}

const LONGEST_ID = 300;

const LONGEST_ADDRESS = 64;

export interface NewAuditEntry {
  readonly action: AuditAction;
  /** Default `success`. */
  readonly outcome?: AuditOutcome;
  /** Default: who the transaction was opened for. */
  readonly actor?: AuditActor;
  readonly subject?: { readonly kind: AuditSubjectKind; readonly id: string };
  /** Never a secret, a code, an address or a name of a person: entries outlive the account. */
  readonly detail?: AuditDetail;
  /** A UUIDv7 of when it happened, made from its cause where that can come twice; default: a new one. */
  readonly id?: string;
}

/** What a user did to their account without a token of it, such as with a link from a mail. */
export const byUser = (action: AuditAction, id: string, detail: AuditDetail = {}): NewAuditEntry => ({
  action,
  actor: userActor(id),
  subject: { kind: 'user', id },
  detail,
});

/** The workspace's record of who signed in and who changed what, written together with what it records. */
@Injectable()
export class AuditTrail {
  /**
   * Records an act in the transaction that carries it out: both commit or neither does. It costs no round trip: the statement
   * is sent with the others and not waited for.
   * @param tx of the tenant, or of the narrow role in the context of a tenant (`inWorkspace`). What its origin says of the
   *   caller, the address, the program and the request is stored
   */
  record(tx: WorkspaceTransaction, entry: NewAuditEntry): void {
    const origin: Partial<TransactionOrigin> = tx.origin ?? {};
    const tenantId = tx.tenantId ?? origin.tenantId;
    if (tenantId === undefined) throw new Error('An act is recorded in the context of its tenant');
    const { action, outcome = 'success', subject, detail, id = newId() } = entry;
    const actor = entry.actor ?? actorOf(tx.origin);
    // Where operators are is none of the workspace's business.
    const shown: Partial<TransactionOrigin> = origin.kind === 'operator' ? {} : origin;
    tx.issue(RECORD_AUDIT_ENTRY, [
      tenantId,
      id,
      new Date(millisecondsOfId(id)),
      action,
      outcome,
      actor.kind,
      actor.id?.slice(0, LONGEST_ID) ?? null,
      subject?.kind ?? null,
      subject?.id.slice(0, LONGEST_ID) ?? null,
      shown.address?.slice(0, LONGEST_ADDRESS) ?? null,
      deviceOf(shown.userAgent ?? null),
      origin.requestId ?? null,
      JSON.stringify(boundedDetail(detail)),
    ]);
  }

  /** Forgets from where a user acted, when the user is erased: their id, which nobody can resolve any more, stays. */
  async forgetOrigins(tx: WorkspaceTransaction, userId: string): Promise<void> {
    await tx.query(FORGET_AUDIT_ORIGINS, [userId]);
  }
}
