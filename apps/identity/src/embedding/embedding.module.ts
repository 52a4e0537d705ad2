import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { EmbedClientService } from './embed-client.service.js';
import { EmbedConflictService } from './embed-conflict.service.js';
import { EmbedLinkController, UndoLinkController } from './embed-link.controller.js';
import { EmbedLinkService } from './embed-link.service.js';
import { EmbedRpc, EmbedTokenService } from './embed-token.service.js';
import { EmbedUserService } from './embed-user.service.js';
import { EmbedClientRepository, EmbedMintRepository, EmbedUserRepository } from './embedding.repository.js';

@Module({
  imports: [SessionsModule, PeopleModule, MailModule],
  controllers: [EmbedLinkController, EmbedRpc, UndoLinkController],
  providers: [
    EmbedClientRepository,
    EmbedClientService,
    EmbedConflictService,
    EmbedLinkService,
    EmbedMintRepository,
    EmbedTokenService,
    EmbedUserRepository,
    EmbedUserService,
  ],
  exports: [EmbedConflictService, EmbedUserRepository],
})
export class EmbeddingModule {}
