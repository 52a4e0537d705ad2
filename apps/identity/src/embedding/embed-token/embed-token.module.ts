import { Module } from '@nestjs/common';
import { KeyModule } from '../../keys/key.module.js';
import { EmbedClientModule } from '../embed-client/embed-client.module.js';
import { EmbedUserModule } from '../embed-user/embed-user.module.js';
import { EmbedTokenRpc } from './embed-token.rpc.js';
import { EmbedTokenService } from './embed-token.service.js';

/** Tokens for host users. */
@Module({
  imports: [KeyModule, EmbedClientModule, EmbedUserModule],
  controllers: [EmbedTokenRpc],
  providers: [EmbedTokenService],
})
export class EmbedTokenModule {}
