import { LimiterStore, MemoryLimiterStore } from '@crm/http';
import { Module } from '@nestjs/common';
import { RateLimitService } from './rate-limit.service.js';

@Module({
  providers: [RateLimitService, { provide: LimiterStore, useClass: MemoryLimiterStore }],
  exports: [RateLimitService],
})
export class RateLimitModule {}
