import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { KeyModule } from '../sessions/key.module.js';
import { ServiceAccountModule } from './service-account.module.js';
import { CurrentKeyController } from './current-key.controller.js';
import { KeyExchangeRpc } from './key-exchange.rpc.js';
import { KeyExchangeService } from './key-exchange.service.js';
import { KeyOwners } from './key-owners.js';

/** What keys are worth: the access tokens that the gateway forwards in their place. */
@Module({
  imports: [KeyModule, ServiceAccountModule, TenantModule, UserModule],
  controllers: [CurrentKeyController, KeyExchangeRpc],
  providers: [KeyExchangeService, KeyOwners],
})
export class KeyExchangeModule {}
