import { Module } from '@nestjs/common';
import { EmbedClientStrategy, MintLimit } from './embed-client.strategy.js';
import { EmbedPageController } from './embed-page.controller.js';
import { PageFilesService, PageLimit } from './embed-page.js';
import { EmbedSessionController } from './embed-session.controller.js';

/** The page that hosts frame, and the tokens that their backends mint for it. */
@Module({
  controllers: [EmbedPageController, EmbedSessionController],
  providers: [EmbedClientStrategy, MintLimit, PageFilesService, PageLimit],
})
export class EmbedModule {}
