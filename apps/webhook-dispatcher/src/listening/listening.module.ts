import { Module } from '@nestjs/common';
import { SandboxModule } from '../sandbox/sandbox.module.js';
import { ListeningController } from './listening.controller.js';
import { ListeningRepository } from './listening.repository.js';
import { ListeningService } from './listening.service.js';
import { ListeningPlaces } from './listening-places.js';

@Module({
  imports: [SandboxModule],
  controllers: [ListeningController],
  providers: [ListeningPlaces, ListeningRepository, ListeningService],
})
export class ListeningModule {}
