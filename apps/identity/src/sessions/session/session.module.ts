import { Module } from '@nestjs/common';
import { UserModule } from '../../accounts/user/user.module.js';
import { KeyModule } from '../../keys/key.module.js';
import { CallerModule } from '../caller/caller.module.js';
import { RefreshTokenModule } from '../refresh-token/refresh-token.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';

/** Sessions: opened, refreshed, listed and ended. */
@Module({
  imports: [UserModule, KeyModule, CallerModule, RefreshTokenModule, RevocationModule],
  controllers: [SessionController],
  providers: [SessionRepository, SessionService],
  exports: [SessionService],
})
export class SessionModule {}
