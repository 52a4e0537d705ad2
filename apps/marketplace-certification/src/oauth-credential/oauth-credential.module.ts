import { Module } from '@nestjs/common';
import { InstallationModule } from '../installation/installation.module.js';
import { OAuthCredentialController } from './oauth-credential.controller.js';
import { OAuthCredentialService } from './oauth-credential.service.js';

@Module({
  imports: [InstallationModule],
  controllers: [OAuthCredentialController],
  providers: [OAuthCredentialService],
})
export class OAuthCredentialModule {}
