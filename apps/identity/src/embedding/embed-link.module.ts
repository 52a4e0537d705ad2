import { Module } from '@nestjs/common';
import { UserModule } from '../people/user.module.js';
import { RevocationModule } from '../sessions/revocation.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { EmbedUserModule } from './embed-user.module.js';
import { EmbedLinkController } from './embed-link.controller.js';
import { EmbedLinkService } from './embed-link.service.js';
import { UndoLinkController } from './undo-link.controller.js';

/** Links that administrators make between host users and users. */
@Module({
  imports: [UserModule, RevocationModule, SessionModule, EmbedUserModule],
  controllers: [EmbedLinkController, UndoLinkController],
  providers: [EmbedLinkService],
})
export class EmbedLinkModule {}
