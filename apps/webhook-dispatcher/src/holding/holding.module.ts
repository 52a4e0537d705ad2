import { Module } from '@nestjs/common';
import { DiscardSweeper } from './discard.sweeper.js';
import { HoldRecountSweeper } from './hold-recount.sweeper.js';
import { HoldingRepository } from './holding.repository.js';

/** What subscriptions hold while they are paused or disabled. */
@Module({ providers: [DiscardSweeper, HoldingRepository, HoldRecountSweeper], exports: [HoldingRepository] })
export class HoldingModule {}
