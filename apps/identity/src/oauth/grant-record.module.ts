import { Module } from '@nestjs/common';
import { AuthorizationCodeRepository } from './authorization-code.repository.js';
import { GrantRepository } from './grant.repository.js';
import { GrantTokenRepository } from './grant-token.repository.js';

/** The rows of codes, grants and refresh tokens. */
@Module({
  providers: [AuthorizationCodeRepository, GrantRepository, GrantTokenRepository],
  exports: [AuthorizationCodeRepository, GrantRepository, GrantTokenRepository],
})
export class GrantRecordModule {}
