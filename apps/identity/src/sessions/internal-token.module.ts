import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { KeyModule } from './key.module.js';
import { InternalTokenRpc } from './internal-token.rpc.js';
import { InternalTokenService } from './internal-token.service.js';

/** Short-lived tokens for work that outlives the call that started it. */
@Module({
  imports: [TenantModule, UserModule, KeyModule],
  controllers: [InternalTokenRpc],
  providers: [InternalTokenService],
})
export class InternalTokenModule {}
