import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { MailModule } from '../mail/mail.module.js';
import { RevocationModule } from '../sessions/revocation.module.js';
import { EmbedConflictModule } from './embed-conflict.module.js';
import { EmbedUserRepository } from './embed-user.repository.js';
import { EmbedUserService } from './embed-user.service.js';
import { FirstLinkService } from './first-link.service.js';

/** Which user of a tenant a host user is. */
@Module({
  imports: [EmbedConflictModule, MailModule, RevocationModule, TenantModule, UserModule],
  providers: [EmbedUserRepository, EmbedUserService, FirstLinkService],
  exports: [EmbedUserRepository, EmbedUserService, FirstLinkService],
})
export class EmbedUserModule {}
