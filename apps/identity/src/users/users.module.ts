import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { InvitationsModule } from '../invitations/invitations.module.js';
import { MailModule } from '../mail/mail.module.js';
import { MembershipsModule } from '../memberships/memberships.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PeopleModule } from '../people/people.module.js';
import { RolesModule } from '../roles/roles.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SingleSignOnModule } from '../single-sign-on/single-sign-on.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { ChosenPasswordService } from './chosen-password.service.js';
import { MemberAdministrationService } from './member-administration.service.js';
import { RepeatedInvitationService } from './repeated-invitation.service.js';
import { UserController } from './user.controller.js';
import { UserAdditionService } from './user-addition.service.js';
import { UserAdministrationService } from './user-administration.service.js';
import { UserAdmissionService } from './user-admission.service.js';

@Module({
  imports: [
    InvitationsModule,
    MailModule,
    MembershipsModule,
    PasskeysModule,
    PasswordsModule,
    PeopleModule,
    RolesModule,
    SecondFactorModule,
    SessionsModule,
    SingleSignOnModule,
    UsageModule,
    IdempotencyModule,
  ],
  controllers: [UserController],
  providers: [
    ChosenPasswordService,
    MemberAdministrationService,
    RepeatedInvitationService,
    UserAdditionService,
    UserAdministrationService,
    UserAdmissionService,
  ],
  exports: [MemberAdministrationService],
})
export class UsersModule {}
