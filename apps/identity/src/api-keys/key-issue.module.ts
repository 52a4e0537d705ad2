import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { ApiKeyModule } from './api-key.module.js';
import { KeyIssueService } from './key-issue.service.js';
import { OwnedKeys } from './owned-keys.js';

/** What keys of users and of service accounts have in common. */
@Module({
  imports: [ApiKeyModule, TenantModule],
  providers: [KeyIssueService, OwnedKeys],
  exports: [ApiKeyModule, KeyIssueService, OwnedKeys],
})
export class KeyIssueModule {}
