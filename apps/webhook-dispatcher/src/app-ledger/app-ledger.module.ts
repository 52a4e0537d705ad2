import { Module } from '@nestjs/common';
import { DeliveryStatsModule } from '../delivery-stats/delivery-stats.module.js';
import { AppLedgerRepository } from './app-ledger.repository.js';
import { AppLedgerRpc } from './app-ledger.rpc.js';
import { AppLedgerService } from './app-ledger.service.js';
import { BoundedReads } from './bounded-reads.js';

@Module({
  imports: [DeliveryStatsModule],
  controllers: [AppLedgerRpc],
  providers: [AppLedgerRepository, AppLedgerService, BoundedReads],
})
export class AppLedgerModule {}
