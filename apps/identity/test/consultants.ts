import { Database, inWorkspace, newId } from '@crm/database';
import { UserService } from '../src/people/people.service.js';
import { PersonService } from '../src/people/person.service.js';
import type { Account, TestIdentity } from './identity.js';

export type Holder = Pick<Account, 'email' | 'tenantId' | 'userId'>;

/** As if the user had opened a link in a mail to their address. */
export async function prove(identity: TestIdentity, { email, tenantId, userId }: Holder): Promise<void> {
  await inWorkspace(identity.get(Database), tenantId, (tx) =>
    identity.get(PersonService).prove(tx, email, { tenantId, userId }),
  );
}

/** Makes whoever has proven an address a member of a workspace. @returns the user that they are there */
export async function joined(
  identity: TestIdentity,
  { email }: Pick<Account, 'email'>,
  { tenantId }: Pick<Account, 'tenantId'>,
  roles = ['member'],
): Promise<Holder> {
  const userId = newId();
  const user = { id: userId, email, name: 'Consultant', roles, status: 'active', origin: 'administrator' } as const;
  await inWorkspace(identity.get(Database), tenantId, (tx) =>
    identity.get(UserService).addLocal(tx, tenantId, { ...user, roles, passwordHash: null }),
  );
  await prove(identity, { email, tenantId, userId });
  return { email, tenantId, userId };
}

/** Signs a person in to one of their workspaces; by a provider, which has proven nothing of the person, or by the password. */
export async function enter(identity: TestIdentity, { email, tenantId, userId }: Holder, by = 'password') {
  const sql = 'UPDATE sign_in_email SET tenant_id = $2, user_id = $3 WHERE email = $1';
  await identity.queryAll(sql, [email, tenantId, userId]);
  const account = await identity.signedIn(email);
  await identity.query(tenantId, 'UPDATE session SET person_proven = $1', [by === 'password']);
  return account;
}

/** A person who owns a workspace and is in another one, signed in at home. */
export async function consultant(identity: TestIdentity, roles?: string[]) {
  const [registered, client] = [await identity.account({ name: 'Home' }), await identity.account({ name: 'Customer' })];
  await prove(identity, registered);
  const there = await joined(identity, registered, client, roles);
  return { home: await enter(identity, registered), client, there };
}
