import { OutsideClient } from '@crm/egress';
import { Module } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';

/** The way to addresses outside the platform: every URL passes the address policy. */
@Module({
  providers: [
    {
      provide: OutsideClient,
      inject: [AUTOMATIONS_CONFIG],
      useFactory: ({ egress }: Pick<AutomationsConfig, 'egress'>) => new OutsideClient(egress),
    },
  ],
  exports: [OutsideClient],
})
export class OutsideModule {}
