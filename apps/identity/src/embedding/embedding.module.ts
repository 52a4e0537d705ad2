import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { EmbedClientRepository } from './embed-client.repository.js';
import { EmbedClientService } from './embed-client.service.js';
import { EmbedConflictService } from './embed-conflict.service.js';
import { EmbedLinkController, UndoLinkController } from './embed-link.controller.js';
import { EmbedLinkService } from './embed-link.service.js';
import { EmbedMintRepository } from './embed-mint.repository.js';
import { EmbedTokenService } from './embed-token.service.js';
import { EmbedUserRepository } from './embed-user.repository.js';
import { EmbedUserService } from './embed-user.service.js';
import { EmbedClientRpc, EmbedTokenRpc } from './embedding.rpc.js';

@Module({
  imports: [SessionsModule, PeopleModule, MailModule],
  controllers: [EmbedClientRpc, EmbedLinkController, UndoLinkController, EmbedTokenRpc],
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
