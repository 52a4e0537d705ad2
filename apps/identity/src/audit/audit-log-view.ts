import { isUuid } from '@crm/contracts';
import type { AuditEntry } from './audit-entry.entity.js';
import type { AuditEntryView } from './audit-log.dto.js';

/** Ids of the users that entries name. */
export function usersOf(entries: readonly AuditEntry[]): string[] {
  const ids = entries.flatMap(({ actorKind, actorId, subjectKind, subjectId }) => [
    ...(actorKind === 'user' ? [actorId] : []),
    ...(subjectKind === 'user' ? [subjectId] : []),
  ]);
  return [...new Set(ids)].filter((id): id is string => isUuid(id));
}

/** @param names of the users that are still there, by id */
export function auditEntryView(entry: AuditEntry, names: ReadonlyMap<string, string>): AuditEntryView {
  const { id, action, outcome, actorKind, actorId, subjectKind, subjectId, address, device, requestId, detail } = entry;
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
