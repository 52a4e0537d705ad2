import type { Principal } from '@crm/access';
import { type OperatorAuditEntry, type OperatorAuditQuery, PLATFORM_TENANT, rpc } from '@crm/contracts';
import { type CursorBinding, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, readCursor, writeCursor } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { AuditEntryView, AuditFilter, AuditListView, AuditQuery } from './audit.dto.js';
import { mergePages } from './merge-pages.js';

/** The trail of operators: identity and marketplace-certification each keep their part, here it is one. */
@Injectable()
export class AuditService {
  constructor(private readonly rpc: Rpc) {}

  /** @throws PlatformError INVALID_QUERY for a cursor of another list; SERVICE_UNAVAILABLE when a part is missing */
  async list(
    principal: Principal,
    { size = DEFAULT_PAGE_SIZE, cursor, ...filter }: AuditQuery,
  ): Promise<AuditListView> {
    const binding: CursorBinding = { tenantId: PLATFORM_TENANT, list: 'operator-audit', filter: { ...filter } };
    const beforeId = cursor === undefined ? undefined : readCursor(binding, cursor).id;
    const emails = await this.emails(principal);
    const { data, more } = await this.page(principal, filter, size, beforeId);
    const last = data.at(-1);
    return {
      data: data.map((entry) => viewOf(entry, emails)),
      size,
      hasMore: more,
      nextCursor: more && last ? writeCursor(binding, { value: null, id: last.id }) : null,
    };
  }

  /** Every entry, page by page as they are consumed; the first page has been read when the promise resolves. */
  async export(principal: Principal, filter: AuditFilter): Promise<AsyncGenerator<AuditEntryView>> {
    const emails = await this.emails(principal);
    const first = await this.page(principal, filter, MAX_PAGE_SIZE);
    return this.follow(principal, filter, first, emails);
  }

  private async *follow(
    principal: Principal,
    filter: AuditFilter,
    first: Awaited<ReturnType<AuditService['page']>>,
    emails: ReadonlyMap<string, string>,
  ): AsyncGenerator<AuditEntryView> {
    for (let page = first; ; ) {
      for (const entry of page.data) yield viewOf(entry, emails);
      const last = page.data.at(-1);
      if (!page.more || !last) return;
      page = await this.page(principal, filter, MAX_PAGE_SIZE, last.id);
    }
  }

  private async page(principal: Principal, filter: AuditFilter, limit: number, beforeId?: string) {
    const { from, to, q, operatorId, ...rest } = filter;
    const query: OperatorAuditQuery = {
      ...rest,
      limit,
      ...(operatorId !== undefined && { operatorId: operatorId.toLowerCase() }),
      ...(q !== undefined && { text: q }),
      ...(from !== undefined && { from: Date.parse(from) }),
      ...(to !== undefined && { to: Date.parse(to) }),
      ...(beforeId !== undefined && { beforeId }),
    };
    const pages = await Promise.all([
      this.rpc.call(rpc.identity.listOperatorAudit, query, principal),
      this.rpc.call(rpc.marketplace.listOperatorAudit, query, principal),
    ]);
    return mergePages(pages, limit);
  }

  private async emails(principal: Principal): Promise<ReadonlyMap<string, string>> {
    const { data } = await this.rpc.call(rpc.identity.listOperators, {}, principal);
    return new Map(data.map(({ id, email }) => [id, email]));
  }
}

function viewOf(entry: OperatorAuditEntry, emails: ReadonlyMap<string, string>): AuditEntryView {
  const { id, operatorId, ...rest } = entry;
  return { id, at: timeOf(id), operatorId, operatorEmail: emails.get(operatorId ?? '') ?? null, ...rest };
}

/** The time in a UUIDv7. */
const timeOf = (id: string): string => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString();
