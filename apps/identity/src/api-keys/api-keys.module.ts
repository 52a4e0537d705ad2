import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { RolesModule } from '../roles/roles.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import {
  CurrentKeyController,
  PersonalKeyController,
  ServiceAccountController,
  ServiceKeyController,
  UserKeyController,
} from './api-key.controller.js';
import { ApiKeyRepository, ServiceAccountRepository } from './api-key.repository.js';
import { ApiKeyService } from './api-key.service.js';
import { ApiKeyEnding } from './api-key-ending.js';
import { KeyExchangeRpc, KeyExchangeService, KeyOwners } from './key-exchange.service.js';
import { ServiceAccountService } from './service-account.service.js';

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
