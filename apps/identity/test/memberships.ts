import { Database, inWorkspace, newId } from '@crm/database';
import { decodeJwt } from 'jose';
import { UserService } from '../src/people/people.service.js';
import { PersonService } from '../src/people/person.service.js';
import type { Account, Answer, TestIdentity } from './identity.js';

type Holder = Pick<Account, 'email' | 'tenantId' | 'userId'>;

/** As if the user had opened a link in a mail to their address. */
export async function prove(identity: TestIdentity, { email, tenantId, userId }: Holder): Promise<void> {
  await inWorkspace(identity.get(Database), tenantId, (tx) =>
    identity.get(PersonService).prove(tx, email, { tenantId, userId }),
  );
}

/** Somebody who has proven the address that they registered a workspace with. */
export async function newPerson(identity: TestIdentity, workspace: Record<string, unknown> = {}): Promise<Account> {
  const account = await identity.account(workspace);
  await prove(identity, account);
  return identity.signedIn(account.email);
}

/** Makes a person a member of the workspace of an owner. @returns the user that they are there */
export async function joined(
  identity: TestIdentity,
  { email }: Account,
  { tenantId }: Account,
  roles = ['member'],
): Promise<Holder> {
  const userId = newId();
  const user = { id: userId, email, name: 'Member', roles, status: 'active', origin: 'administrator' } as const;
  await inWorkspace(identity.get(Database), tenantId, (tx) =>
    identity.get(UserService).addLocal(tx, tenantId, { ...user, roles, passwordHash: null }),
  );
  await prove(identity, { email, tenantId, userId });
  return { email, tenantId, userId };
}

/** A person who has a workspace, and is a member of a customer's. */
export async function consultant(identity: TestIdentity, roles?: string[]) {
  const [home, customer] = [await newPerson(identity, { name: 'Home' }), await identity.account({ name: 'Customer' })];
  return { home, customer, there: await joined(identity, home, customer, roles) };
}

export const switchTo = (
  identity: TestIdentity,
  from: Pick<Account, 'accessToken'>,
  tenantId: string,
  password?: string,
): Promise<Answer> => identity.send('POST', '/api/auth/switch', from, { tenantId, ...(password && { password }) });

/** The session of an answer with tokens. */
export async function sessionOf(identity: TestIdentity, { body }: Pick<Answer, 'body'>) {
  const { sid, tid } = decodeJwt(body.accessToken) as { sid: string; tid: string };
  const sql = `SELECT proven_at AS "provenAt", ends_at AS "endsAt", person_proven AS "personProven" FROM session
    WHERE id = $1`;
  const [row] = await identity.query<{ provenAt: Date | null; endsAt: Date; personProven: boolean }>(tid, sql, [sid]);
  if (!row) throw new Error('There is no such session');
  return row;
}
