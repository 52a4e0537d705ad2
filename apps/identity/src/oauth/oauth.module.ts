import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { OAuthAppRepository, OAuthInstallationRepository } from './client.repository.js';
import { OAuthClientRpc } from './client.rpc.js';
import { OAuthAppService, OAuthInstallationService } from './client.service.js';
import { AuthorizeController, ConsentController, OwnGrantController } from './consent.controller.js';
import { AuthorizationRequestRepository, AuthorizationRequestService, ConsentService } from './consent.service.js';
import { AuthorizationCodeRepository, GrantRepository, GrantTokenRepository } from './grant.repository.js';
import { GrantService } from './grant.service.js';
import { MetadataController, TokenController } from './token.controller.js';
import { InstallationTokenService, OwnTokenService, TokenService } from './token.service.js';
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
