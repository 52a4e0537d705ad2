import { DATABASES, type StatefulService } from '@crm/contracts';
import { bytesOf, MAX_FILE_STORE, type ProvisioningConnection } from '@crm/messaging';
import { readEnvironment } from '@crm/runtime';
import type { DatabasePasswords } from './provision-platform.js';

export interface MigrateConfig {
  /** A role that may create roles and databases. */
  readonly adminUrl: string;
  readonly passwords: Readonly<Record<StatefulService, DatabasePasswords>>;
  readonly nats: ProvisioningConnection;
  /** Copies of each stream in the NATS cluster. */
  readonly replicas: number;
  /** What a server of NATS may store. */
  readonly fileStoreBytes: number;
}

const STATEFUL = Object.keys(DATABASES) as StatefulService[];

/**
 * The variable with the password of a database role, such as CUSTOM_OBJECTS_RUNTIME_PASSWORD.
 */
const passwordVariable = (service: StatefulService, role: keyof DatabasePasswords): string =>
  `${service}-${role}-password`.toUpperCase().replaceAll('-', '_');

/**
 * Reads DATABASE_ADMIN_URL, <SERVICE>_OWNER_PASSWORD, <SERVICE>_RUNTIME_PASSWORD and <SERVICE>_NARROW_PASSWORD of every
 * service with a database, NATS_URL, NATS_PASSWORD (of the user `provisioner`), NATS_REPLICAS and NATS_MAX_FILE_STORE. Each secret may be given
 * as a file (…_FILE).
 */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): MigrateConfig {
  return readEnvironment((env) => {
    const passwordsOf = (service: StatefulService): DatabasePasswords => ({
      owner: env.secret(passwordVariable(service, 'owner')),
      runtime: env.secret(passwordVariable(service, 'runtime')),
      narrow: env.secret(passwordVariable(service, 'narrow')),
    });
    const fileStoreBytes = bytesOf(env.string('NATS_MAX_FILE_STORE', { default: MAX_FILE_STORE }));
    if (!fileStoreBytes) env.problem('NATS_MAX_FILE_STORE must be a size such as 1800MiB or 18GiB');
    return {
      fileStoreBytes: fileStoreBytes ?? 0,
      adminUrl: env.url('DATABASE_ADMIN_URL', { schemes: ['postgres', 'postgresql'], secret: true }),
      passwords: Object.fromEntries(STATEFUL.map((service) => [service, passwordsOf(service)])) as Record<
        StatefulService,
        DatabasePasswords
      >,
      nats: {
        url: env.url('NATS_URL', { schemes: ['nats', 'tls'] }),
        user: 'provisioner',
        password: env.secret('NATS_PASSWORD'),
      },
      // Without a default: one copy in production would be noticed only when a server is lost.
      replicas: Number(env.oneOf('NATS_REPLICAS', ['1', '3'])),
    };
  }, environment);
}
