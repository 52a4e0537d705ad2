import { Module } from '@nestjs/common';
import { PasswordModule } from '../../accounts/password/password.module.js';
import { UserModule } from '../../accounts/user/user.module.js';
import { MailModule } from '../../mail/mail.module.js';
import { LimitModule } from '../limit/limit.module.js';
import { MfaController } from './mfa.controller.js';
import { MfaService } from './mfa.service.js';
import { MfaChallengeRepository } from './mfa-challenge.repository.js';

/** The second factor. */
@Module({
  imports: [PasswordModule, UserModule, MailModule, LimitModule],
  controllers: [MfaController],
  providers: [MfaChallengeRepository, MfaService],
  exports: [MfaService],
})
export class MfaModule {}
