import { UpstreamClient, UpstreamConnector } from '@crm/runtime/proxy';
import { Module } from '@nestjs/common';
import { BodyModule } from '../bodies/body.module.js';
import { CrossOriginModule } from '../cross-origin/cross-origin.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { ProxyService } from './proxy.service.js';

@Module({
  imports: [BodyModule, CrossOriginModule, RateLimitModule],
  providers: [ProxyService, UpstreamConnector, UpstreamClient],
  exports: [UpstreamClient],
})
export class ProxyModule {}
