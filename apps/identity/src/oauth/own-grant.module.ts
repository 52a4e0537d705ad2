import { Module } from '@nestjs/common';
import { RevocationModule } from '../sessions/revocation.module.js';
import { GrantModule } from './grant.module.js';
import { OAuthInstallationModule } from './oauth-installation.module.js';
import { OwnGrantController } from './own-grant.controller.js';
import { OwnGrantService } from './own-grant.service.js';

/** Users look after what apps may do for them. */
@Module({
  imports: [RevocationModule, GrantModule, OAuthInstallationModule],
  controllers: [OwnGrantController],
  providers: [OwnGrantService],
})
export class OwnGrantModule {}
