import { Database, inWorkspace, newId } from '@crm/database';
import { UserService } from '../src/people/people.service.js';
import { PersonService } from '../src/people/person.service.js';
import type { Account, TestIdentity } from './identity.js';

/** Makes a user the person who has the address, as a link in a mail to it does. */
export const prove = (
  identity: TestIdentity,
  { email, tenantId, userId }: Omit<Account, 'accessToken' | 'refreshToken'>,
) =>
  inWorkspace(identity.get(Database), tenantId, (tx) =>
    identity.get(PersonService).prove(tx, email, { tenantId, userId }),
  );

/** Adds a user to a workspace as an administrator does. @returns their id */
export async function addLocal(identity: TestIdentity, tenantId: string, email: string): Promise<string> {
  const id = newId();
  const rights = { status: 'active', origin: 'administrator', passwordHash: null } as const;
  const user = { id, email, name: 'Local', roles: ['viewer'], ...rights };
  await inWorkspace(identity.get(Database), tenantId, (tx) => identity.get(UserService).addLocal(tx, tenantId, user));
  return id;
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
