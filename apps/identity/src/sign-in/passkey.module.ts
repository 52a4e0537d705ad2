import { Module } from '@nestjs/common';
import { UserModule } from '../people/user.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { FactorNoticeModule } from './factor-notice.module.js';
import { KnownDeviceModule } from './known-device.module.js';
import { LimitModule } from './limit.module.js';
import { SignInPolicyModule } from './sign-in-policy.module.js';
import { PasskeyController } from './passkey.controller.js';
import { PasskeyService } from './passkey.service.js';
import { PasskeyAssertionService } from './passkey-assertion.service.js';
import { PasskeyChallengeService } from './passkey-challenge.service.js';
import { PasskeyProofController } from './passkey-proof.controller.js';
import { PasskeyStoreModule } from './passkey-store.module.js';

/** Passkeys of users, and what those of operators are made of too. */
@Module({
  imports: [
    SignInPolicyModule,
    UserModule,
    SessionModule,
    FactorNoticeModule,
    KnownDeviceModule,
    LimitModule,
    PasskeyStoreModule,
  ],
  controllers: [PasskeyController, PasskeyProofController],
  providers: [PasskeyService, PasskeyAssertionService, PasskeyChallengeService],
  exports: [PasskeyAssertionService, PasskeyChallengeService, PasskeyStoreModule],
})
export class PasskeyModule {}
