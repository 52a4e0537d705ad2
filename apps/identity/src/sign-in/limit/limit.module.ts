import { LimiterStore, MemoryLimiterStore } from '@crm/http';
import { Module } from '@nestjs/common';
import { SignInLimit } from './sign-in-limit.js';

/** Limits of failed sign-ins, and the store that every limit of the service is counted in. */
@Module({
  providers: [SignInLimit, { provide: LimiterStore, useClass: MemoryLimiterStore }],
  exports: [LimiterStore, SignInLimit],
})
export class LimitModule {}
