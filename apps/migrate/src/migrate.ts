import type { StatefulService } from '@crm/contracts';
import type { MigrationClass } from '@crm/database';
import { explain } from '@crm/runtime';
import { loadConfig } from './config.js';
import { provisionPlatform } from './provision-platform.js';

/** What a program that SIGTERM ended exits with. */
const EXIT_TERMINATED = 128 + 15;

const tell = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** The image has every service, with its built migrations, beside the folder of this program. */
const migrationsOf = async (service: StatefulService): Promise<readonly MigrationClass[]> => {
  const { migrations } = await import(new URL(`../${service}/migrations/index.js`, import.meta.url).href);
  return migrations;
};

// Run as a program, before a rollout: `node migrate.js`. Exits 0 when everything is up to date.
const config = loadConfig();
// The first process of a container gets no signal that it does not handle. What has not been committed is rolled back.
process.once('SIGTERM', () => process.exit(EXIT_TERMINATED));
try {
  const { created, migrations } = await provisionPlatform({
    ...config,
    migrationsOf,
    onWait: () => tell('Another migration is running; waiting until it ends'),
  });
  for (const what of created) tell(`created ${what}`);
  for (const step of migrations) tell(`migrated ${step}`);
  const isUnchanged = created.length + migrations.length === 0;
  tell(`${isUnchanged ? 'Nothing to do: d' : 'D'}atabases, streams and consumers are up to date`);
  // A library's timer must not hold up the rollout.
  process.exit(0);
} catch (error) {
  process.stderr.write(`The platform could not be brought up to date: ${explain(error)}\n`);
  process.exit(1);
}
