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
import { MemberAdministrationService } from './member-administration.service.js';
import { UserController } from './user.controller.js';
import { UserAdministrationService } from './user-administration.service.js';

/** What other nouns use. */
const SHARED = [MemberAdministrationService];

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
  providers: [...SHARED, UserAdministrationService],
  exports: SHARED,
})
export class UsersModule {}
