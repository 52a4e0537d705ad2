import { Module } from '@nestjs/common';
import { AppController } from './app.controller.js';

/** Published apps as operators decide on them. */
@Module({ controllers: [AppController] })
export class PublishedAppModule {}
