import { Module } from '@nestjs/common';
import { RecoveryCodeRepository } from './recovery-code.repository.js';
import { RecoveryCodeService } from './recovery-code.service.js';

/** Codes for a user whose authenticator is lost. */
@Module({ providers: [RecoveryCodeRepository, RecoveryCodeService], exports: [RecoveryCodeService] })
export class RecoveryCodeModule {}
