import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import {
  CurrentKeyController,
  PersonalKeyController,
  ServiceKeyController,
  UserKeyController,
} from './api-key.controller.js';
import { ApiKeyRepository, ServiceAccountRepository } from './api-key.repository.js';
import { KeyIssueService, PersonalKeyService, ServiceKeyService, UserKeyService } from './api-key.service.js';
import { KeyExchangeRpc } from './key-exchange.rpc.js';
import { KeyExchangeService, KeyOwners } from './key-exchange.service.js';
import { ApiKeyEnding, OwnedKeys } from './owned-keys.js';
import { ServiceAccountController } from './service-account.controller.js';
import { ServiceAccountService } from './service-account.service.js';

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
