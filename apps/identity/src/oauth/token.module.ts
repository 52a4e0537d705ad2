import { Module } from '@nestjs/common';
import { UserModule } from '../people/user.module.js';
import { KeyModule } from '../sessions/key.module.js';
import { RevocationModule } from '../sessions/revocation.module.js';
import { GrantModule } from './grant.module.js';
import { OAuthInstallationModule } from './oauth-installation.module.js';
import { ProtocolModule } from './protocol.module.js';
import { InstallationTokenService } from './installation-token.service.js';
import { OwnTokenService } from './own-token.service.js';
import { TokenController } from './token.controller.js';
import { TokenService } from './token.service.js';
import { UserTokenService } from './user-token.service.js';

/** Tokens of apps: issued, ended and described. */
@Module({
  imports: [UserModule, KeyModule, RevocationModule, GrantModule, OAuthInstallationModule, ProtocolModule],
  controllers: [TokenController],
  providers: [InstallationTokenService, OwnTokenService, TokenService, UserTokenService],
})
export class OAuthTokenModule {}
