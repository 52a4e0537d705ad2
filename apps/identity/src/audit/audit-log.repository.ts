import { lowestIdOf, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { And, type FindOperator, type FindOptionsWhere, LessThan, MoreThan, MoreThanOrEqual } from 'typeorm';
import { AuditEntry } from './audit-entry.entity.js';
import type { AuditQuery } from './audit-log.dto.js';

/** Which entries; the times are those in their ids. */
export type AuditFilter = Pick<AuditQuery, 'action' | 'actor' | 'subject' | 'outcome' | 'from' | 'to'>;

const NAMES_OF_USERS = 'SELECT id, name FROM app_user WHERE tenant_id = $1 AND id = ANY ($2)';

const idOfTime = (time: string): string => lowestIdOf(Math.max(0, Date.parse(time)));

@Injectable()
export class AuditLogRepository {
  /** Entries from the newest to the oldest, and how many there are, counted up to the page's limit. */
  async list(
    tx: TenantTransaction,
    filter: AuditFilter,
    page: ListPage,
  ): Promise<{ entries: AuditEntry[]; counted: number }> {
    const before = page.after && LessThan(page.after.id);
    const { limit: take, offset: skip, countLimit } = page;
    const stored = tx.repository(AuditEntry);
    const entries = await stored.find({ where: whereOf(tx, filter, before), order: { id: 'DESC' }, take, skip });
    if (!page.counts) return { entries, counted: 0 };
    const where = whereOf(tx, filter);
    if (countLimit === null) return { entries, counted: await stored.countBy(where) };
    const found = await stored.find({ select: { tenantId: true, id: true }, where, take: countLimit });
    return { entries, counted: found.length };
  }

  /** Entries from the oldest to the newest. @param afterId the last one that was read */
  async listFrom(tx: TenantTransaction, filter: AuditFilter, limit: number, afterId?: string): Promise<AuditEntry[]> {
    const where = whereOf(tx, filter, afterId === undefined ? undefined : MoreThan(afterId));
    return tx.repository(AuditEntry).find({ where, order: { id: 'ASC' }, take: limit });
  }

  /** Entries that a user made or that are about them, from the oldest to the newest. */
  async listOfUser(tx: TenantTransaction, userId: string, limit: number, afterId?: string): Promise<AuditEntry[]> {
    const id = afterId === undefined ? undefined : MoreThan(afterId);
    const of = (who: FindOptionsWhere<AuditEntry>) => ({ tenantId: tx.tenantId, ...who, ...(id && { id }) });
    return tx.repository(AuditEntry).find({
      where: [of({ actorId: userId }), of({ subjectId: userId })],
      order: { id: 'ASC' },
      take: limit,
    });
  }

  /** The names of those of the ids that are users. */
  async namesOf(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const users = await tx.query<{ id: string; name: string }>(NAMES_OF_USERS, [tx.tenantId, ids]);
    return new Map(users.map(({ id, name }) => [id, name]));
  }
}

function whereOf(
  { tenantId }: TenantTransaction,
  { action, actor, subject, outcome, from, to }: AuditFilter,
  position?: FindOperator<string>,
): FindOptionsWhere<AuditEntry> {
  const bounds = [
    ...(position ? [position] : []),
    ...(from === undefined ? [] : [MoreThanOrEqual(idOfTime(from))]),
    ...(to === undefined ? [] : [LessThan(idOfTime(to))]),
  ];
  return {
    tenantId,
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actorId: actor }),
    ...(subject !== undefined && { subjectId: subject }),
    ...(outcome !== undefined && { outcome }),
    ...(bounds.length > 0 && { id: bounds.length === 1 ? bounds[0] : And(...bounds) }),
  };
}
