import { Module } from '@nestjs/common';
import { EventTypeController } from './event-type.controller.js';

@Module({ controllers: [EventTypeController] })
export class EventTypeModule {}
