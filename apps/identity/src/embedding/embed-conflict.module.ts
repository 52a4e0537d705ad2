import { Module } from '@nestjs/common';
import { EmbedConflictRpc } from './embed-conflict.rpc.js';
import { EmbedConflictService } from './embed-conflict.service.js';

/** Mints with addresses of other workspaces, counted per app. */
@Module({
  controllers: [EmbedConflictRpc],
  providers: [EmbedConflictService],
  exports: [EmbedConflictService],
})
export class EmbedConflictModule {}
