import type { Principal } from '@crm/access';
import {
  isErrorCode,
  OPERATORS_PREFIX,
  type OperatorAuditEntry,
  type OperatorAuditPage,
  PLATFORM_TENANT,
  PlatformError,
} from '@crm/contracts';
import { type CursorBinding, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type Problem, readCursor, writeCursor } from '@crm/http';
import { UpstreamClient } from '@crm/runtime/proxy';
import { Injectable } from '@nestjs/common';
import type { Upstream } from '../forwarding/routes.js';
import type { AuditEntryView, AuditFilter, AuditListView, AuditQuery } from './audit.dto.js';

/** Milliseconds for a page of a service. */
const TIMEOUT_MS = 10_000;

/** The trail of operators: identity and marketplace-certification each keep their part, here it is one. */
@Injectable()
export class AuditService {
  constructor(private readonly services: UpstreamClient) {}

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

  private async page(principal: Principal, filter: AuditFilter, size: number, beforeId?: string) {
    const parameters = { ...filter, size: String(size), ...(beforeId !== undefined && { beforeId }) };
    const path = `/audit?${new URLSearchParams(parameters)}`;
    const pages = await Promise.all([
      this.read<OperatorAuditPage>(principal, 'identity', path),
      this.read<OperatorAuditPage>(principal, 'marketplace-certification', path),
    ]);
    return mergePages(pages, size);
  }

  private async emails(principal: Principal): Promise<ReadonlyMap<string, string>> {
    const path = '/api/admin/operators';
    const { data } = await this.read<{ data: { id: string; email: string }[] }>(principal, 'identity', path);
    return new Map(data.map(({ id, email }) => [id, email]));
  }

  /** @throws PlatformError with the code that the service answers with; SERVICE_UNAVAILABLE when it does not answer */
  private async read<T>({ token, requestId, traceparent }: Principal, service: Upstream, path: string): Promise<T> {
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': requestId, traceparent };
    const call = this.services.get(service, OPERATORS_PREFIX + path, { timeoutMs: TIMEOUT_MS, headers });
    const { status, body } = await call.catch((cause: unknown) => {
      throw new PlatformError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: 2, cause });
    });
    if (status === 200) return body as T;
    const { code, detail } = body as Partial<Problem>;
    throw new PlatformError(code !== undefined && isErrorCode(code) ? code : 'SERVICE_UNAVAILABLE', detail);
  }
}

function viewOf(entry: OperatorAuditEntry, emails: ReadonlyMap<string, string>): AuditEntryView {
  const { id, operatorId, ...rest } = entry;
  return { id, at: timeOf(id), operatorId, operatorEmail: emails.get(operatorId ?? '') ?? null, ...rest };
}

/** The time in a UUIDv7. */
const timeOf = (id: string): string => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString();

/**
 * One page of several trails, newest first. A trail that has more says nothing about what is older than its last entry, so
 * the merged page ends where the first of them does.
 */
export function mergePages(pages: readonly OperatorAuditPage[], size: number): OperatorAuditPage {
  const ends = pages.flatMap(({ data, more }) => (more ? [data.at(-1)?.id ?? ''] : []));
  // Ids are UUIDv7 in lower case: as texts they sort by time.
  const end = ends.sort().at(-1);
  const entries = pages.flatMap(({ data }) => data).sort(byIdDescending);
  const known = end === undefined ? entries : entries.filter(({ id }) => id >= end);
  const data = known.slice(0, size);
  return { data, more: data.length < entries.length || ends.length > 0 };
}

const byIdDescending = (one: OperatorAuditEntry, other: OperatorAuditEntry): number =>
  one.id < other.id ? 1 : one.id > other.id ? -1 : 0;
