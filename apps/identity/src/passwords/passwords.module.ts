import { Module } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { PeopleModule } from '../people/people.module.js';
import { HashPool } from './hash-pool.js';
import { InitialPasswords } from './initial-passwords.js';
import { LocalPasswords, LocalPasswordsController } from './local-passwords.js';
import { PasswordService } from './password.service.js';
import { PasswordMarks } from './password-marks.js';
import { PasswordPolicy } from './password-policy.js';
import { UserInitialPasswords } from './user-initial-passwords.js';

/** What other nouns use. */
const SHARED = [InitialPasswords, LocalPasswords, PasswordMarks, PasswordPolicy, PasswordService, UserInitialPasswords];

@Module({
  imports: [PeopleModule],
  controllers: [LocalPasswordsController],
  providers: [
    ...SHARED,
    {
      provide: HashPool,
      useFactory: ({ hashPool }: IdentityConfig) => new HashPool(hashPool),
      inject: [IDENTITY_CONFIG],
    },
  ],
  exports: SHARED,
})
export class PasswordsModule {}
