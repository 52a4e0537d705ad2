import { IdempotencyModule } from '@crm/idempotency';
import { Module } from '@nestjs/common';
import { RevocationModule } from '../sessions/revocation.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { LimitModule } from '../sign-in/limit.module.js';
import { InvitationModule } from './invitation.module.js';
import { PasswordModule } from '../sign-in/password.module.js';
import { PasswordPolicyModule } from '../sign-in/password-policy.module.js';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { UserController } from './user-administration.controller.js';
import { UserAdministrationService } from './user-administration.service.js';

/** The users of a tenant as its administrators see and change them. */
@Module({
  imports: [
    IdempotencyModule,
    InvitationModule,
    PasswordModule,
    PasswordPolicyModule,
    TenantModule,
    UserModule,
    LimitModule,
    RevocationModule,
    SessionModule,
  ],
  controllers: [UserController],
  providers: [UserAdministrationService],
})
export class UserAdministrationModule {}
