import { Module } from '@nestjs/common';
import { CustomHeaderService } from './custom-header.service.js';

@Module({ providers: [CustomHeaderService], exports: [CustomHeaderService] })
export class CustomHeaderModule {}
