import { Module } from '@nestjs/common';
import { EmailClaimRepository, SignInEmailRepository } from './email.repository.js';
import { TenantRepository } from './tenant.repository.js';
import { TenantRpc } from './tenant.rpc.js';
import { TenantService } from './tenant.service.js';
import { UserRepository } from './user.repository.js';
import { UserService } from './user.service.js';

/** What other nouns use. */
const SHARED = [
  TenantRepository,
  TenantService,
  EmailClaimRepository,
  SignInEmailRepository,
  UserRepository,
  UserService,
];

@Module({
  controllers: [TenantRpc],
  providers: [...SHARED],
  exports: SHARED,
})
export class PeopleModule {}
