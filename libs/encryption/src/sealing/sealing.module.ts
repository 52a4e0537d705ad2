import { Database } from '@crm/database';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { EncryptionKeys } from '../encryption-keys.js';
import { KeyRegister } from './key-register.js';
import type { SealedColumn } from './sealed-column.js';

/** Makes sure, before the service is ready, that it has the keys with which its database is sealed. */
@Module({})
export class SealingModule implements OnModuleInit {
  /** @param columns every sealed column of the service */
  static forService(keys: string, columns: readonly SealedColumn[]): DynamicModule {
    return {
      module: SealingModule,
      providers: [
        {
          provide: KeyRegister,
          useFactory: (database: Database) => new KeyRegister(database, EncryptionKeys.parse(keys), columns),
          inject: [Database],
        },
      ],
    };
  }

  constructor(@Inject(KeyRegister) private readonly register: KeyRegister) {}

  /** @throws UnusableKeys, which ends the start */
  async onModuleInit(): Promise<void> {
    await this.register.register();
  }
}
