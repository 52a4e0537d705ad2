import { waitUntil } from '@crm/testing';
import { expect } from '@jest/globals';
import type { AuditEntryView } from '../src/audit/audit-log.dto.js';
import type { Account, TestIdentity } from './identity.js';

/** The audit trail as an administrator reads it, newest first. */
export async function auditOf(identity: TestIdentity, admin: Account, query = ''): Promise<AuditEntryView[]> {
  const { status, body } = await identity.send('GET', `/api/admin/audit?size=200${query}`, admin);
  expect(status).toBe(200);
  return body.data as unknown as AuditEntryView[];
}

/** The newest entry of an action, once it is there: those of refused acts follow their answer. */
export async function entryOf(identity: TestIdentity, admin: Account, action: string): Promise<AuditEntryView> {
  let found: AuditEntryView | undefined;
  await waitUntil(
    async () => {
      [found] = await auditOf(identity, admin, `&action=${action}`);
      return found !== undefined;
    },
    { timeoutMs: 5_000, describe: `${action} is in the audit trail` },
  );
  return found as AuditEntryView;
}
