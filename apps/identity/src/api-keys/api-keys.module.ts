import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeyEnding } from './api-key-ending.js';
import { CurrentKeyController } from './current-key.controller.js';
import { KeyExchangeRpc } from './key-exchange.rpc.js';
import { KeyExchangeService } from './key-exchange.service.js';
import { KeyIssueService } from './key-issue.service.js';
import { KeyOwners } from './key-owners.js';
import { OwnedKeys } from './owned-keys.js';
import { PersonalKeyController } from './personal-key.controller.js';
import { PersonalKeyService } from './personal-key.service.js';
import { ServiceAccountController } from './service-account.controller.js';
import { ServiceAccountRepository } from './service-account.repository.js';
import { ServiceAccountService } from './service-account.service.js';
import { ServiceKeyController } from './service-key.controller.js';
import { ServiceKeyService } from './service-key.service.js';
import { UserKeyController } from './user-key.controller.js';
import { UserKeyService } from './user-key.service.js';

@Module({
  imports: [SessionsModule, PeopleModule, MailModule],
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
    KeyExchangeService,
    KeyOwners,
    KeyIssueService,
    OwnedKeys,
    PersonalKeyService,
    ServiceAccountRepository,
    ServiceAccountService,
    ServiceKeyService,
    UserKeyService,
  ],
  exports: [
    ApiKeyRepository,
    ApiKeyEnding,
    SessionsModule,
    KeyIssueService,
    OwnedKeys,
    ServiceAccountRepository,
    ServiceAccountService,
  ],
})
export class ApiKeysModule {}
