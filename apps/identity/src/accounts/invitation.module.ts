import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PasswordModule } from '../sign-in/password.module.js';
import { PasswordPolicyModule } from '../sign-in/password-policy.module.js';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationRepository } from './invitation.repository.js';
import { InvitationService } from './invitation.service.js';

/** Invitations by mail, with which users set their first password. */
@Module({
  imports: [MailModule, PasswordModule, PasswordPolicyModule, TenantModule, UserModule],
  controllers: [InvitationController],
  providers: [InvitationRepository, InvitationService],
  exports: [InvitationService],
})
export class InvitationModule {}
