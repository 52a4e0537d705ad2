import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { EmbedRpc } from './embed.rpc.js';
import { EmbedClientRepository } from './embed-client.repository.js';
import { EmbedClientService } from './embed-client.service.js';
import { EmbedConflictService } from './embed-conflict.service.js';
import { EmbedLinkController } from './embed-link.controller.js';
import { EmbedLinkService } from './embed-link.service.js';
import { EmbedMintRepository } from './embed-mint.repository.js';
import { EmbedTokenService } from './embed-token.service.js';
import { EmbedUserRepository } from './embed-user.repository.js';
import { EmbedUserService } from './embed-user.service.js';
import { UndoLinkController } from './undo-link.controller.js';

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
