import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { EmbedClientRepository } from './embed-client.repository.js';
import { EmbedClientRpc } from './embed-client.rpc.js';
import { EmbedClientService } from './embed-client.service.js';
import { EmbedConflictRpc } from './embed-conflict.rpc.js';
import { EmbedConflictService } from './embed-conflict.service.js';
import { EmbedLinkController } from './embed-link.controller.js';
import { EmbedLinkService } from './embed-link.service.js';
import { EmbedMintRepository } from './embed-mint.repository.js';
import { EmbedTokenRpc } from './embed-token.rpc.js';
import { EmbedTokenService } from './embed-token.service.js';
import { EmbedUserRepository } from './embed-user.repository.js';
import { EmbedUserService } from './embed-user.service.js';
import { FirstLinkService } from './first-link.service.js';
import { UndoLinkController } from './undo-link.controller.js';

@Module({
  imports: [SessionsModule, PeopleModule, MailModule],
  controllers: [EmbedClientRpc, EmbedConflictRpc, EmbedLinkController, UndoLinkController, EmbedTokenRpc],
  providers: [
    EmbedClientRepository,
    EmbedClientService,
    EmbedConflictService,
    EmbedLinkService,
    EmbedMintRepository,
    EmbedTokenService,
    EmbedUserRepository,
    EmbedUserService,
    FirstLinkService,
  ],
  exports: [EmbedClientService, EmbedConflictService, EmbedUserRepository, EmbedUserService, FirstLinkService],
})
export class EmbeddingModule {}
