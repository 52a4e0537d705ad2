import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from './database.js';
import type { EntityClass } from './entities.js';
import { PartitionUpkeep } from './partitions/partition-upkeep.js';
import type { DatabaseConfig } from './pool.js';

export interface DatabaseModuleOptions {
  config: DatabaseConfig;
  entities?: readonly EntityClass[];
}

/** Provides the service's Database to every module, keeps its partitions and closes it last at shutdown. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  static forService(options: DatabaseModuleOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: Database, useFactory: () => new Database(options.config, options.entities) },
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
