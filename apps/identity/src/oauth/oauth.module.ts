import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AuthorizationCodeRepository } from './authorization-code.repository.js';
import { AuthorizationRequestRepository } from './authorization-request.repository.js';
import { AuthorizationRequestService } from './authorization-request.service.js';
import { AuthorizeController } from './authorize.controller.js';
import { OAuthAppRepository, OAuthInstallationRepository } from './client.repository.js';
import { OAuthClientRpc } from './client.rpc.js';
import { OAuthAppService, OAuthInstallationService } from './client.service.js';
import { ConsentController } from './consent.controller.js';
import { ConsentService } from './consent.service.js';
import { GrantRepository } from './grant.repository.js';
import { GrantService } from './grant.service.js';
import { GrantTokenRepository } from './grant-token.repository.js';
import { InstallationTokenService } from './installation-token.service.js';
import { MetadataController } from './metadata.controller.js';
import { OwnGrantController } from './own-grant.controller.js';
import { OwnTokenService } from './own-token.service.js';
import { TokenController } from './token.controller.js';
import { TokenService } from './token.service.js';
import { GuessLimit } from './token-request.js';
import { UserTokenService } from './user-token.service.js';

@Module({
  imports: [PeopleModule, SessionsModule],
  controllers: [
    AuthorizeController,
    ConsentController,
    OAuthClientRpc,
    MetadataController,
    OwnGrantController,
    TokenController,
  ],
  providers: [
    AuthorizationRequestRepository,
    AuthorizationRequestService,
    ConsentService,
    AuthorizationCodeRepository,
    GrantRepository,
    GrantTokenRepository,
    GrantService,
    OAuthAppRepository,
    OAuthAppService,
    OAuthInstallationRepository,
    OAuthInstallationService,
    GuessLimit,
    InstallationTokenService,
    OwnTokenService,
    TokenService,
    UserTokenService,
  ],
})
export class OAuthModule {}
