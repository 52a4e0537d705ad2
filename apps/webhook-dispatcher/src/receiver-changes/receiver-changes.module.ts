import { Module } from '@nestjs/common';
import { ReceiverChanges } from './receiver-changes.js';

@Module({ providers: [ReceiverChanges], exports: [ReceiverChanges] })
export class ReceiverChangesModule {}
