import { Module } from '@nestjs/common';
import { RefreshTokenRepository } from './refresh-token.repository.js';

/** The rows of refresh tokens. */
@Module({
  providers: [RefreshTokenRepository],
  exports: [RefreshTokenRepository],
})
export class RefreshTokenModule {}
