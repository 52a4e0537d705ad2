import { Module } from '@nestjs/common';
import { ClientStatusRepository } from './client-status.repository.js';
import { ClientStatusService } from './client-status.service.js';
import { ClientStatusSweeper } from './client-status.sweeper.js';

/** Decisions about apps that identity has to learn. */
@Module({
  providers: [ClientStatusRepository, ClientStatusService, ClientStatusSweeper],
  exports: [ClientStatusService],
})
export class ClientStatusModule {}
