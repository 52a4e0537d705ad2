import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AuthorizationCodeRepository } from './authorization-code.repository.js';
import { AuthorizationRequestRepository } from './authorization-request.repository.js';
import { AuthorizationRequestService } from './authorization-request.service.js';
import { AuthorizeController } from './authorize.controller.js';
import { ConsentController } from './consent.controller.js';
import { ConsentService } from './consent.service.js';
import { GrantRepository } from './grant.repository.js';
import { GrantService } from './grant.service.js';
import { GrantTokenRepository } from './grant-token.repository.js';
import { GuessLimit } from './guess-limit.js';
import { InstallationTokenService } from './installation-token.service.js';
import { MetadataController } from './metadata.controller.js';
import { OAuthAppRepository } from './oauth-app.repository.js';
import { OAuthAppRpc } from './oauth-app.rpc.js';
import { OAuthAppService } from './oauth-app.service.js';
import { OAuthInstallationRepository } from './oauth-installation.repository.js';
import { OAuthInstallationRpc } from './oauth-installation.rpc.js';
import { OAuthInstallationService } from './oauth-installation.service.js';
import { OwnGrantController } from './own-grant.controller.js';
import { OwnGrantService } from './own-grant.service.js';
import { OwnTokenService } from './own-token.service.js';
import { TokenController } from './token.controller.js';
import { TokenService } from './token.service.js';
import { UserTokenService } from './user-token.service.js';

@Module({
  imports: [PeopleModule, SessionsModule],
  controllers: [
    AuthorizeController,
    ConsentController,
    OAuthAppRpc,
    OAuthInstallationRpc,
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
    OwnGrantService,
    GuessLimit,
    InstallationTokenService,
    OwnTokenService,
    TokenService,
    UserTokenService,
  ],
  exports: [
    AuthorizationCodeRepository,
    GrantRepository,
    GrantTokenRepository,
    GrantService,
    OAuthAppRepository,
    OAuthAppService,
    OAuthInstallationRepository,
    OAuthInstallationService,
    GuessLimit,
  ],
})
export class OAuthModule {}
