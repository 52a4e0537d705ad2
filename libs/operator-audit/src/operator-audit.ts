import {
  OPERATOR_ROLES,
  type OperatorAct,
  type OperatorAuditEntry,
  type OperatorAuditPage,
  type OperatorRole,
  type OperatorSubject,
  PLATFORM_TENANT,
  type ServiceDatabase,
} from '@crm/contracts';
import { createGlobalTable, lowestIdOf, newId, type Queryable } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import type { OperatorAuditQuery } from './operator-audit.dto.js';
import { ADD_OPERATOR_ACT, COUNT_OPERATOR_ACTS, LIST_OPERATOR_ACTS } from './operator-audit.sql.js';

/**
 * Nobody but the owner, as whom no service connects, can change or remove an entry; its id has its time. The runtime
 * role adds in the context of any tenant and reads in that of the platform's own.
 */
export async function createOperatorAuditTable(
  runner: QueryRunner,
  roles: ServiceDatabase,
  role: 'narrow' | 'runtime',
): Promise<void> {
  await createGlobalTable(runner, roles, {
    name: 'operator_audit',
    role,
    columns: `
      id uuid NOT NULL,
      operator_id uuid,
      role text,
      act text NOT NULL,
      subject_kind text NOT NULL,
      subject_id text NOT NULL,
      subject_name text,
      reason text,
      findings jsonb,
      state_before jsonb,
      state_after jsonb`,
    primaryKey: ['id'],
    grants: ['select', 'insert'],
    indexes: ['operator_id, id', 'subject_kind, subject_id, id', 'act, id'],
  });
  if (role === 'narrow') return;
  await runner.query(`ALTER POLICY runtime_select ON operator_audit
    USING (NULLIF(current_setting('app.tenant_id', true), '')::uuid = '${PLATFORM_TENANT}')`);
}

type State = Readonly<Record<string, unknown>>;

/** Someone who acts: the principal of an operator's token, or a row of an operator. */
export interface ActingOperator {
  readonly id: string;
  readonly role: OperatorRole;
}

/** @throws Error for a principal without a role of operators: nothing may go by without an entry that says who did it */
export function actingOperator({ userId, roles }: { userId: string; roles: readonly string[] }): ActingOperator {
  const role = OPERATOR_ROLES.find((name) => roles.includes(name));
  if (!role) throw new Error(`${userId} acts without a role of operators`);
  return { id: userId, role };
}

export interface NewOperatorAct {
  /** Null for an act by the program on the server. */
  readonly operator: ActingOperator | null;
  readonly act: OperatorAct;
  readonly subject: { readonly kind: OperatorSubject; readonly id: string; readonly name?: string | undefined };
  readonly reason?: string | undefined;
  /** What the operator had before them. */
  readonly findings?: State | undefined;
  readonly before?: State | undefined;
  readonly after?: State | undefined;
}

/** In the transaction of the act: both are committed, or neither is. */
export async function recordOperatorAct(tx: Queryable, entry: NewOperatorAct): Promise<void> {
  const { operator, act, subject, reason, findings, before, after } = entry;
  const json = (state: State | undefined) => (state ? JSON.stringify(state) : null);
  await tx.query(ADD_OPERATOR_ACT, [
    newId(),
    operator?.id ?? null,
    operator?.role ?? null,
    act,
    subject.kind,
    subject.id,
    subject.name ?? null,
    reason ?? null,
    json(findings),
    json(before),
    json(after),
  ]);
}

/** Failed sign-ins of an account that are recorded in an hour: enough to see an attack, too few to fill the table with one. */
export const MOST_FAILURES_PER_HOUR = 20;

const HOUR_MS = 3_600_000;

/** Adds a failed sign-in of an operator who exists, unless the last hour has enough of them. */
export async function recordFailedSignIn(
  tx: Queryable,
  operator: ActingOperator,
  about: Pick<NewOperatorAct, 'subject' | 'findings'>,
): Promise<void> {
  const act = 'operator.sign-in-failed';
  const since = lowestIdOf(Date.now() - HOUR_MS);
  const [recent] = await tx.query<{ counted: number }>(COUNT_OPERATOR_ACTS, [
    operator.id,
    act,
    since,
    MOST_FAILURES_PER_HOUR,
  ]);
  if ((recent?.counted ?? 0) < MOST_FAILURES_PER_HOUR) await recordOperatorAct(tx, { operator, act, ...about });
}

/** Bytes of JSON in one page: what operators had before them can be long. */
const PAGE_BYTES = 900_000;
const DEFAULT_SIZE = 200;

/** Newest first: fewer entries than were asked for when they are long, and at least one. */
export async function listOperatorAudit(
  tx: Queryable,
  { operatorId, act, subjectKind, subjectId, q, from, to, beforeId, size = DEFAULT_SIZE }: OperatorAuditQuery,
): Promise<OperatorAuditPage> {
  const ends = [to === undefined ? undefined : lowestIdOf(timeOf(to)), beforeId].filter((id) => id !== undefined);
  const rows = await tx.query<OperatorAuditEntry>(LIST_OPERATOR_ACTS, [
    operatorId?.toLowerCase() ?? null,
    act ?? null,
    subjectKind ?? null,
    subjectId ?? null,
    q?.toLowerCase() ?? null,
    from === undefined ? null : lowestIdOf(timeOf(from)),
    ends.sort()[0] ?? null,
    size + 1,
  ]);
  const data = fitting(rows.slice(0, size));
  return { data, more: data.length < rows.length };
}

/** Milliseconds since 1970, within what an id can have: 48 bits. */
const timeOf = (text: string): number => Math.min(Math.max(0, Date.parse(text)), 2 ** 48 - 1);

function fitting(entries: readonly OperatorAuditEntry[]): OperatorAuditEntry[] {
  let used = 0;
  const end = entries.findIndex((entry, index) => {
    used += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return used > PAGE_BYTES && index > 0;
  });
  return entries.slice(0, end < 0 ? entries.length : end);
}
