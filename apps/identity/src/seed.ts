import 'reflect-metadata';
import type { Plan } from '@crm/contracts';
import { Database, inWorkspace, newId } from '@crm/database';
import { isLoopback } from '@crm/limits';
import { AuditTrail } from './audit/audit-trail.service.js';
import { type IdentityConfig, loadConfig } from './config.js';
import { entities } from './entities.js';
import { OperatorRepository } from './operators/operator.repository.js';
import { PasswordService } from './passwords/password.service.js';
import { EmailClaimRepository, type EmailHolder } from './people/email-claim.repository.js';
import { PersonRepository } from './people/person.repository.js';
import { PersonService } from './people/person.service.js';
import { TenantRepository } from './people/tenant.repository.js';
import { UserRepository } from './people/user.repository.js';
import { UserService } from './people/user.service.js';
import { PLATFORM_TENANT } from './platform-tenant.js';
import { RegistrationService } from './registration/registration.service.js';
import { runProgram } from './run-program.js';

/** Password of every demo account; the README names it. */
const DEMO_PASSWORD = 'correct-horse-battery-staple';

const DEMO_TENANTS: readonly { name: string; plan: Plan; users: readonly DemoUser[] }[] = [
  { name: 'Acme', plan: 'developer', users: [{ email: 'dev@acme.test', name: 'Dev of Acme', roles: ['owner'] }] },
  {
    name: 'Globex',
    plan: 'business',
    users: [
      { email: 'admin@globex.test', name: 'Admin of Globex', roles: ['owner', 'admin'] },
      { email: 'member@globex.test', name: 'Member of Globex', roles: ['member'] },
    ],
  },
  {
    name: 'Initech',
    plan: 'enterprise',
    users: [{ email: 'admin@initech.test', name: 'Admin of Initech', roles: ['owner', 'admin'] }],
  },
];

interface DemoUser {
  email: string;
  name: string;
  roles: string[];
}

/** Can be repeated. @throws Error in the production profile, and where others than this machine are listened to */
export async function seed(config: IdentityConfig, database: Database): Promise<void> {
  if (config.service.profile === 'production') {
    throw new Error('Demo accounts have a public password and are not created in the production profile');
  }
  const { host } = config.service;
  if (!isLoopback(host)) {
    throw new Error(
      `Demo accounts have a public password: they are created where HOST is a loopback address, not ${host}`,
    );
  }
  const [users, persons, tenants] = [new UserRepository(), new PersonRepository(), new TenantRepository()];
  const people = new PersonService(persons, users, new EmailClaimRepository(), tenants);
  const additions = new UserService(users, persons);
  const passwords = new PasswordService();
  const registrations = new RegistrationService(
    database,
    tenants,
    additions,
    passwords,
    persons,
    people,
    new AuditTrail(),
    config,
  );
  /** Proves a user whom an administrator has added meanwhile, or who is new. */
  const prove = (tenantId: string, { email, ...user }: DemoUser, passwordHash: string) =>
    inWorkspace(database, tenantId, async (tx) => {
      await persons.holdAddress(tx, email);
      if (await persons.findAddress(tx, email)) return;
      const known = await users.findByEmail(tx, tenantId, email);
      const userId = known?.userId ?? newId();
      const added = { ...user, id: userId, email, status: 'active', origin: 'administrator', passwordHash } as const;
      if (!known) await additions.addLocal(tx, tenantId, added);
      await people.prove(tx, email, { tenantId, userId });
    });
  for (const { name, plan, users: team } of DEMO_TENANTS) {
    const [owner, ...others] = team;
    if (!owner) continue;
    let account: EmailHolder | undefined = await persons.findHolder(database, owner.email);
    if (!account) {
      const { user, tenant } = await registrations.register({
        email: owner.email,
        password: DEMO_PASSWORD,
        name: owner.name,
        workspace: { name, plan },
      });
      account = { tenantId: tenant.id, userId: user.id };
      await database.transaction(tenant.id, (tx) => users.update(tx, user.id, { roles: owner.roles }));
    }
    for (const user of others) await prove(account.tenantId, user, await passwords.hash(DEMO_PASSWORD));
  }
  await addOperator(database, passwords);
}

async function addOperator(database: Database, passwords: PasswordService): Promise<void> {
  const operators = new OperatorRepository();
  const email = 'operator@platform.test';
  if (await database.transaction(PLATFORM_TENANT, (tx) => operators.findByEmail(tx, email))) return;
  const passwordHash = await passwords.hash(DEMO_PASSWORD);
  const operator = { id: newId(), email, name: 'Operator', passwordHash, linkedTenantId: null };
  await database.transaction(PLATFORM_TENANT, (tx) =>
    operators.insertMissing(tx, { ...operator, role: 'administrator' }),
  );
}

async function main(): Promise<number> {
  const config = loadConfig();
  const database = new Database(config.database, entities);
  try {
    await seed(config, database);
    return 0;
  } finally {
    await database.close();
  }
}

runProgram('seed.js', main);
