import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OutsideModule } from '../outside.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { SignInPolicyModule } from '../sign-in/sign-in-policy.module.js';
import { DomainController } from './domain.controller.js';
import { DomainRepository } from './domain.repository.js';
import { DomainService } from './domain.service.js';
import { DomainSweeper } from './domain.sweeper.js';

/** Domains of e-mail addresses that workspaces have proven. */
@Module({
  imports: [TenantModule, UserModule, MailModule, OutsideModule, SessionModule, SignInPolicyModule],
  controllers: [DomainController],
  providers: [DomainRepository, DomainService, DomainSweeper],
  exports: [DomainRepository, DomainService],
})
export class DomainModule {}
