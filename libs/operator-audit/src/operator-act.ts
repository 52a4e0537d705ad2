import { OPERATOR_ROLES, type OperatorAct, type OperatorRole, type OperatorSubject } from '@crm/contracts';
import { lowestIdOf, newId, type Queryable } from '@crm/database';
import { ADD_OPERATOR_ACT, COUNT_OPERATOR_ACTS } from './operator-audit.sql.js';

type State = Readonly<Record<string, unknown>>;

/** Somebody who acts: the principal of an operator's token, or a row of an operator. */
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
