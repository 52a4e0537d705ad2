import { Module } from '@nestjs/common';
import { SecurityHeadersService } from './security-headers.service.js';

@Module({ providers: [SecurityHeadersService], exports: [SecurityHeadersService] })
export class SecurityHeadersModule {}
