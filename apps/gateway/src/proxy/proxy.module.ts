import { Module } from '@nestjs/common';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { SecurityHeadersModule } from '../security-headers/security-headers.module.js';
import { ProxyService } from './proxy.service.js';

@Module({ imports: [RateLimitModule, SecurityHeadersModule], providers: [ProxyService] })
export class ProxyModule {}
