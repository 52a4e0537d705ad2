import { Module } from '@nestjs/common';
import { OAuthAppModule } from './oauth-app.module.js';
import { OAuthInstallationModule } from './oauth-installation.module.js';
import { MetadataController } from './metadata.controller.js';
import { OwnGrantModule } from './own-grant.module.js';
import { AuthorizationRequestModule } from './authorization-request.module.js';
import { OAuthTokenModule } from './token.module.js';

/** OAuth 2.1 for apps (docs/oauth.md). */
@Module({
  imports: [OAuthAppModule, OAuthInstallationModule, AuthorizationRequestModule, OwnGrantModule, OAuthTokenModule],
  controllers: [MetadataController],
})
export class OAuthModule {}
