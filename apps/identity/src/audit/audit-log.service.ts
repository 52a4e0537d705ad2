import type { Principal } from '@crm/access';
import { isUuid, PlatformError, rolesAllow } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, parsePage } from '@crm/http';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import type { AuditEntry } from './audit-entry.entity.js';
import { type AuditEntryView, type AuditExportQuery, type AuditQuery, MAX_EXPORT_DAYS } from './audit-log.dto.js';
import { type AuditFilter, AuditLogRepository } from './audit-log.repository.js';
import { AuditTrail } from './audit-trail.service.js';

/** Ids of the users that entries name. */
export function usersOf(entries: readonly AuditEntry[]): string[] {
  const ids = entries.flatMap(({ actorKind, actorId, subjectKind, subjectId }) => [
    ...(actorKind === 'user' ? [actorId] : []),
    ...(subjectKind === 'user' ? [subjectId] : []),
  ]);
  return [...new Set(ids)].filter((id): id is string => isUuid(id));
}

/**
 * @param names of the users that are still there, by id
 * @param isOwner whether `detail.unseen` is shown: what the actor could not see
 */
export function auditEntryView(entry: AuditEntry, names: ReadonlyMap<string, string>, isOwner = false): AuditEntryView {
  const { id, action, outcome, actorKind, actorId, subjectKind, subjectId, address, device, requestId } = entry;
  const { unseen, ...seen } = entry.detail;
  const detail = isOwner || unseen === undefined ? entry.detail : seen;
  const nameOf = (kind: string, of: string | null) => (kind === 'user' && of !== null ? (names.get(of) ?? null) : null);
  return {
    id,
    at: entry.at.toISOString(),
    action,
    outcome,
    actor: { kind: actorKind, id: actorId, name: nameOf(actorKind, actorId) },
    subject:
      subjectKind === null || subjectId === null
        ? null
        : { kind: subjectKind, id: subjectId, name: nameOf(subjectKind, subjectId) },
    address,
    device,
    requestId,
    detail,
  };
}

const COLUMNS: readonly (readonly [name: string, value: (entry: AuditEntryView) => string | null])[] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['action', ({ action }) => action],
  ['outcome', ({ outcome }) => outcome],
  ['actorKind', ({ actor }) => actor.kind],
  ['actorId', ({ actor }) => actor.id],
  ['actorName', ({ actor }) => actor.name],
  ['subjectKind', ({ subject }) => subject?.kind ?? null],
  ['subjectId', ({ subject }) => subject?.id ?? null],
  ['subjectName', ({ subject }) => subject?.name ?? null],
  ['address', ({ address }) => address],
  ['device', ({ device }) => device],
  ['requestId', ({ requestId }) => requestId],
  ['detail', ({ detail }) => JSON.stringify(detail)],
];

/** What a spreadsheet takes for a formula (OWASP, CSV Injection), the full-width forms included, and what hides such a start. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

/** A cell of RFC 4180. Names and paths are chosen by people: an apostrophe makes a spreadsheet show a text as a text. */
export function csvCell(value: string | null): string {
  const text = value ?? '';
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: readonly (string | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;

const csvHead = (): string => line(COLUMNS.map(([name]) => name));

const csvLine = (entry: AuditEntryView): string => line(COLUMNS.map(([, value]) => value(entry)));

const DAY_MS = 24 * 3_600_000;
/** Entries that one transaction of an export reads. */
const BATCH = 500;

/** Exports of a workspace in an hour: each reads up to a hundred days. */
export const EXPORTS_PER_HOUR = 20;

/** The audit trail as administrators read it. */
@Injectable()
export class AuditLogService {
  private readonly exports: Limiter;

  constructor(
    private readonly database: Database,
    private readonly log: AuditLogRepository,
    private readonly trail: AuditTrail,
    limits: LimiterStore,
  ) {
    const limit = { name: 'audit-export', points: EXPORTS_PER_HOUR, windowSeconds: 3600 };
    this.exports = new Limiter(limits, limit, 'Too many exports of the audit trail. Try again later');
  }

  /** @throws PlatformError INVALID_QUERY for a cursor of another workspace or filter, and for times in the wrong order */
  async list({ tenantId, roles }: Principal, query: AuditQuery): Promise<ListAnswer<AuditEntryView>> {
    const filter = filterOf(query);
    const page = parsePage(query, { tenantId, list: 'audit', filter });
    return this.database.transaction(tenantId, async (tx) => {
      const { entries, counted } = await this.log.list(tx, filter, page);
      return listAnswer(await this.shown(tx, entries, roles), page, counted, idPosition);
    });
  }

  /**
   * The text of an export, piece by piece, from the oldest entry to the newest. It holds no connection while the client
   * reads. The export is recorded before its first piece.
   * @throws PlatformError INVALID_QUERY for a range that is too long or in the wrong order, RATE_LIMITED
   */
  async export(principal: Principal, query: AuditExportQuery): Promise<AsyncGenerator<string>> {
    const { format = 'ndjson', ...wanted } = query;
    const filter = filterOf(wanted);
    if (Date.parse(wanted.to) - Date.parse(wanted.from) > MAX_EXPORT_DAYS * DAY_MS) {
      throw new PlatformError('INVALID_QUERY', `to: must be within ${MAX_EXPORT_DAYS} days of from`);
    }
    await this.exports.consume(principal.tenantId);
    const { tenantId } = principal;
    await this.database.transaction(principal, async (tx) => {
      const detail = { format, from: wanted.from, to: wanted.to };
      this.trail.record(tx, { action: 'audit.exported', subject: { kind: 'workspace', id: tenantId }, detail });
    });
    return format === 'csv'
      ? this.pieces(principal, filter, csvHead(), csvLine)
      : this.pieces(principal, filter, '', (entry) => `${JSON.stringify(entry)}\n`);
  }

  private async *pieces(
    { tenantId, roles }: Principal,
    filter: AuditFilter,
    head: string,
    lineOf: (entry: AuditEntryView) => string,
  ): AsyncGenerator<string> {
    if (head !== '') yield head;
    let last: string | undefined;
    for (;;) {
      const views = await this.database.transaction(tenantId, async (tx) =>
        this.shown(tx, await this.log.listFrom(tx, filter, BATCH, last), roles),
      );
      last = views.at(-1)?.id;
      if (last === undefined) return;
      yield views.map(lineOf).join('');
      if (views.length < BATCH) return;
    }
  }

  private async shown(
    tx: TenantTransaction,
    entries: readonly AuditEntry[],
    roles: readonly string[],
  ): Promise<AuditEntryView[]> {
    const names = await this.log.namesOf(tx, usersOf(entries));
    const isOwner = rolesAllow(roles, 'own');
    return entries.map((entry) => auditEntryView(entry, names, isOwner));
  }
}

/** @throws PlatformError INVALID_QUERY for times in the wrong order */
function filterOf({ action, actor, subject, outcome, from, to }: AuditFilter): AuditFilter {
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
    throw new PlatformError('INVALID_QUERY', 'from: must be before to');
  }
  // Without what is not asked for: a cursor is bound to the rest, as JSON.
  return JSON.parse(JSON.stringify({ action, actor, subject, outcome, from, to }));
}
