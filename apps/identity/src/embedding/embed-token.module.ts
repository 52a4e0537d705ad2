import { Module } from '@nestjs/common';
import { KeyModule } from '../sessions/key.module.js';
import { EmbedConflictModule } from './embed-conflict.module.js';
import { EmbedUserModule } from './embed-user.module.js';
import { EmbedMintRepository } from './embed-mint.repository.js';
import { EmbedTokenRpc } from './embed-token.rpc.js';
import { EmbedTokenService } from './embed-token.service.js';

/** Tokens for host users. */
@Module({
  imports: [KeyModule, EmbedConflictModule, EmbedUserModule],
  controllers: [EmbedTokenRpc],
  providers: [EmbedMintRepository, EmbedTokenService],
})
export class EmbedTokenModule {}
