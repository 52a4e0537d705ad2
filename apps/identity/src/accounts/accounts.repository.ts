import { type NarrowTransaction, secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { type ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { IsNull, LessThan } from 'typeorm';
import { FOR_UPDATE, FUTURE } from '../tenant-row.js';
import { EmailChange, Invitation, Operator, PasswordReset, TenantSuspension } from './accounts.entity.js';

type NewLink<Row extends PasswordReset, More extends keyof Row = never> = Pick<
  Row,
  'id' | 'userId' | 'secretHash' | More
> & { validSeconds: number };

/** Also of users who have left. $1: person, $2: the first change. */
export const DELETE_CHANGES_SINCE = `
  DELETE FROM email_change
   WHERE id >= $2 AND old_email IN (SELECT email FROM sign_in_email WHERE person_id = $1)
  RETURNING CASE WHEN confirmed_at IS NOT NULL THEN new_email END AS brought`;

@Injectable()
export class EmailChangeRepository {
  async replacePending(tx: TenantTransaction, link: NewLink<EmailChange, 'oldEmail' | 'newEmail'>): Promise<void> {
    const { validSeconds, ...change } = link;
    const changes = tx.repository(EmailChange);
    await changes.delete({ tenantId: tx.tenantId, userId: change.userId, confirmedAt: IsNull() });
    await changes.insert({ ...change, expiresAt: secondsFromNow(validSeconds) });
  }

  /** @returns null for one that has expired */
  async find(tx: NarrowTransaction, tenantId: string, id: string): Promise<EmailChange | null> {
    return tx.repository(EmailChange).findOneBy({ tenantId, id, expiresAt: FUTURE });
  }

  async lock(tx: NarrowTransaction, tenantId: string, id: string): Promise<EmailChange | null> {
    return tx.repository(EmailChange).findOne({ where: { tenantId, id, expiresAt: FUTURE }, lock: FOR_UPDATE });
  }

  async confirm(tx: NarrowTransaction, change: EmailChange, undoHash: Buffer, undoSeconds: number): Promise<void> {
    const { tenantId, id } = change;
    await tx
      .repository(EmailChange)
      .update({ tenantId, id }, { undoHash, confirmedAt: secondsFromNow(0), expiresAt: secondsFromNow(undoSeconds) });
  }

  /** @returns the addresses that the person got by the change and later ones, in whatever workspace */
  async deleteSince(tx: NarrowTransaction, personId: string, id: string): Promise<string[]> {
    const deleted = await tx.query<{ brought: string | null }>(DELETE_CHANGES_SINCE, [personId, id]);
    return deleted.flatMap(({ brought }) => brought ?? []);
  }
}

@Injectable()
export class InvitationRepository {
  async insert(tx: Transaction, { validSeconds, ...invitation }: NewLink<Invitation, 'tenantId'>): Promise<void> {
    await tx.repository(Invitation).insert({ ...invitation, expiresAt: secondsFromNow(validSeconds) });
  }

  async find(tx: TenantTransaction, id: string): Promise<Invitation | null> {
    return tx.repository(Invitation).findOneBy({ tenantId: tx.tenantId, id });
  }

  async deleteOfUser(tx: Transaction, tenantId: string, userId: string): Promise<void> {
    await tx.repository(Invitation).delete({ tenantId, userId });
  }
}

@Injectable()
export class PasswordResetRepository {
  async insert(tx: TenantTransaction, { validSeconds, ...reset }: NewLink<PasswordReset>): Promise<void> {
    await tx.repository(PasswordReset).insert({ ...reset, expiresAt: secondsFromNow(validSeconds) });
  }

  /** @returns null for one that has expired or was used */
  async find(tx: Transaction, tenantId: string, id: string): Promise<PasswordReset | null> {
    return tx.repository(PasswordReset).findOneBy({ tenantId, id, expiresAt: FUTURE });
  }

  async deleteOfUser(tx: Transaction, tenantId: string, userId: string): Promise<void> {
    await tx.repository(PasswordReset).delete({ tenantId, userId });
  }
}

/** Ends what would sign in people and the apps that act for them; programs are refused by the suspension. $1: tenant. */
export const END_SIGN_INS_OF_TENANT = `
  WITH at_provider AS (DELETE FROM provider_sign_in WHERE tenant_id = $1),
  challenged AS (DELETE FROM mfa_challenge WHERE tenant_id = $1),
  authorized AS (DELETE FROM oauth_code WHERE tenant_id = $1),
  granted AS (DELETE FROM oauth_grant WHERE tenant_id = $1 RETURNING 1),
  signed_in AS (DELETE FROM session WHERE tenant_id = $1 RETURNING 1)
  SELECT (SELECT count(*)::int FROM signed_in) AS sessions, (SELECT count(*)::int FROM granted) AS grants`;

export interface EndedSignIns {
  readonly sessions: number;
  readonly grants: number;
}

@Injectable()
export class SuspensionRepository {
  async find(tx: TenantTransaction): Promise<TenantSuspension | null> {
    return tx.repository(TenantSuspension).findOneBy({ tenantId: tx.tenantId });
  }

  async store(tx: TenantTransaction, suspension: Omit<TenantSuspension, 'tenantId'>): Promise<void> {
    await tx.repository(TenantSuspension).upsert({ tenantId: tx.tenantId, ...suspension }, ['tenantId']);
  }

  async endSignIns(tx: TenantTransaction): Promise<EndedSignIns> {
    const [ended] = await tx.query<EndedSignIns>(END_SIGN_INS_OF_TENANT, [tx.tenantId]);
    return ended ?? { sessions: 0, grants: 0 };
  }

  async listInForce(
    tx: NarrowTransaction,
    { after, limit, offset, counts }: ListPage,
  ): Promise<{ suspensions: TenantSuspension[]; counted: number }> {
    const inForce = { reinstatedAt: IsNull() };
    const afterAt = new Date(after?.value ?? 0);
    const where = after
      ? [
          { ...inForce, suspendedAt: LessThan(afterAt) },
          { ...inForce, suspendedAt: afterAt, tenantId: LessThan(after.id) },
        ]
      : inForce;
    const suspensions = await tx
      .repository(TenantSuspension)
      .find({ where, order: { suspendedAt: 'DESC', tenantId: 'DESC' }, take: limit, skip: offset });
    return { suspensions, counted: counts ? await tx.repository(TenantSuspension).countBy(inForce) : 0 };
  }
}

export type NewOperator = Pick<Operator, 'id' | 'email' | 'name' | 'passwordHash' | 'role' | 'linkedTenantId'> &
  Partial<InitialPassword>;
export type InitialPassword = Pick<Operator, 'passwordHash' | 'initialPasswordUntil'>;
export type OperatorChanges = Partial<Pick<Operator, 'name' | 'role' | 'status' | 'linkedTenantId'>>;

@Injectable()
export class OperatorRepository {
  async findByEmail(tx: TenantTransaction, email: string): Promise<Operator | null> {
    return tx.repository(Operator).findOneBy({ tenantId: tx.tenantId, email });
  }

  async find(tx: TenantTransaction, id: string): Promise<Operator | null> {
    return tx.repository(Operator).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** @param epoch in which they have proven who they are; null is returned when it is over */
  async lockForIssue(tx: TenantTransaction, id: string, epoch?: number): Promise<Operator | null> {
    const where = { tenantId: tx.tenantId, id, ...(epoch !== undefined && { signInEpoch: epoch }) };
    return tx.repository(Operator).findOne({ where, lock: { mode: 'pessimistic_read' } });
  }

  async lock(tx: TenantTransaction, id: string): Promise<Operator | null> {
    return tx.repository(Operator).findOne({ where: { tenantId: tx.tenantId, id }, lock: FOR_UPDATE });
  }

  /** Locks and counts the administrators who can sign in, so that two of them cannot step down at once. */
  async lockActiveAdministrators(tx: TenantTransaction): Promise<number> {
    const administrators = await tx.repository(Operator).find({
      select: { tenantId: true, id: true },
      where: { tenantId: tx.tenantId, status: 'active', role: 'administrator' },
      order: { id: 'ASC' },
      lock: FOR_UPDATE,
    });
    return administrators.length;
  }

  async list(tx: TenantTransaction): Promise<Operator[]> {
    return tx.repository(Operator).find({ where: { tenantId: tx.tenantId }, order: { id: 'ASC' } });
  }

  async insertMissing(tx: TenantTransaction, operator: NewOperator): Promise<void> {
    await tx
      .repository(Operator)
      .createQueryBuilder()
      .insert()
      .values({ tenantId: tx.tenantId, ...operator })
      .orIgnore()
      .execute();
  }

  async update(tx: TenantTransaction, id: string, changes: OperatorChanges | InitialPassword): Promise<void> {
    await tx.repository(Operator).update({ tenantId: tx.tenantId, id }, { ...changes });
  }
}
