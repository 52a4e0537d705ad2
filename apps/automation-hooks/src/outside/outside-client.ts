import { createEgressClient, type EgressClient } from '@crm/egress';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';

/** The process's one client for calls to the outside. */
@Injectable()
export class OutsideClient implements OnApplicationShutdown {
  readonly client: EgressClient;

  constructor(@Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig) {
    this.client = createEgressClient(config.egress);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
