import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { RevocationModule } from '../../sessions/revocation/revocation.module.js';
import { SessionModule } from '../../sessions/session/session.module.js';
import { LimitModule } from '../../sign-in/limit/limit.module.js';
import { InvitationModule } from '../invitation/invitation.module.js';
import { PasswordModule } from '../password/password.module.js';
import { PasswordPolicyModule } from '../password-policy/password-policy.module.js';
import { TenantModule } from '../tenant/tenant.module.js';
import { UserModule } from '../user/user.module.js';
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
