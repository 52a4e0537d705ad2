import { setTimeout as delay } from 'node:timers/promises';
import { type DynamicModule, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from './database.js';
import type { EntityClass } from './entities.js';
import { isTemporary } from './errors.js';
import { assertStepsAreKnown, type MigrationClass } from './migrations/known-steps.js';
import { PartitionUpkeep } from './partitions/partition-upkeep.js';
import type { DatabaseConfig } from './pool.js';

export interface DatabaseModuleOptions {
  config: DatabaseConfig;
  entities?: readonly EntityClass[];
  /** The service's steps: it does not start on a database that has others. */
  migrations: readonly MigrationClass[];
}

/** Milliseconds between looks for a database that is not there. */
const WAIT_MS = 500;

/** Waits for the database, as services start in any order. @throws UnknownSteps */
async function openKnown({ config, entities, migrations }: DatabaseModuleOptions): Promise<Database> {
  const database = new Database(config, entities);
  for (let isTold = false; ; isTold = true) {
    try {
      await assertStepsAreKnown({ query: (sql) => database.crossTenantStatement(sql, []) }, migrations);
      return database;
    } catch (error) {
      if (!isTemporary(error)) {
        await database.close();
        throw error;
      }
      if (!isTold) new Logger('Database').warn({ msg: 'The start waits for the database', err: error });
      await delay(WAIT_MS);
    }
  }
}

/** Provides the service's Database to every module, keeps its partitions and closes it last at shutdown. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  static forService(options: DatabaseModuleOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: Database, useFactory: () => openKnown(options) },
        {
          provide: PartitionUpkeep,
          useFactory: (database: Database) => new PartitionUpkeep(database, options.config),
          inject: [Database],
        },
      ],
      exports: [Database, PartitionUpkeep],
    };
  }

  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
