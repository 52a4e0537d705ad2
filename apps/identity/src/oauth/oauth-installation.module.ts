import { Module } from '@nestjs/common';
import { RevocationModule } from '../sessions/revocation.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { GrantRecordModule } from './grant-record.module.js';
import { OAuthInstallationRepository } from './oauth-installation.repository.js';
import { OAuthInstallationRpc } from './oauth-installation.rpc.js';
import { OAuthInstallationService } from './oauth-installation.service.js';

/** Installations as OAuth clients. */
@Module({
  imports: [RevocationModule, SessionModule, GrantRecordModule],
  controllers: [OAuthInstallationRpc],
  providers: [OAuthInstallationRepository, OAuthInstallationService],
  exports: [OAuthInstallationRepository, OAuthInstallationService],
})
export class OAuthInstallationModule {}
