import { Database, inWorkspace, newId } from '@crm/database';
import { decodeJwt } from 'jose';
import { UserService } from '../src/people/people.service.js';
import { PersonService } from '../src/people/person.service.js';
import type { Account, Answer, TestIdentity } from './identity.js';

export type Holder = Pick<Account, 'email' | 'tenantId' | 'userId'>;

/** Makes a user the person who has the address, as a link in a mail to it does. */
export async function prove(identity: TestIdentity, { email, tenantId, userId }: Holder): Promise<void> {
  await inWorkspace(identity.get(Database), tenantId, (tx) =>
    identity.get(PersonService).prove(tx, email, { tenantId, userId }),
  );
}

/** Adds a user to a workspace as an administrator does. @returns their id */
export async function addLocal(
  identity: TestIdentity,
  tenantId: string,
  email: string,
  roles = ['viewer'],
): Promise<string> {
  const id = newId();
  const rights = { status: 'active', origin: 'administrator', passwordHash: null } as const;
  const user = { id, email, name: 'Consultant', roles, ...rights };
  await inWorkspace(identity.get(Database), tenantId, (tx) => identity.get(UserService).addLocal(tx, tenantId, user));
  return id;
}

/** Makes the person who has proven an address a member of a workspace. @returns the user that they are there */
export async function joined(
  identity: TestIdentity,
  { email }: Pick<Account, 'email'>,
  { tenantId }: Pick<Account, 'tenantId'>,
  roles = ['member'],
): Promise<Holder> {
  const userId = await addLocal(identity, tenantId, email, roles);
  await prove(identity, { email, tenantId, userId });
  return { email, tenantId, userId };
}

/** A person who owns a workspace, where they are signed in, and is a member of a customer's. */
export async function consultant(identity: TestIdentity, roles?: string[]) {
  const [home, customer] = [await identity.account({ name: 'Home' }), await identity.account({ name: 'Customer' })];
  return { home, customer, there: await joined(identity, home, customer, roles) };
}

/** Signs a person in to one of their workspaces; by a provider, which has proven nothing of the person, or by the password. */
export async function enter(identity: TestIdentity, { email, tenantId, userId }: Holder, by = 'password') {
  const sql = 'UPDATE sign_in_email SET tenant_id = $2, user_id = $3 WHERE email = $1';
  await identity.queryAll(sql, [email, tenantId, userId]);
  const account = await identity.signedIn(email);
  await identity.query(tenantId, 'UPDATE session SET person_proven = $1', [by === 'password']);
  return account;
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
  if (!row) throw new Error('Session not found');
  return row;
}

/** What the tables of addresses have of a user. */
export async function standing(identity: TestIdentity, userId: string): Promise<'member' | 'local' | 'nobody'> {
  const [row] = await identity.queryAll<{ member: boolean; local: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM membership WHERE user_id = $1) AS member,
            EXISTS (SELECT 1 FROM local_account WHERE user_id = $1) AS local`,
    [userId],
  );
  if (row?.member && row.local) throw new Error('A user is a member and a local account');
  if (row?.member) return 'member';
  return row?.local ? 'local' : 'nobody';
}
