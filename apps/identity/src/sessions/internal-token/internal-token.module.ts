import { Module } from '@nestjs/common';
import { TenantModule } from '../../accounts/tenant/tenant.module.js';
import { UserModule } from '../../accounts/user/user.module.js';
import { KeyModule } from '../../keys/key.module.js';
import { InternalTokenRpc } from './internal-token.rpc.js';
import { InternalTokenService } from './internal-token.service.js';

/** Short-lived tokens for work that outlives the call that started it. */
@Module({
  imports: [TenantModule, UserModule, KeyModule],
  controllers: [InternalTokenRpc],
  providers: [InternalTokenService],
})
export class InternalTokenModule {}
