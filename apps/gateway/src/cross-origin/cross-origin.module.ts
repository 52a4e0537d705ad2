import { Module } from '@nestjs/common';
import { CrossOriginService } from './cross-origin.service.js';

@Module({ providers: [CrossOriginService], exports: [CrossOriginService] })
export class CrossOriginModule {}
