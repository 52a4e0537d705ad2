import { Database, DatabaseModule } from '@crm/database';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { CustomObjectsConfig } from './config.js';
import { migrations } from './migrations/index.js';
import { CustomField, CustomObject, ObjectShare } from './object/object.entity.js';
import { ObjectModule } from './object/object.module.js';
import { RecordModule } from './record/record.module.js';
import { SavedView } from './view/saved-view.entity.js';
import { SavedViewModule } from './view/saved-view.module.js';
import { DeletedRecordSweeper } from './writing/deleted-record.sweeper.js';

/** The tables that repositories reach through TypeORM. */
const entities = [CustomField, CustomObject, ObjectShare, SavedView];

@Module({})
export class AppModule {
  static with(config: CustomObjectsConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService({ config: config.database, entities, migrations }),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        ObjectModule,
        RecordModule,
        SavedViewModule,
      ],
      providers: [
        {
          provide: DeletedRecordSweeper,
          inject: [Database],
          useFactory: (database: Database) =>
            new DeletedRecordSweeper(database, config.deletedRecordsKeptDays, config.historyKeptDays),
        },
      ],
    };
  }
}
