import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { RevocationModule } from '../sessions/revocation.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { LimitModule } from '../sign-in/limit.module.js';
import { PasskeyStoreModule } from '../sign-in/passkey-store.module.js';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { LapsedClaimSweeper } from './lapsed-claim.sweeper.js';
import { VerificationController } from './verification.controller.js';
import { VerificationService } from './verification.service.js';

/** Addresses of registrations, which belong to whoever verifies them first. */
@Module({
  imports: [LimitModule, MailModule, RevocationModule, SessionModule, TenantModule, UserModule, PasskeyStoreModule],
  controllers: [VerificationController],
  providers: [LapsedClaimSweeper, VerificationService],
  exports: [VerificationService],
})
export class VerificationModule {}
