import { Module } from '@nestjs/common';
import { EmbedConflictController } from './embed-conflict.controller.js';

@Module({ controllers: [EmbedConflictController] })
export class EmbedConflictModule {}
