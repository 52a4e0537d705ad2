import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { RolesModule } from '../roles/roles.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeyService } from './api-key.service.js';
import { ApiKeyEnding } from './api-key-ending.js';
import { CurrentKeyController } from './current-key.controller.js';
import { KeyExchangeRpc } from './key-exchange.rpc.js';
import { KeyExchangeService } from './key-exchange.service.js';
import { KeyOwners } from './key-owners.js';
import { PersonalKeyController } from './personal-key.controller.js';
import { ServiceAccountController } from './service-account.controller.js';
import { ServiceAccountRepository } from './service-account.repository.js';
import { ServiceAccountService } from './service-account.service.js';
import { ServiceKeyController } from './service-key.controller.js';
import { UserKeyController } from './user-key.controller.js';

@Module({
  imports: [SessionsModule, PeopleModule, MailModule, RolesModule],
  controllers: [
    CurrentKeyController,
    KeyExchangeRpc,
    PersonalKeyController,
    ServiceAccountController,
    ServiceKeyController,
    UserKeyController,
  ],
  providers: [
    ApiKeyRepository,
    ApiKeyEnding,
    ApiKeyService,
    KeyExchangeService,
    KeyOwners,
    ServiceAccountRepository,
    ServiceAccountService,
  ],
})
export class ApiKeysModule {}
