import { Module } from '@nestjs/common';
import { RecoveryCodeModule } from './recovery-code.module.js';
import { AuthenticatorRepository } from './authenticator.repository.js';
import { AuthenticatorService } from './authenticator.service.js';

/** Authenticator apps of users and operators. */
@Module({
  imports: [RecoveryCodeModule],
  providers: [AuthenticatorRepository, AuthenticatorService],
  exports: [AuthenticatorService],
})
export class AuthenticatorModule {}
