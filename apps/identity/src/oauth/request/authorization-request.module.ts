import { Module } from '@nestjs/common';
import { TenantModule } from '../../accounts/tenant/tenant.module.js';
import { UserModule } from '../../accounts/user/user.module.js';
import { SessionModule } from '../../sessions/session/session.module.js';
import { OAuthAppModule } from '../app/oauth-app.module.js';
import { GrantRecordModule } from '../grant/grant-record.module.js';
import { OAuthInstallationModule } from '../installation/oauth-installation.module.js';
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
