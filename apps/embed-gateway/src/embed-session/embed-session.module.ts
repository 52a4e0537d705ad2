import { Module } from '@nestjs/common';
import { EmbedClientStrategy } from './embed-client.strategy.js';
import { EmbedSessionController } from './embed-session.controller.js';
import { MintLimit } from './mint-limit.js';

@Module({
  controllers: [EmbedSessionController],
  providers: [EmbedClientStrategy, MintLimit],
})
export class EmbedSessionModule {}
