import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { MailModule } from '../mail/mail.module.js';
import { DomainModule } from './domain.module.js';
import { ProviderLinkRepository } from './provider-link.repository.js';
import { ProviderLinkService } from './provider-link.service.js';

/** Which users people at providers are. */
@Module({
  imports: [TenantModule, UserModule, MailModule, DomainModule],
  providers: [ProviderLinkRepository, ProviderLinkService],
  exports: [ProviderLinkRepository, ProviderLinkService],
})
export class ProviderLinkModule {}
