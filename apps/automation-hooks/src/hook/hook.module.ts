import { Module } from '@nestjs/common';
import { HookRepository } from './hook.repository.js';
import { HookService } from './hook.service.js';

@Module({
  providers: [HookRepository, HookService],
  exports: [HookService],
})
export class HookModule {}
