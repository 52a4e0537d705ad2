import type { NewAuditEntry } from '../audit/audit-trail.service.js';
import type { User } from '../people/user.entity.js';

type Changed = Pick<User, 'id' | 'name' | 'roles' | 'status'>;

const sorted = (roles: readonly string[]): string[] => [...roles].sort();

/** What the audit trail has of a change of a user; nothing for what stays as it was. Names are not stored: they identify people. */
export function changesOf(before: Changed, after: Changed): NewAuditEntry[] {
  const subject = { kind: 'user', id: before.id } as const;
  const entries: NewAuditEntry[] = [];
  if (before.name !== after.name) entries.push({ action: 'user.renamed', subject });
  if (sorted(before.roles).join() !== sorted(after.roles).join()) {
    entries.push({ action: 'user.roles_changed', subject, detail: { from: before.roles, to: after.roles } });
  }
  if (before.status !== after.status) {
    entries.push({ action: after.status === 'disabled' ? 'user.disabled' : 'user.enabled', subject });
  }
  return entries;
}
