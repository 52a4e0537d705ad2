import { Module } from '@nestjs/common';
import { RevocationModule } from '../sessions/revocation.module.js';
import { OAuthAppRepository } from './oauth-app.repository.js';
import { OAuthAppRpc } from './oauth-app.rpc.js';
import { OAuthAppService } from './oauth-app.service.js';

/** Apps as OAuth clients. */
@Module({
  imports: [RevocationModule],
  controllers: [OAuthAppRpc],
  providers: [OAuthAppRepository, OAuthAppService],
  exports: [OAuthAppRepository, OAuthAppService],
})
export class OAuthAppModule {}
