import { Module } from '@nestjs/common';
import { ExpiredRowRepository } from './expired-row.repository.js';
import { ExpiredRowSweeper } from './expired-row.sweeper.js';

/** Deletes expired rows. */
@Module({
  providers: [ExpiredRowRepository, ExpiredRowSweeper],
})
export class ExpiredRowModule {}
