import { Module } from '@nestjs/common';
import { OAuthAppModule } from './app/oauth-app.module.js';
import { OAuthInstallationModule } from './installation/oauth-installation.module.js';
import { MetadataController } from './metadata/metadata.controller.js';
import { OwnGrantModule } from './own-grant/own-grant.module.js';
import { AuthorizationRequestModule } from './request/authorization-request.module.js';
import { OAuthTokenModule } from './token/token.module.js';

/** OAuth 2.1 for apps (docs/oauth.md). */
@Module({
  imports: [OAuthAppModule, OAuthInstallationModule, AuthorizationRequestModule, OwnGrantModule, OAuthTokenModule],
  controllers: [MetadataController],
})
export class OAuthModule {}
