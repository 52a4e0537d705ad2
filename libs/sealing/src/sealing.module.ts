import { Database } from '@crm/database';
import { EncryptionKeys } from '@crm/encryption';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { KeyRegister } from './key-register.js';

/** Makes sure, before the service is ready, that it has the keys with which its database is sealed. */
@Module({})
export class SealingModule implements OnModuleInit {
  /** @param keys as the configuration has them */
  static forService(keys: string): DynamicModule {
    return {
      module: SealingModule,
      providers: [
        {
          provide: KeyRegister,
          useFactory: (database: Database) => new KeyRegister(database, EncryptionKeys.parse(keys)),
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
