import { Module } from '@nestjs/common';
import { HookSecretController } from './hook.controller.js';
import { HookRepository } from './hook.repository.js';
import { HookService } from './hook.service.js';

@Module({ controllers: [HookSecretController], providers: [HookRepository, HookService], exports: [HookService] })
export class HookModule {}
