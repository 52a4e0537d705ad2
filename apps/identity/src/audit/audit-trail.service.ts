import {
  millisecondsOfId,
  type NarrowTransaction,
  newId,
  type TenantTransaction,
  type TransactionOrigin,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { AuditAction, AuditOutcome, AuditSubjectKind } from './audit-actions.js';
import { type AuditActor, actorOf } from './audit-actor.js';
import type { AuditDetail } from './audit-entry.entity.js';
import { FORGET_AUDIT_PLACES, RECORD_AUDIT_ENTRY } from './audit-trail.sql.js';
import { deviceOf } from './device.js';

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

/** The workspace's record of who signed in and who changed what, written together with what it records. */
@Injectable()
export class AuditTrail {
  /**
   * Records an act in the transaction that carries it out: both commit or neither does. It costs no round trip: the statement
   * is sent with the others and not waited for.
   * @param tx of the tenant, or of the narrow role in the context of a tenant (`inWorkspace`). What its origin says of the
   *   caller, the address, the program and the request is stored
   */
  record(tx: TenantTransaction | NarrowTransaction, entry: NewAuditEntry): void {
    const origin: Partial<TransactionOrigin> = tx.origin ?? {};
    const tenantId = tx.tenantId ?? origin.tenantId;
    if (tenantId === undefined) throw new Error('An act is recorded in the context of its tenant');
    const { action, outcome = 'success', subject, detail, id = newId() } = entry;
    const actor = entry.actor ?? actorOf(tx.origin);
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
      origin.address?.slice(0, LONGEST_ADDRESS) ?? null,
      deviceOf(origin.userAgent ?? null),
      origin.requestId ?? null,
      JSON.stringify(boundedDetail(detail)),
    ]);
  }

  /** Forgets from where a user acted, when the user is erased: their id, which nobody can resolve any more, stays. */
  async forgetPlaces(tx: TenantTransaction | NarrowTransaction, userId: string): Promise<void> {
    await tx.query(FORGET_AUDIT_PLACES, [userId]);
  }
}
