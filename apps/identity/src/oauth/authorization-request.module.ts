import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { OAuthAppModule } from './oauth-app.module.js';
import { GrantRecordModule } from './grant-record.module.js';
import { OAuthInstallationModule } from './oauth-installation.module.js';
import { AuthorizationRequestRepository } from './authorization-request.repository.js';
import { AuthorizationRequestService } from './authorization-request.service.js';
import { AuthorizeController } from './authorize.controller.js';
import { ConsentController } from './consent.controller.js';
import { ConsentService } from './consent.service.js';

/** Apps ask to act for a user, and the user decides. */
@Module({
  imports: [TenantModule, UserModule, SessionModule, OAuthAppModule, OAuthInstallationModule, GrantRecordModule],
  controllers: [AuthorizeController, ConsentController],
  providers: [AuthorizationRequestRepository, AuthorizationRequestService, ConsentService],
})
export class AuthorizationRequestModule {}
