import { Module } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { HashPool } from './hash-pool.js';
import { PasswordService } from './password.service.js';
import { PasswordMarks } from './password-marks.js';

/** Hashes and checks passwords. */
@Module({
  providers: [
    PasswordMarks,
    PasswordService,
    {
      provide: HashPool,
      useFactory: ({ hashPool }: IdentityConfig) => new HashPool(hashPool),
      inject: [IDENTITY_CONFIG],
    },
  ],
  exports: [PasswordMarks, PasswordService],
})
export class PasswordModule {}
