import { Module } from '@nestjs/common';
import { OperatorController } from './operator.controller.js';

/** The operators as administrators see and change them. */
@Module({ controllers: [OperatorController] })
export class OperatorModule {}
