import { DATABASES, type StatefulService, TOLERATED_STEPS } from '@crm/contracts';
import { type MigrationClass, type ProvisionedDatabase, provisionDatabase, runMigrations } from '@crm/database';
import { type ProvisioningConnection, provisionStreams } from '@crm/messaging';
import pg from 'pg';

/** Passwords of the three roles of a database. */
export interface DatabasePasswords {
  readonly owner: string;
  readonly runtime: string;
  readonly narrow: string;
}

export interface PlatformProvisioning {
  /** A role that may create roles and databases, connected to a maintenance database. */
  readonly adminUrl: string;
  /** The databases to bring up to date, by their service. None: only the streams. */
  readonly passwords: Readonly<Partial<Record<StatefulService, DatabasePasswords>>>;
  readonly nats: ProvisioningConnection;
  readonly replicas: number;
  /** What a server of NATS may store; default that of a single server. */
  readonly fileStoreBytes?: number;
  /** The migrations of a service, as its build made them: this program imports no other app. */
  migrationsOf(service: StatefulService): Promise<readonly MigrationClass[]>;
  /** Called when another run holds the lock, before waiting for it. */
  onWait?(): void;
}

export interface ProvisionedPlatform {
  readonly databases: Readonly<Partial<Record<StatefulService, ProvisionedDatabase>>>;
  /** What was created now, such as `database identity` or `stream EVENTS`. */
  readonly created: readonly string[];
  /** Steps that ran now, such as `identity CreateAccounts1700000000000`. */
  readonly migrations: readonly string[];
}

/**
 * Creates the databases, roles, tables, streams and consumers of the platform, or brings them up to date. Can be repeated,
 * and started several times at once: one run waits for the other.
 * @throws the first error; what was done by then stays, and the next run continues from there
 */
export function provisionPlatform(order: PlatformProvisioning): Promise<ProvisionedPlatform> {
  const services = (Object.keys(DATABASES) as StatefulService[]).filter((service) => order.passwords[service]);
  // Streams alone are also made while the database is away: NATS was restarted without its store.
  return services.length === 0
    ? provision(order, services)
    : withPlatformLock(order.adminUrl, () => provision(order, services), order.onWait);
}

async function provision(
  order: PlatformProvisioning,
  services: readonly StatefulService[],
): Promise<ProvisionedPlatform> {
  const [streams, ...prepared] = await Promise.all([
    provisionStreams(order.nats, order),
    ...services.map((service) => prepareDatabase(order, service)),
  ]);
  return {
    databases: Object.fromEntries(prepared.map(({ service, urls }) => [service, urls])),
    created: [...prepared.flatMap(({ created }) => created), ...streams],
    migrations: prepared.flatMap(({ service, ran }) => ran.map((name) => `${service} ${name}`)),
  };
}

async function prepareDatabase({ adminUrl, passwords, migrationsOf }: PlatformProvisioning, service: StatefulService) {
  const definition = DATABASES[service];
  const { created, ...urls } = await provisionDatabase({
    adminUrl,
    definition,
    passwords: passwords[service] as DatabasePasswords,
  });
  const ran = await runMigrations({
    ownerUrl: urls.ownerUrl,
    migrations: await migrationsOf(service),
    tolerated: TOLERATED_STEPS[service],
  });
  return { service, urls, ran, created: created ? [`database ${definition.database}`] : [] };
}

/** Lock on the administrator's database while the platform is brought up to date. An arbitrary constant. */
const PLATFORM_LOCK = 47_152_020;

/**
 * Does something while no other run does: of two jobs that start together, the second finds nothing left to do. The lock
 * belongs to a session, so a run that is killed holds nobody up.
 * @param onWait called when another run holds the lock, before waiting for it
 */
export async function withPlatformLock<Result>(
  adminUrl: string,
  work: () => Promise<Result>,
  onWait: () => void = () => undefined,
): Promise<Result> {
  const session = new pg.Client({ connectionString: adminUrl, application_name: 'migrate' });
  // A session that breaks has lost the lock: another run may begin, and this one must not go on.
  const broken = new Promise<never>((_, reject) => {
    session.once('error', reject);
  });
  // The race below says so; without it, a session that breaks while it connects or waits rejects its own query.
  broken.catch(() => undefined);
  await session.connect();
  try {
    const { rows } = await session.query('SELECT pg_try_advisory_lock($1) AS held', [PLATFORM_LOCK]);
    if (!rows[0].held) {
      onWait();
      await session.query('SELECT pg_advisory_lock($1)', [PLATFORM_LOCK]);
    }
    return await Promise.race([work(), broken]);
  } finally {
    await session.end();
  }
}
